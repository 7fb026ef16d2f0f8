"""What a run leaves behind: summary, plot, and the table at its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
from omegaconf import DictConfig, OmegaConf
from rich.console import Console
from rich.table import Table

from experiments import provenance, summary
from experiments.published import Published, published
from experiments.schedule import Match, label
from experiments.statistics import Estimate

PLOT = "win_rate.png"


def describe(
    settings: DictConfig,
    match: Match,
    folder: Path,
    table: pa.Table,
    interrupted: bool,
    fault: str | None,
) -> dict[str, Any]:
    """Return what `summary.json` holds, all but ``seconds``.

    Beside times and the section ``run`` it depends on players, rules and seed alone.  A run that
    ended early is ``interrupted``; ``fault`` says why unless it was Ctrl-C.
    """
    return {
        "player": label(match.player),
        "opponent": label(match.opponent),
        "seed": match.seed,
        **summary.summarise(table, match.players),
        "interrupted": interrupted,
        "fault": fault,
        "run": {
            "folder": str(folder),
            "command": provenance.command(),
            "configuration": OmegaConf.to_container(settings, resolve=True),
            "versions": provenance.versions(),
            "commit": provenance.commit(),
            "machine": provenance.machine(),
        },
    }


def draw(described: dict[str, Any], match: Match, folder: Path, table: pa.Table) -> Path:
    """Draw the run to `PLOT` in ``folder`` and return the path."""
    from experiments.plots import win_rate_plot  # Matplotlib takes a second to import

    return win_rate_plot(
        table, _title(match), described["parity"], _published(match), folder / PLOT
    )


def show(described: dict[str, Any], match: Match, folder: Path, console: Console) -> None:
    """Print the result beside parity and the published one."""
    table = Table(title=_title(match))
    for column in ("", "games", "wins", "win rate, 95 %"):
        table.add_column(column, justify="left" if not column else "right")
    ours = Estimate(described["win_rate"], *described["ci95"])
    table.add_row(
        "this run", str(described["games"]), str(described["wins"]), f"[bold]{ours}[/bold]"
    )
    known = _published(match)
    if known is not None:
        table.add_row(known.source, str(known.games), str(known.wins), str(known.rate))
    table.add_row("parity", "", "", f"{100 * described['parity']:.1f} %")
    console.print(table)
    facts = [
        f"a game took {described['turns_mean']:.1f} turns",
        f"{described['suggestions_mean']:.1f} suggestions",
        f"draws {described['draws']}",
        f"wrong accusations {described['accused_wrongly']}",
    ]
    if described["simulations_per_second"]:
        facts.append(f"{described['simulations_per_second']:,.0f} simulations a second of search")
    console.print(", ".join(facts) + f"; {described['seconds']:.0f} s in all.", soft_wrap=True)
    console.print(f"Written to {folder}", soft_wrap=True)


def _published(match: Match) -> Published | None:
    if not (_plain(match.player) and _plain(match.opponent)):
        return None
    return published(match.player["name"], match.opponent["name"], match.rules)


def _plain(player: dict[str, Any]) -> bool:
    """Tell whether ``player`` has no switch of its policy changed."""
    usual = {"threshold": 1.0, "inference": True, "showing": "random"}
    return all(player.get(switch, value) == value for switch, value in usual.items())


def _title(match: Match) -> str:
    return f"{label(match.player)} against {match.players - 1} {label(match.opponent)}"

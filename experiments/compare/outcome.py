"""The plot and the table at the end of a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments import tabular
from experiments.matches.results import Results
from experiments.runs.summary import Line, Score, Summary
from experiments.stats.elo import elo_above, likelihood_of_superiority
from experiments.stats.intervals import Estimate, win_score
from experiments.tabular import Strong

PLOT = "win_rate.png"


def draw(summary: Summary, played: Results, folder: Path) -> Path:
    """Draw the run to `PLOT` in ``folder`` and return the path."""
    from experiments.runs.plots import (  # Matplotlib takes a second to import
        rates_plot,
        win_rate_plot,
    )

    path = folder / PLOT
    lines = summary.figures.lines
    if len(summary.figures.table) > 1:
        title, by_match = _title(summary.seed, lines)
        names = [line.match if by_match else line.player for line in lines]
        title += f", {min(line.games for line in lines)} games a player"
        return rates_plot(lines, names, title, path)
    match, tally = played.matches[0], played.tallies[0]
    won = match.wins_of(tally.winner(), 0)[tally.numbers]
    (line,) = lines
    return win_rate_plot(won, line.by_seat, match.name, line.parity, path)


def table(summary: Summary, played: Results) -> tabular.Table:
    """Return the players' results next to parity."""
    lines = summary.figures.lines
    title, by_match = _title(summary.seed, lines)
    parities = {line.parity for line in lines}
    if len(parities) == 1:
        title += f", parity {100 * min(parities):.0f} %"
    speeds = [line.simulations_per_second for line in lines]
    faults = [line.faults for line in lines]
    columns = {
        "": [line.match if by_match else line.player for line in lines],
        "games": [line.games for line in lines],
        "wins": [line.wins for line in lines],
        "win rate, 95 %": [Strong(line.rate) for line in lines],
        "parity": [f"{100 * line.parity:.0f} %" for line in lines if len(parities) > 1],
        "turns": [f"{line.turns_mean:.1f}" for line in lines],
        "wrong": [line.accused_wrongly for line in lines],
        "sim/s": [f"{speed:,.0f}" if speed else None for speed in speeds if any(speeds)],
        "faults": faults if any(faults) else [],
        "speed-up": _speed_ups(speeds, played),
    }
    shown = {name: cells for name, cells in columns.items() if cells}
    return tabular.Table(title, [*shown], [*map(list, zip(*shown.values(), strict=True))])


def doubts(summary: Summary) -> list[str]:
    """Return a sentence if other programs had a share of the cores of a search."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    busy = load > 1.8 * cores and any(each.simulations for each in summary.figures.lines)
    text = f"busy machine: load {load:.1f} on {cores} cores, so sim/s and speed-up say little"
    return [text] if busy else []


def show(summary: Summary, played: Results, console: Console, last: Sequence[str] = ()) -> None:
    """Print the table, then the comparisons of players, and the lines ``last``."""
    figures, lines = summary.figures, summary.figures.lines
    tabular.show(table(summary, played), console)
    alone = lines if len(played.matches) == 1 == len(lines) else []
    for text in (
        *(_sentence(each, _common_opponents(lines)) for each in figures.comparisons),
        *(_rate_above(each, bool(figures.tests)) for each in alone),
        *(
            f"{r['player']}: {_elo(Estimate(r['elo'], r['low'], r['high']))}"
            for r in figures.ratings
        ),
        *(test["verdict"] for test in figures.tests),
        f"{summary.seconds:.0f} s in all, written to {played.folder}",
        f"again: {summary.run['command']}",
        *last,
    ):
        console.print(text, soft_wrap=True)


def _title(seed: int, lines: Sequence[Score]) -> tuple[str, bool]:
    """Return the title of the table, and whether lines are named by match, not player."""
    names = {line.match for line in lines}
    if len(names) == 1:
        return names.pop(), False
    opponents = _common_opponents(lines)
    return (f"{opponents}, seed {seed}", False) if opponents else (f"seed {seed}", True)


def _common_opponents(lines: Sequence[Score]) -> str:
    """Return the opponents common to all players, as in "against 3 heuristic"; else ""."""
    found = {line.match.removeprefix(line.player).strip() for line in lines}
    return found.pop() if len(found) == 1 else ""


def _speed_ups(speeds: Sequence[float | None], played: Results) -> list[str]:
    """Return simulations per second relative to the first line; empty if times differ."""
    budgets = [match.entrants[0].get("budget") or {} for match in played.matches]
    times = {budget.get("seconds") for budget in budgets}
    limited = any(budget.get("simulations") for budget in budgets)
    if len(speeds) < 2 or limited or len(times) != 1 or None in times or not all(speeds):
        return []
    return [f"{speed / speeds[0]:.2f}" for speed in speeds if speed and speeds[0]]


def _rate_above(line: Line, tested: bool) -> str:
    """Return the only player's lead in Elo, with its likelihood unless ``tested``."""
    text = f"{line.player} above the others: {_elo(elo_above(line.rate, line.parity, line.games))}"
    score = win_score(line.wins, line.games, line.parity)
    return text if tested else f"{text}, {_sure(likelihood_of_superiority(score))}"


def _elo(elo: Estimate) -> str:
    return f"{elo.value:+.0f} Elo ({elo.low:+.0f} to {elo.high:+.0f})"


def _sure(likelihood: float) -> str:
    return f"likelihood of superiority {100 * likelihood:.1f} %"


def _sentence(comparison: dict[str, Any], opponents: str) -> str:
    """Return the verdict on two players; difference, p and Elo come from one test."""
    value = Estimate(comparison["difference"], *comparison["ci95"])
    first, second = (
        comparison[name].removesuffix(opponents).strip() for name in ("first", "second")
    )
    parts = [f"{second} minus {first}, same {comparison['games']} games: {value}"]
    if comparison["p"] is not None:
        parts.append(f"p {comparison['p']:.2g}")
        if comparison["p_holm"] != comparison["p"]:
            parts.append(f"{comparison['p_holm']:.2g} with Holm's correction")
    if "elo" in comparison:
        parts.append(_elo(Estimate(comparison["elo"], *comparison["elo_ci95"])))
        if comparison["superiority"] is not None:
            parts.append(_sure(comparison["superiority"]))
    return ", ".join(parts)

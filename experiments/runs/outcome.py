"""What a run leaves behind: summary, plot, and the table at its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from omegaconf import DictConfig, OmegaConf
from rich.console import Console

from experiments import tabular
from experiments.matches.match_loop import Outcome
from experiments.matches.results import Results
from experiments.provenance import provenance
from experiments.runs import summary
from experiments.runs.published import known, unlike
from experiments.stats.intervals import Estimate
from experiments.stats.stopping import Stop
from experiments.tabular import Strong

PLOT = "win_rate.png"


def describe(settings: DictConfig, stop: Stop, played: Results, ended: Outcome) -> dict[str, Any]:
    """Return what `summary.json` holds, but for ``seconds``, and ``held``, the games before them.

    Beside times and the section ``run`` it depends on players, rules, seed and the rule of
    stopping alone.  A run that ended early is ``interrupted``; ``fault`` says why unless it was
    Ctrl-C.
    """
    return {
        "seed": settings.seed,
        "stop": settings.match.stop,
        **summary.figures(played, stop),
        "interrupted": ended.interrupted or ended.fault is not None,
        "fault": ended.fault,
        "run": {
            "folder": str(played.folder),
            "configuration": OmegaConf.to_container(settings, resolve=True),
            **provenance.origin(),
        },
    }


def metrics(described: dict[str, Any]) -> dict[str, float]:
    """Return the final metrics of a run for its record: by player, where there are several."""
    from experiments.provenance.tracking import metric_name

    found = {"seconds": described.get("seconds")}
    lines = described["table"]
    several = len({line["match"] for line in lines}) > 1
    for line in lines:
        name = line["match"] if several else line["player"]
        tail = "" if len(lines) == 1 else f"/{metric_name(name)}"
        found |= {
            f"{key}{tail}": value for key, value in line.items() if isinstance(value, (int, float))
        }
        if line["ci95"]:
            found[f"ci95_low{tail}"], found[f"ci95_high{tail}"] = line["ci95"]
    found |= {f"elo/{metric_name(each['player'])}": each["elo"] for each in described["ratings"]}
    return {key: float(value) for key, value in found.items() if value is not None}


def draw(described: dict[str, Any], played: Results) -> Path:
    """Draw the run to `PLOT` in its folder and return the path."""
    from experiments.runs.plots import (  # Matplotlib takes a second to import
        rates_plot,
        win_rate_plot,
    )

    path = played.folder / PLOT
    lines = [line for line in described["table"] if line["games"]]
    if len(described["table"]) > 1:
        return rates_plot(lines, f"{min(line['games'] for line in lines)} games a player", path)
    match, tally = played.matches[0], played.tallies[0]
    won = match.won(tally.winner(), 0)[tally.numbers]
    (line,) = lines
    return win_rate_plot(won, line["by_seat"], match.name, line["parity"], known(match), path)


def show(described: dict[str, Any], played: Results, console: Console) -> None:
    """Print the results beside parity and the published ones, then who is better than whom."""
    lines = [line for line in described["table"] if line["games"]]
    names = {line["match"] for line in lines}
    title = names.pop() if len(names) == 1 else f"seed {described['seed']}"
    several = len({line["match"] for line in lines}) > 1
    rows = [_row(line, several) for line in lines]
    for match in played.matches:
        found = known(match)
        if found is not None:
            source = f"{match.labels[0]}: {found.source}" if several else found.source
            rows.append([source, found.games, found.wins, found.rate])
    columns = ("", "games", "wins", "win rate, 95 %", "parity", "turns", "wrong", "sim/s")
    tabular.show(tabular.Table(title, columns, rows, _remarks(played)), console)
    for each in described["comparisons"]:
        console.print(_sentence(each), soft_wrap=True)
    for each in described["ratings"]:
        spread = f"({each['low']:+.0f} to {each['high']:+.0f})"
        console.print(f"{each['player']}: {each['elo']:+.0f} Elo {spread}")
    for each in described["tests"]:
        console.print(f"{each['match']}: {each['verdict']}", soft_wrap=True)
    console.print(
        f"{described['seconds']:.0f} s in all, written to {played.folder}", soft_wrap=True
    )


def _row(line: dict[str, Any], several: bool) -> list[Any]:
    """Return what a line of the table tells, named by its match where there are ``several``."""
    speed = line["simulations_per_second"]
    return [
        line["match"] if several else line["player"],
        line["games"],
        line["wins"],
        Strong(Estimate(line["win_rate"], *line["ci95"])),
        f"{100 * line['parity']:.0f} %",
        f"{line['turns_mean']:.1f}",
        line["accused_wrongly"],
        f"{speed:,.0f}" if speed else None,
    ]


def _remarks(played: Results) -> list[str]:
    """Return what is known of the published results shown, and why others are not, once each."""
    found = [(known(match), unlike(match)) for match in played.matches]
    lines = [beside.remark if beside else otherwise for beside, otherwise in found]
    return [line for line in dict.fromkeys(lines) if line]


def _sentence(each: dict[str, Any]) -> str:
    value = Estimate(each["difference"], *each["ci95"])
    text = f"{each['second']} less {each['first']}, same {each['games']} games: {value}"
    if each["p"] is not None:
        text += f", p {each['p']:.2g}"
        if each["p_holm"] != each["p"]:
            text += f", {each['p_holm']:.2g} with Holm's correction"
    return text

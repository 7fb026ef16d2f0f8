"""Results of a sweep: summary, table of its points, and the words at its end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from omegaconf import DictConfig
from rich.console import Console
from rich.text import Text

from experiments import tabular
from experiments.provenance import provenance
from experiments.settings.config import plain
from experiments.stats.intervals import Estimate, columns, win_rate
from experiments.sweep.axes import describe_point, short
from experiments.sweep.space import Space
from experiments.sweep.spsa import Reached
from experiments.sweep.study import importance
from experiments.sweep.trials import Line, Played, trial_folder
from experiments.tabular import Table, words

TABLE = "sweep.csv"

MOST_SHOWN = 24
"""Points in the table on the screen; the file has all."""

_ORDER = ("complete", "pruned", "failed")


def rank(lines: Sequence[Line]) -> list[Line]:
    """Return ``lines`` best first: complete ones, then those given up, then those that failed."""
    return sorted(lines, key=lambda line: (_ORDER.index(line.state), -line.rate, line.trial))


def describe(settings: DictConfig, space: Space, played: Played, folder: Path) -> dict[str, Any]:
    """Return what ``summary.json`` of a sweep holds, all but ``seconds`` and ``fault``.

    ``points`` come best first; ``best`` has the figures it was ``chosen`` by, which flatter it, and
    those of ``fresh`` games; ``importance`` is each axis' share of the variance.  ``settings``: of
    the sweep.
    """
    best = played.best
    # A point that was drawn twice would weigh twice.
    once = [line for line in played.lines if line.games and line.same_as is None]
    judged = [(one.parameters, one.games, one.wins) for one in once if one.state != "failed"]
    return {
        "axes": space.plain,
        "points": [_point(line, folder) for line in rank(played.lines)],
        "best": best
        and {
            "trial": best.trial,
            "parameters": dict(best.parameters),
            "chosen": _figures(best.games, best.wins),
            "fresh": played.fresh and _figures(played.fresh.games, played.fresh.wins),
        },
        "reached": played.reached and _describe_climb(played, played.reached),
        "importance": importance(space, judged, settings.sweep.seed),
        "interrupted": played.interrupted,
        "run": {
            "folder": str(folder),
            "configuration": {**plain(settings), "overrides": space.fixed},
            **provenance.origin(),
        },
    }


def _describe_climb(played: Played, reached: Reached) -> dict[str, Any]:
    """Return where a climb ended: values, their intervals, and what they gained on fresh games."""
    fresh, control, gain = played.fresh, played.control, played.gain
    return {
        "parameters": dict(reached.parameters),
        "ci95": {key: list(ends) for key, ends in reached.bounds.items()},
        "start": dict(reached.path[0]),
        "fresh": fresh and _figures(fresh.games, fresh.wins),
        "start_fresh": control and _figures(control.games, control.wins),
        **columns("gain", gain),
    }


def _point(line: Line, folder: Path) -> dict[str, Any]:
    source = line.trial if line.same_as is None else line.same_as
    return {
        "trial": line.trial,
        "state": line.state,
        "parameters": dict(line.parameters),
        **_figures(line.games, line.wins),
        "same_as": line.same_as,
        "folder": trial_folder(folder, source).name,
    }


def _figures(games: int, wins: int) -> dict[str, Any]:
    estimate = win_rate(wins, games) if games else None
    return {
        "games": games,
        "wins": wins,
        "win_rate": estimate and estimate.value,
        "ci95": estimate and [estimate.low, estimate.high],
    }


def write_table(described: dict[str, Any], path: Path) -> Path:
    """Write the points, best first, as CSV and return the path."""
    axes = list(described["axes"])
    names = ("trial", "state", *axes, "games", "wins", "win_rate", "low", "high")
    points = [
        {
            **point,
            **point["parameters"],
            **dict(zip(("low", "high"), point["ci95"] or (), strict=False)),
        }
        for point in described["points"]
    ]
    rows = [[point.get(name) for name in names] for point in points]
    return tabular.write_csv(Table("", names, rows), path)


def metrics(described: dict[str, Any]) -> dict[str, float]:
    """Return the final metrics of a sweep for its record."""
    found = {f"importance/{key}": value for key, value in described["importance"].items()}
    if described["reached"]:
        reached = described["reached"]
        found |= {key: reached[key] for key in columns("gain", None) if reached[key] is not None}
        if reached["fresh"]:
            found["reached_fresh"] = reached["fresh"]["win_rate"]
    if described["best"]:
        found["best_trial"] = described["best"]["trial"]
        for kind in ("chosen", "fresh"):
            figures = described["best"][kind]
            if figures:
                found[f"best_{kind}"] = figures["win_rate"]
                found[f"best_{kind}_low"], found[f"best_{kind}_high"] = figures["ci95"]
    return {key: float(value) for key, value in found.items()}


def show(described: dict[str, Any], played: Played, console: Console) -> None:
    """Print the points best first, then the best on fresh games and what mattered.

    Of a climb print where it ended.
    """
    if played.reached is not None:
        _show_reached(played, played.reached, console)
        return
    lines, axes = rank(played.lines), list(described["axes"])
    short_names = [axis.rpartition(".")[2] for axis in axes]
    names = short_names if len({*short_names}) == len(axes) else axes
    rows = [
        [
            str(line.trial),
            *(short(line.parameters[axis]) for axis in axes),
            line.games,
            win_rate(line.wins, line.games) if line.games else None,
            line.note,
        ]
        for line in lines[:MOST_SHOWN]
    ]
    title = f"{len(lines)} trials, on the games they were chosen by"
    columns = ("trial", *names, "games", "win rate, 95 %", words(""))
    tabular.show(Table(title, columns, rows), console)
    if len(lines) > MOST_SHOWN:
        console.print(f"and {len(lines) - MOST_SHOWN} more in {TABLE}")
    best = played.best
    if best is None:
        return
    console.print(f"best: {describe_point(best.parameters)} (trial {best.trial})", soft_wrap=True)
    chosen, fresh = (_estimate(described["best"][kind]) for kind in ("chosen", "fresh"))
    arms = len({line.trial for line in lines if line.same_as is None})
    console.print(
        f"  on the {best.games} games it was chosen by: {chosen}, the highest of {arms}, "
        "which flatters it",
        soft_wrap=True,
    )
    if fresh is not None and played.fresh is not None:
        line = Text.assemble(f"  on {played.fresh.games} fresh games: ", (str(fresh), "bold"))
        console.print(line)
    if len(lines) > 1:
        shares = [f"{key} {share:.0%}" for key, share in described["importance"].items()]
        noise = "none is shown, the points differ no more than by chance"
        console.print(f"importance: {', '.join(shares) or noise}", soft_wrap=True)


def _show_reached(played: Played, reached: Reached, console: Console) -> None:
    rows = [
        [key, short(reached.path[0][key]), short(at), " to ".join(map(short, reached.bounds[key]))]
        for key, at in reached.parameters.items()
    ]
    title = f"Climb of {len(reached.path) - 1} iterations"
    tabular.show(Table(title, (words("setting"), "start", "reached", "95 %"), rows), console)
    for name, ran in (("where it ended", played.fresh), ("its start", played.control)):
        if ran is not None and ran.games:
            rate = win_rate(ran.wins, ran.games)
            console.print(f"  {name}, on {ran.games} fresh games: {rate}", soft_wrap=True)
    if played.gain is not None:
        line = Text.assemble("  gained on the same games: ", (str(played.gain), "bold"))
        console.print(line, soft_wrap=True)


def _estimate(figures: dict[str, Any] | None) -> Estimate | None:
    return Estimate(figures["win_rate"], *figures["ci95"]) if figures else None

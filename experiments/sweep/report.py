"""Results of a sweep: summary, table of its points, and final message."""

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
from experiments.sweep.axes import describe_point, short
from experiments.sweep.outcomes import Counts, Line, Played
from experiments.sweep.points import importance
from experiments.sweep.space import Space
from experiments.sweep.trials import trial_folder
from experiments.tabular import Table, words

TABLE = "sweep.csv"

MAX_SHOWN = 24
"""Points in the printed table; the file has all."""

_ORDER = ("complete", "pruned", "failed")


def rank(lines: Sequence[Line]) -> list[Line]:
    """Return ``lines`` best first: complete ones, then pruned ones, then failed ones."""
    return sorted(lines, key=lambda line: (_ORDER.index(line.state), -line.rate, line.trial))


def describe(settings: DictConfig, space: Space, played: Played, folder: Path) -> dict[str, Any]:
    """Return the content of a sweep's ``summary.json``, without ``seconds`` and ``fault``.

    ``points`` come best first; ``best`` has the results it was ``chosen`` by, which are biased
    upwards, and those of ``fresh`` games; ``importance`` is each axis' share of the variance.
    ``settings``: of the sweep.
    """
    best = played.best
    # A point drawn twice would count twice.
    judged = [
        (line.parameters, line.games, line.wins)
        for line in played.lines
        if line.games and line.same_as is None and line.state != "failed"
    ]
    return {
        "axes": space.plain,
        "points": [
            {
                "trial": line.trial,
                "state": line.state,
                "parameters": dict(line.parameters),
                **(_figures(line) or {}),
                "same_as": line.same_as,
                "folder": trial_folder(folder, line.source).name,
            }
            for line in rank(played.lines)
        ],
        "best": best
        and {
            "trial": best.trial,
            "parameters": dict(best.parameters),
            "chosen": _figures(best),
            "fresh": _figures(played.fresh),
        },
        "importance": importance(space, judged, settings.sweep.seed),
        "interrupted": played.interrupted,
        "run": {
            "folder": str(folder),
            "configuration": {**plain(settings), "overrides": space.fixed},
            **provenance.origin(),
        },
    }


def _figures(counts: Counts | None) -> dict[str, Any] | None:
    if counts is None:
        return None
    rate = counts.estimate
    return {
        "games": counts.games,
        "wins": counts.wins,
        "win_rate": rate and rate.value,
        "ci95": rate and [rate.low, rate.high],
    }


def write_table(described: dict[str, Any], path: Path) -> Path:
    """Write the points, best first, as CSV and return the path."""
    names = ("trial", "state", *described["axes"], "games", "wins", "win_rate", "low", "high")
    rows = []
    for point in described["points"]:
        low, high = point["ci95"] or (None, None)
        cells = {**point, **point["parameters"], "low": low, "high": high}
        rows.append([cells.get(name) for name in names])
    return tabular.write_csv(Table("", names, rows), path)


def metrics(described: dict[str, Any]) -> dict[str, float]:
    """Return the final metrics of a sweep for its record."""
    found = {f"importance/{key}": value for key, value in described["importance"].items()}
    if best := described["best"]:
        found["best_trial"] = best["trial"]
        for kind in ("chosen", "fresh"):
            if figures := best[kind]:
                found[f"best_{kind}"] = figures["win_rate"]
                found[f"best_{kind}_low"], found[f"best_{kind}_high"] = figures["ci95"]
    return {key: float(value) for key, value in found.items()}


def table(played: Played, axes: Sequence[str], limit: int | None = None) -> Table:
    """Return the points best first, at most ``limit``."""
    lines, names = rank(played.lines), [axis.rpartition(".")[2] for axis in axes]
    heads = names if len({*names}) == len(axes) else axes
    points: list[list[Any]] = [
        [
            str(line.trial),
            *(short(line.parameters[axis]) for axis in axes),
            line.games,
            line.estimate,
            line.note,
        ]
        for line in lines[:limit]
    ]
    title = f"{len(lines)} trials, on the games they were chosen by"
    return Table(title, ("trial", *heads, "games", "win rate, 95 %", words("")), points)


def show(described: dict[str, Any], played: Played, console: Console) -> None:
    """Print the points, then the best on fresh games and the importance of the axes."""
    tabular.show(table(played, list(described["axes"]), MAX_SHOWN), console)
    lines, best, fresh = played.lines, played.best, played.fresh
    if len(lines) > MAX_SHOWN:
        console.print(f"and {len(lines) - MAX_SHOWN} more in {TABLE}")
    if best is None:
        return
    arms = sum(line.same_as is None for line in lines)
    for text in (
        f"best: {describe_point(best.parameters)} (trial {best.trial})",
        f"  on the {best.games} games it was chosen by: {best.estimate}, the highest of {arms}, "
        "which flatters it",
    ):
        console.print(text, soft_wrap=True)
    if fresh is not None:
        bold = (str(fresh.estimate), "bold")
        console.print(Text.assemble(f"  on {fresh.games} fresh games: ", bold))
    if len(lines) > 1:
        shares = [f"{key} {share:.0%}" for key, share in described["importance"].items()]
        noise = "not shown: the points differ no more than by chance"
        console.print(f"importance: {', '.join(shares) or noise}", soft_wrap=True)

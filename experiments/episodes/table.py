"""The tables of POMCPOW: every planner on every problem, with the published means.

Cells take turns of ten episodes, so that an interrupted run has some of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from experiments import study
from experiments.episodes import models
from experiments.settings.commandline import Refusal
from experiments.stats.intervals import mean
from experiments.tabular import Table, count, words
from experiments.tabular import mean as figure

ROWS = study.Rows(
    file="cells.parquet",
    units="portions",
    schema={
        "cell": pl.String,
        "episode": pl.Int64,
        "return": pl.Float64,  # discounted
        "actions": pl.Int64,
        "seconds": pl.Float64,  # CPU
    },
    more=("episodes", "only"),
)

_PORTION = 10


@dataclass(frozen=True)
class Cell:
    """A planner of the table."""

    problem: str
    planner: str
    leaf: str | None

    @property
    def name(self) -> str:
        """Problem, planner, and the chosen leaf."""
        return "/".join(filter(None, (self.problem, self.planner, self.leaf)))


def cells(only: Sequence[str] | None, leaf: str | None) -> list[Cell]:
    """Return the cells with names in ``only``, or that begin so if no name is equal.

    Raises Refusal if an entry of ``only`` matches no cell.

    ``leaf``: replaces the published one in all cells that can have it.
    """
    found = [
        Cell(problem, planner, leaf)
        for problem in models.MODELS
        for planner in models.ROWS[problem]
        if leaf is None or leaf in models.leaves(problem, planner)
    ]
    if not only:
        return found
    names = [cell.name for cell in found]
    wanted: set[str] = set()
    for name in only:
        named = {name} & {*names} or {one for one in names if one.startswith(name)}
        if not named:
            raise Refusal(f"only={name}: unknown cell; for example {names[0]}")
        wanted |= named
    return [cell for cell in found if cell.name in wanted]


def units(chosen: Sequence[Cell], episodes: int) -> list[str]:
    """Return the portions in order: ``CELL:FIRST EPISODE``."""
    return [f"{cell.name}:{n}" for n in range(0, episodes, _PORTION) for cell in chosen]


@cache
def _player(name: str, simulations: int, particles: int, seed: int) -> Any:
    problem, planner, *leaf = name.split("/")
    return models.player(problem, planner, leaf[0] if leaf else None, simulations, particles, seed)


def measure(unit: str, simulations: int, particles: int, seed: int) -> Iterable[dict[str, Any]]:
    """Yield the rows of one portion."""
    name, _, first = unit.rpartition(":")
    numbers = range(int(first), int(first) + _PORTION)
    return play(name, numbers, simulations, particles, seed)


def play(
    name: str, numbers: Iterable[int], simulations: int, particles: int, seed: int
) -> Iterable[dict[str, Any]]:
    """Yield the rows of the episodes ``numbers`` of the cell ``name``."""
    player = _player(name, simulations, particles, seed)
    for number in numbers:
        row = player(number)
        yield {"cell": name, **{key: row[key] for key in ROWS.schema if key != "cell"}}


def show(folder: Path) -> tuple[Table, list[dict[str, Any]]]:
    """Return the table of the rows in ``folder``, and its figures for a CSV."""
    from experiments.episodes import report
    from experiments.provenance.files import read_yaml

    if not (folder / ROWS.file).exists():  # of one problem
        return report.show(folder)
    simulations = read_yaml(folder / study.CONFIG)["simulations"]
    rows = pl.read_parquet(folder / ROWS.file)
    found = rows.group_by("cell", maintain_order=True).agg(
        pl.len().alias("episodes"),
        pl.col("return").mean(),
        pl.col("return").std().alias("deviation"),
    )
    return table(rows, f"{simulations:,} simulations an action"), found.to_dicts()


def table(rows: pl.DataFrame, title: str) -> Table:
    """Return the table to print."""
    columns = (
        words("problem, planner, leaf"),
        count("episodes"),
        figure("discounted return", 2),
        figure("CPU ms an action", 1),
        words("published"),
        words("in its 99 % interval"),
    )
    lines = []
    for (name,), found in rows.group_by(["cell"], maintain_order=True):
        problem, planner, *_ = str(name).split("/")
        published = models.ROWS[problem][planner].published
        ours = mean(found["return"].to_numpy())
        milliseconds = 1000 * float(found["seconds"].sum()) / int(found["actions"].sum())
        lines.append([name, len(found), ours, milliseconds, *_compare_published(found, published)])
    notes = (
        "means with 95 % intervals over episodes; published: mean and standard error",
        "yes: the difference is within 2.58 of its standard error",
    )
    return Table(title, columns, sorted(lines, key=lambda line: _order(str(line[0]))), notes)


def _order(name: str) -> tuple[int, str]:
    return models.MODELS.index(name.split("/")[0]), name


def _compare_published(found: pl.DataFrame, published: tuple[Any, ...]) -> tuple[str, str]:
    """Return the published figure as text, and whether ours agrees with it."""
    if not published:
        return "", ""
    value, error = published
    if error is None:
        return f"{value:.2f}", ""
    returns = found["return"].to_numpy()
    apart = abs(returns.mean() - value) / (returns.var(ddof=1) / len(returns) + error**2) ** 0.5
    return f"{value:.2f} +- {error:.2f}", "yes" if apart < 2.58 else f"no, {apart:.1f} errors"

"""Returns of closed loops: rows, tables, a picture, for one problem or the tables of POMCPOW.

In the tables every planner plays every problem, next to the published means.  Cells take turns of
ten episodes, so that an interrupted run has some of each; a cell is named PROBLEM/PLANNER, or
PROBLEM/PLANNER/LEAF with a chosen leaf.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from experiments import study
from experiments.episodes import models
from experiments.palette import SERIES
from experiments.plotting import picture, reference_line
from experiments.provenance.files import read_yaml
from experiments.settings.commandline import Refusal
from experiments.stats.intervals import Estimate, columns, mean
from experiments.tabular import Table, count, words
from experiments.tabular import mean as figure

PLOT = "returns.png"

_COLUMNS = {
    "episode": pl.Int64,
    "return": pl.Float64,  # discounted
    "actions": pl.Int64,
    "deprived": pl.Boolean,  # ended because no particle explained an observation
    "seconds": pl.Float64,  # CPU of its process
}

ROWS = study.Rows(
    file="episodes.parquet",
    units="episodes",
    schema=_COLUMNS,
    more=("episodes", "workers"),
    min_units=2,
    numbered="episode",
)
"""Rows of one problem."""

CELL_ROWS = study.Rows(
    file="cells.parquet",
    units="portions",
    schema={"cell": pl.String, **{key: _COLUMNS[key] for key in _COLUMNS if key != "deprived"}},
    more=("episodes", "only"),
)
"""Rows of the tables."""

_PORTION = 10


def estimates(rows: pl.DataFrame) -> dict[str, Estimate]:
    """Return the mean of each measured column with its interval."""
    columns = {"return": "return", "actions": "actions", "cpu_seconds": "seconds"}
    return {name: mean(rows[column].to_numpy()) for name, column in columns.items()}


def table(rows: pl.DataFrame, title: str, bounds: tuple[float, float] | None = None) -> Table:
    """Return the table to print; ``bounds`` are the problem's declared returns."""
    found = estimates(rows)
    heads = (words("problem"), count("episodes"), figure("discounted return", 2), figure("actions"))
    line = [title, len(rows), found["return"], found["actions"]]
    notes = ["means with 95 % intervals over episodes"]
    if short := int(rows["deprived"].sum()):
        notes.append(
            f"{short:,} of {len(rows):,} end early, with the return so far: no particle explained "
            "what was observed. Take more particles, or give vary or likelihood"
        )
    if outside := count_outside(rows, bounds):
        low, high = bounds or (0, 0)
        notes.append(
            f"{outside:,} of {len(rows):,} returns lie outside low={low:g} to high={high:g} of the "
            "problem, by which the search scales them: correct low and high"
        )
    return Table("Closed loops", heads, [line], tuple(notes))


def count_outside(rows: pl.DataFrame, bounds: tuple[float, float] | None) -> int:
    """Return the number of complete episodes with returns outside ``bounds``."""
    if bounds is None:
        return 0
    low, high = bounds
    slack = 1e-9 * (high - low)
    inside = pl.col("return").is_between(low - slack, high + slack)
    return rows.filter(~inside & ~pl.col("deprived")).height


def title_of(settings: Mapping[str, Any]) -> str:
    """Return the problem, its steps and the budget of ``settings`` as text."""
    asked = settings["problem"]
    name = {"tiger": "Tiger", "rocksample": f"RockSample{list(settings['map'])}"}
    shown = name.get(asked, Path(asked).name)
    parts = [" ".join(filter(None, (shown, settings["planner"])))]
    parts += [f"{settings['steps']:,} steps"] if settings["steps"] else []
    parts += [f"horizon {settings['horizon']:,}"] if settings.get("horizon") else []
    return ", ".join((*parts, f"{settings['simulations']:,} simulations"))


def show(folder: Path) -> tuple[Table, list[dict[str, Any]]]:
    """Return the table of the rows in ``folder``, and its figures for a CSV."""
    settings = read_yaml(folder / study.CONFIG)
    if not (folder / CELL_ROWS.file).exists():
        rows = pl.read_parquet((folder / ROWS.file).read_bytes())
        figures: dict[str, Any] = {"episodes": len(rows)}
        for name, found in estimates(rows).items():
            figures |= columns(name, found)
        return table(rows, title_of(settings)), [figures]
    rows = pl.read_parquet((folder / CELL_ROWS.file).read_bytes())
    by_cell = rows.group_by("cell", maintain_order=True).agg(
        pl.len().alias("episodes"),
        pl.col("return").mean(),
        pl.col("return").std().alias("deviation"),
    )
    return table_of_cells(rows, settings["simulations"]), by_cell.to_dicts()


def describe(rows: pl.DataFrame, bounds: tuple[float, float] | None = None) -> dict[str, Any]:
    """Return the content of the summary."""
    return {
        "episodes": len(rows),
        "deprived": int(rows["deprived"].sum()),
        "outside": count_outside(rows, bounds),
        **{name: vars(found) for name, found in estimates(rows).items()},
    }


def draw(rows: pl.DataFrame, title: str, path: Path) -> None:
    """Draw the distribution of returns with their mean."""
    with picture(path, f"{title}: {len(rows):,} episodes", (6.9, 3.6)) as (_, ((axes,),)):
        axes.hist(rows["return"].to_numpy(), bins=30, color=SERIES[0])
        reference_line(axes, estimates(rows)["return"].value, upright=True)
        axes.set(xlabel="discounted return (dashed: mean)", ylabel="episodes")


def cells(only: Sequence[str] | None, leaf: str | None) -> list[str]:
    """Return the cells named in ``only``, or that begin so if no name is equal.

    ``leaf``: replaces the published one in all cells that can have it.  Raises Refusal if an entry
    of ``only`` matches no cell.
    """
    names = [
        "/".join(filter(None, (problem, planner, leaf)))
        for problem in models.MODELS
        for planner in models.ROWS[problem]
        if leaf is None or leaf in models.leaves(problem, planner)
    ]
    wanted: set[str] = set()
    for name in only or ():
        named = {name} & {*names} or {one for one in names if one.startswith(name)}
        if not named:
            raise Refusal(f"only={name}: unknown cell; for example {names[0]}")
        wanted |= named
    return [name for name in names if not only or name in wanted]


def units(chosen: Sequence[str], episodes: int) -> list[str]:
    """Return the portions in order: ``CELL:FIRST EPISODE``."""
    return [f"{cell}:{first}" for first in range(0, episodes, _PORTION) for cell in chosen]


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
        yield {"cell": name, **{key: row[key] for key in CELL_ROWS.schema if key != "cell"}}


@cache
def _player(name: str, simulations: int, particles: int, seed: int) -> Any:
    problem, planner, *leaf = name.split("/")
    chosen = leaf[0] if leaf else None
    return models.player(problem, planner, chosen, simulations, particles, seed)


def table_of_cells(rows: pl.DataFrame, simulations: int) -> Table:
    """Return the table of POMCPOW to print, problem by problem."""
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
    lines.sort(key=lambda line: (models.MODELS.index(str(line[0]).split("/")[0]), line[0]))
    notes = (
        "means with 95 % intervals over episodes; published: mean and standard error",
        "yes: the difference is within 2.58 of its standard error",
    )
    return Table(f"{simulations:,} simulations an action", columns, lines, notes)


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

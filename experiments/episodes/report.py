"""Returns of closed loops: rows, a table, a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from experiments import study
from experiments.plotting import SERIES, picture, reference_line
from experiments.provenance.files import read_yaml
from experiments.stats.intervals import Estimate, columns, mean
from experiments.tabular import Table, count, words
from experiments.tabular import mean as figure

PLOT = "returns.png"

ROWS = study.Rows(
    file="episodes.parquet",
    units="episodes",
    schema={
        "episode": pl.Int64,
        "return": pl.Float64,  # discounted
        "actions": pl.Int64,
        "deprived": pl.Boolean,  # ended because no particle explained an observation
        "seconds": pl.Float64,  # CPU of its process
    },
    more=("episodes", "workers"),
    min_units=2,
    numbered="episode",
)


def estimates(rows: pl.DataFrame) -> dict[str, Estimate]:
    """Return the mean of each measured column with its interval."""
    columns = {"return": "return", "actions": "actions", "cpu_seconds": "seconds"}
    return {name: mean(rows[column].to_numpy()) for name, column in columns.items()}


def table(rows: pl.DataFrame, title: str, bounds: tuple[float, float] | None = None) -> Table:
    """Return the table to print; ``bounds`` are the problem's declared returns."""
    found = estimates(rows)
    heads = (
        words("problem"),
        count("episodes"),
        figure("discounted return", 2),
        figure("actions", 1),
    )
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
    parts = [" ".join(filter(None, (name.get(asked, asked), settings["planner"])))]
    parts += [f"{settings['steps']:,} steps"] if settings["steps"] else []
    parts += [f"horizon {settings['horizon']:,}"] if settings.get("horizon") else []
    return ", ".join((*parts, f"{settings['simulations']:,} simulations"))


def show(folder: Path) -> tuple[Table, list[dict[str, Any]]]:
    """Return the table of the rows of one problem in ``folder``, and its figures for a CSV."""
    rows = pl.read_parquet(folder / ROWS.file)
    figures = {"episodes": len(rows)}
    for name, found in estimates(rows).items():
        figures |= columns(name, found)  # type: ignore[arg-type]
    return table(rows, title_of(read_yaml(folder / study.CONFIG))), [figures]


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
    with picture(path, f"{title}: {len(rows):,} episodes", (7, 4)) as (_, ((axes,),)):
        axes.hist(rows["return"].to_numpy(), bins=30, color=SERIES[0])
        reference_line(axes, estimates(rows)["return"].value, upright=True)
        axes.set(xlabel="discounted return (dashed: mean)", ylabel="episodes")

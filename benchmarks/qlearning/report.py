"""Figures, tables and a picture of the learnt values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.qlearning.exact import closed_values, uniform_states
from benchmarks.qlearning.fit import Fit
from experiments import study
from experiments.stats.intervals import Estimate
from experiments.tabular import Table, count, mean, percent, words
from sim.board import N_ROOMS
from sim.qlearning.rooms import RoomProblem, problem, solve

PLOT = "learning.png"

ROWS = study.Rows(
    file="learning.parquet",
    units="runs",
    schema={
        "rate": pl.String,
        "run": pl.Int64,
        "updates": pl.Int64,
        "error": pl.Float64,  # root mean square, to Q by value iteration
        "best_share": pl.Float64,  # of the states in which the chosen room is a best one
        "lost": pl.Float64,  # mean value lost by the chosen room
        "seconds": pl.Float64,  # spent learning so far
    },
    more=(),
)
"""One row per run and checkpoint."""


def ends(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Return one line per rate: the final figures of its runs, with minimum and maximum error."""
    last = rows.filter(pl.col("updates") == pl.col("updates").max().over("rate", "run"))
    return (
        last.group_by("rate", maintain_order=True)
        .agg(
            pl.len().alias("runs"),
            pl.col("updates").max(),
            pl.col("error").mean(),
            pl.col("error").min().alias("least_error"),
            pl.col("error").max().alias("greatest_error"),
            pl.col("best_share", "lost", "seconds").mean(),
        )
        .to_dicts()
    )


def values(rooms: RoomProblem, outcomes: str) -> list[dict[str, Any]]:
    """Return one line per number of equal rooms: the closed value and the computed ones.

    By value iteration without a projection, and on the sampled states, null without such a state.
    """
    closed = closed_values(outcomes, rooms.discount)
    free = uniform_states()
    lines = []
    found = {
        "unprojected": (free, solve(problem(free, outcomes, rooms.discount))[0].max(axis=1)),
        "sampled": (rooms.states, solve(rooms)[0].max(axis=1)),
    }
    for held in range(1, N_ROOMS + 1):
        line: dict[str, Any] = {"rooms": held, "closed": float(closed[held - 1])}
        for name, (states, worth) in found.items():
            alike = ((states > 0).sum(axis=1) == held) & (
                np.abs(states.max(axis=1) - 1 / held) < 1e-9
            )
            there = worth[alike]
            three = (there.mean(), there.min(), there.max()) if len(there) else (None,) * 3
            line[name] = [None if part is None else float(part) for part in three]
        lines.append(line)
    return lines


def fit_figures(fit: Fit) -> dict[str, Any]:
    """Return the figures of a fit."""
    names = ("explained", "fresh", "lost", "epochs", "seconds")
    return {name: getattr(fit, name) for name in names} | {"numbers": fit.network.size}


def _learning(found: list[dict[str, Any]]) -> Table:
    """Return the result ``found`` of `ends` as a table."""

    def error(line: dict[str, Any]) -> Estimate:
        return Estimate(line["error"], line["least_error"], line["greatest_error"])

    note = "error: root mean square, to Q by value iteration on the same states"
    learning = (
        ("rate", "rate"),
        (count("runs"), "runs"),
        (count("updates"), "updates"),
        (mean("error of Q, least to greatest", 3), error),
        (percent("best room"), "best_share"),
        (mean("value lost", 4), "lost"),
        (mean("seconds", 2), "seconds"),
    )
    return Table.of("Learning Q", found, learning, [note])


def tables(figures: dict[str, Any]) -> Iterator[Table]:
    """Yield the figures as tables."""
    yield _learning(figures["ends"])
    columns = (
        ("rooms possible", lambda line: str(line["rooms"])),
        (mean("closed value", 6), "closed"),
        (mean("value iteration", 6), lambda line: line["unprojected"][0]),
        (mean("on the sample, least to greatest", 3), lambda line: _range(line["sampled"])),
    )
    off = max(abs(line["closed"] - line["unprojected"][0]) for line in figures["values"])
    share = 100 * figures["likeliest_share"]
    notes = [
        f"value iteration without a projection is off by {off:.1g} at most",
        f"the likeliest room is a best one in {share:.1f} % of the sampled states",
    ]
    yield Table.of(f"Values, {figures['outcomes']} outcomes", figures["values"], columns, notes)
    if (fit := figures["network"]) is not None:
        fitted = (
            (words("network"), lambda fit: f"{fit['numbers']:,} numbers"),
            (mean("R^2", 3), "explained"),
            (mean("R^2, other states", 3), "fresh"),
            (mean("value lost", 4), "lost"),
            (count("epochs"), "epochs"),
            (mean("seconds"), "seconds"),
        )
        yield Table.of("The fit", [fit], fitted)


def show(folder: Path) -> tuple[Table, list[dict[str, Any]]]:
    """Return where the runs in ``folder`` ended as a table, and as figures for a CSV."""
    found = ends(pl.read_parquet((folder / ROWS.file).read_bytes()))
    return _learning(found), found


def draw_kept(kept: Path, folder: Path) -> None:
    """Draw the rows in ``kept``, as `draw`."""
    draw(pl.read_parquet((kept / ROWS.file).read_bytes()), folder)


def _range(three: Sequence[float | None]) -> Estimate | None:
    known = [part for part in three if part is not None]
    return Estimate(*known) if known else None


def draw(rows: pl.DataFrame, folder: Path) -> None:
    """Draw the error of Q against the updates, a band of all runs for each rate."""
    from matplotlib.ticker import FuncFormatter

    from experiments.plotting import band, label_ends, picture

    count = rows["run"].n_unique()
    title = f"Q-learning on the room problem: mean and range of {count} runs"
    with picture(folder / PLOT, title, (6.9, 3.4)) as (_, ((axes,),)):
        for series, ((rate,), runs) in enumerate(rows.group_by("rate", maintain_order=True)):
            at = runs.group_by("updates").agg(
                pl.col("error").mean(), low=pl.col("error").min(), high=pl.col("error").max()
            )
            points = at.sort("updates").to_dicts()
            found = [Estimate(point["error"], point["low"], point["high"]) for point in points]
            label = {"one": "alpha = 1, as printed", "falling": "alpha falls"}[rate]
            band(axes, [point["updates"] for point in points], found, series, label=label)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        axes.set(xlabel="updates", ylabel="root mean square error of Q")
        axes.set_ylim(bottom=0)
        axes.grid()
        label_ends(axes)

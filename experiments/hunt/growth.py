"""Time by the number of cells, of targets and by d_M: labels, and all simple paths where they end.

Random graphs of one density (`sim.hunt.paths.generated`), ways from cell 0 to cell 1, which are at
random.  One size is varied at a time.  Times are CPU seconds on one core, everything compiled; an
empty place is a search that was given up: more labels, or more simple paths, than fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from omegaconf import DictConfig

from experiments import study
from experiments.hunt import routes
from experiments.matches.background import Background
from experiments.matches.progress import COMPILING, stage
from experiments.plotting import band, legend_below, picture
from experiments.settings.commandline import Refusal
from experiments.stats.intervals import Estimate
from experiments.tabular import Column, Table, count, mean, words
from sim.hunt.paths import controls, labels
from sim.hunt.paths.generated import random_graph

PLOT = "growth.png"

VARIED = {"cells": "cells", "targets": "targets", "within": "d_M, in mean arcs"}
SOLVERS = {"labels": "labels, exact", "exhaustive": "all simple paths"}

ARCS = 686 / 531
"""A cell, as in Table I of [Ferrari & Cai 2009]."""
OBSERVED = 270 / 531
"""Of the cells, those from which a target is seen."""

ROWS = study.Rows(
    file="growth.parquet",
    units="searches",
    schema={
        "varied": pl.String,
        "at": pl.Float64,
        "graph": pl.Int64,
        "solver": pl.String,
        "cells": pl.Int64,
        "targets": pl.Int64,
        "within": pl.Float64,
        "ways": pl.Int64,  # sets of targets, or simple paths; null if it was given up
        "seconds": pl.Float64,  # CPU; null if it was given up
    },
    more=(),
)
"""One row a size, graph and solver."""


def job(settings: DictConfig, run: study.Run) -> None:
    """Search graphs of growing size, write the results and print them."""
    asked = settings.hunt
    for name in VARIED:
        if not asked[name] or len(set(asked[name])) < len(asked[name]):
            raise Refusal(f"hunt.{name} must list different sizes, one or more")
    sizes = {"cells": asked.base.cells, "targets": asked.base.targets, "within": asked.base.within}
    run.claim(ROWS)
    with stage(run.console, COMPILING):
        Background(_warm).result()
    units = [
        f"{varied} {at:g} {graph} {solver}"
        for varied in VARIED
        for solver in SOLVERS
        for graph in range(asked.graphs)
        for at in sorted(asked[varied])
    ]

    def measured(left: list[str], _: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        lost: set[tuple[str, ...]] = set()
        for unit in left:
            varied, at, graph, solver = unit.split()
            row = {"varied": varied, "at": float(at), "graph": int(graph), "solver": solver}
            row |= {**sizes, varied: float(at)}
            if (varied, graph, solver) not in lost:  # larger ones would be given up as well
                row |= _searched(row, settings.seed + int(graph), asked.most)
            if row.get("ways") is None:
                lost.add((varied, graph, solver))
            yield unit, [{**row, "cells": int(row["cells"]), "targets": int(row["targets"])}]

    rows = run.measure(units, measured)
    lines = list(summary(rows))
    described = {"base": sizes, "figures": lines}
    run.finish(described, [_table(lines, sizes)], [PLOT], partial(draw, lines, sizes))


def _warm() -> None:
    """Compile what is timed."""
    graph = random_graph(20, 30, 6, 0)
    labels.routes(graph, 0, 1, 1.0)
    controls.exhaustive(graph, 0, 1, 1.0)


def _searched(row: dict[str, Any], seed: int, most: int) -> dict[str, Any]:
    """Return how many ways a search finds, and its CPU seconds; nothing if it is given up."""
    cells = int(row["cells"])
    observed = min(cells, max(round(OBSERVED * cells), int(row["targets"])))
    targets = min(observed, int(row["targets"]))
    graph = random_graph(cells, max(cells - 1, round(ARCS * cells)), observed, seed, targets)
    within = row["within"]
    find = (
        partial(labels.routes, graph, 0, 1, within, most=most)
        if row["solver"] == "labels"
        else partial(controls.exhaustive, graph, 0, 1, within)
    )
    try:
        found, seconds = routes.timed(find)
    except ValueError:
        return {}
    return {"ways": len(found), "seconds": seconds}


def summary(rows: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield a line for each size and solver: median, least and most over the graphs."""
    keys = ["varied", "solver", "at"]
    for (varied, solver, at), found in rows.sort(keys).group_by(keys, maintain_order=True):
        seconds, ways = found["seconds"].drop_nulls(), found["ways"].drop_nulls()
        known = len(seconds) == len(found)
        yield {
            "varied": varied,
            "solver": solver,
            "at": at,
            "graphs": len(found),
            "found": len(seconds),
            "seconds": [seconds.median(), seconds.min(), seconds.max()] if known else None,
            "ways": [ways.median(), ways.min(), ways.max()] if known else None,
        }


def _table(lines: list[dict[str, Any]], sizes: dict[str, Any]) -> Table:
    columns = (
        words("what grows"),
        Column("to", lambda value: f"{value:,g}"),
        words("by"),
        count("graphs solved"),
        mean("ways, least to most", 0),
        mean("CPU ms, least to most", 1),
    )
    order = {varied: place for place, varied in enumerate(VARIED)}
    shown = [
        [
            line["varied"] if line["varied"] != "within" else "d_M",
            line["at"],
            SOLVERS[line["solver"]],
            line["found"],
            line["ways"] and Estimate(*line["ways"]),
            line["seconds"] and Estimate(*(1000 * part for part in line["seconds"])),
        ]
        for line in sorted(lines, key=lambda line: (order[line["varied"]], line["at"]))
    ]
    notes = (
        f"{sizes['cells']:,} cells, {sizes['targets']:,} targets and d_M {sizes['within']:g} where "
        "they do not grow; medians over graphs",
        "ways: sets of targets none of which another way beats, or simple paths; empty where a "
        "search was given up",
    )
    return Table("Growth of the search for ways", columns, shown, notes)


def draw(lines: list[dict[str, Any]], sizes: dict[str, Any], folder: Path) -> None:
    """Draw seconds against each size, a curve a solver in the band of its graphs."""
    title = "CPU seconds of a search for ways: median, least and most of random graphs"
    with picture(folder / PLOT, title, (12.5, 4.6), columns=3, sharey=True) as (figure, (all_,)):
        for axes, (varied, label) in zip(all_, VARIED.items(), strict=True):
            for series, solver in enumerate(SOLVERS):
                _curve(axes, lines, varied, solver, series)
            kept = [
                f"{sizes[other]:,g} {VARIED[other].split(',')[0]}" if other != "within"
                else f"d_M {sizes[other]:g}"
                for other in VARIED if other != varied
            ]  # fmt: skip
            axes.set_title(", ".join(kept), fontsize=10)
            axes.set(xlabel=label, yscale="log")
            axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            if varied != "within":
                axes.set_xscale("log")
                axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
            axes.grid()
        all_[0].set_ylabel("CPU seconds")
        legend_below(figure, all_[0])


def _curve(axes: Axes, lines: list[dict[str, Any]], varied: str, solver: str, series: int) -> None:
    found = [
        line for line in lines
        if (line["varied"], line["solver"]) == (varied, solver) and line["seconds"]
    ]  # fmt: skip
    if not found:
        axes.plot([], [], label=SOLVERS[solver])
        return
    least = 1e-5  # of a clock that ticks more coarsely
    points = [Estimate(*np.maximum(line["seconds"], least)) for line in found]
    band(axes, [line["at"] for line in found], points, series, label=SOLVERS[solver])

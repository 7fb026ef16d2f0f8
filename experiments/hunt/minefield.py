"""A field with obstacles and buried objects: which path to take, and which objects to inspect.

Two hypotheses.  *Independent*: objects are mines independently; outcomes then do not change which
objects are worth inspecting.  *One mine*: exactly one object is a mine; each outcome is then
evidence about the others.  Indications are noisy, by object.

Routes are exact optima (`sim.hunt.paths.held_karp`).
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import shapely
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from omegaconf import DictConfig

from experiments import study
from experiments.hunt import drawing, fields
from experiments.hunt.fields import Field
from experiments.plotting import WIDTH, legend_below, picture
from experiments.tabular import Table, count, mean, words
from sim.hunt.measurements import Benefit, Independent, NaiveBayes, classifier, detector
from sim.hunt.paths import held_karp
from sim.hunt.reward import Weights

TITLE = "Which objects to look at: a filled star is measured"
PLOT = "minefield.png"

SCHEMA = {
    "route": pl.String,
    "value": pl.Float64,
    "benefit": pl.Float64,  # nats
    "measured": pl.String,  # target numbers
    "length": pl.Float64,
    "way": pl.String,  # cells, by their place in the graph
    "seconds": pl.Float64,  # CPU
}
ROWS = study.Rows(file="minefield.parquet", units="routes", schema=SCHEMA, more=())
"""One row per hypothesis."""

WORST = 0.8
"""Accuracy of the indication of the least reliable object."""


def job(settings: DictConfig, run: study.Run) -> None:
    """Find the routes, write the results and print them."""
    field = fields.load_field(settings.hunt, settings.seed)
    run.claim(ROWS)
    benefits = _benefits(len(field.workspace.targets), settings.hunt.accuracy, settings.seed)
    weights = Weights(*settings.hunt.weights.values())

    def measure(name: str) -> list[dict[str, Any]]:
        began = time.process_time()
        route = held_karp.best(field.graph, benefits[name], weights, field.start, field.goal)
        return [
            {
                "route": name,
                "value": route.value,
                "benefit": route.benefit,
                "measured": " ".join(map(str, route.measured)),
                "length": route.length,
                "way": " ".join(map(str, route.cells)),
                "seconds": time.process_time() - began,
            }
        ]

    rows = run.measure_each(list(benefits), measure)
    described = {"cells": len(field.graph), "routes": rows.to_dicts()}
    run.finish(described, [_table(rows, field)], [PLOT], partial(draw, rows, field))


def _benefits(objects: int, best: float, seed: int) -> dict[str, Benefit]:
    """Return the benefit of measurements by hypothesis.

    The accuracy of the objects' indications goes from `WORST`, or ``best``, to ``best``.
    """
    rng = np.random.default_rng([seed, 1])
    accuracy = rng.permutation(np.linspace(min(WORST, best), best, objects))
    one = np.full(objects, 1 / objects)
    return {
        "independent": Independent(np.full((objects, 2), 0.5), classifier(accuracy, 2)),
        "one mine": NaiveBayes(one, detector(objects, accuracy, 1 - accuracy)),
    }


def _table(rows: pl.DataFrame, field: Field) -> Table:
    columns = (
        words("route"),
        mean("value", 3),
        mean("nats", 3),
        count("measured"),
        mean("length, m", 2),
        mean("CPU s", 3),
    )
    measured = pl.col("measured").str.count_matches(r"\d+")
    lines = rows.select("route", "value", "benefit", measured, "length", "seconds").rows()
    observed = sum(bool(seen) for _, seen in field.graph.nodes("targets"))
    notes = (
        f"{len(field.graph)} cells, {field.graph.number_of_edges()} arcs, {observed} observation "
        f"cells, {len(field.workspace.targets)} objects",
        "independent: each object is a mine or not, whatever the others are; one mine: one of the "
        "objects is",
    )
    return Table("Routes through the field", columns, lines, notes)


def draw(rows: pl.DataFrame, field: Field, folder: Path) -> None:
    """Draw a map for each hypothesis."""
    columns = rows.height
    size = (WIDTH, 1.4 + 6.4 / columns)
    with picture(folder / PLOT, TITLE, size, columns=columns) as (figure, (all_,)):
        for axes, line in zip(all_, rows.to_dicts(), strict=True):
            _map(axes, line, field)
        marks = (
            Patch(facecolor=drawing.OBSTACLE, label="obstacle"),
            Patch(facecolor=drawing.BLOCKED, label="too close for the robot"),
            Patch(facecolor=drawing.SEEN_TWICE, label="sees several objects"),
        )
        legend_below(figure, all_[0], columns=3, more=marks)


def _map(axes: Axes, line: dict[str, Any], field: Field) -> None:
    workspace = field.workspace
    drawing.map_of(axes, workspace.bounds)
    drawing.shapes(axes, [workspace.bounds], facecolor=drawing.BLOCKED, edgecolor="none")
    drawing.cells(axes, field.graph)
    inside = [shape & workspace.bounds for shape in workspace.obstacles]
    drawing.shapes(axes, inside, facecolor=drawing.OBSTACLE, edgecolor="none")
    drawing.shapes(axes, [workspace.bounds.boundary])
    way = _numbers(line["way"])
    drawing.route(axes, field.graph, way, label="route")
    drawing.ends(axes, field.graph, way)
    places = shapely.get_coordinates(shapely.centroid(workspace.targets)).tolist()
    measured = _numbers(line["measured"])
    drawing.targets(axes, places, measured)
    axes.set(xlabel="metres", ylabel="metres")
    axes.set_title(
        f"{line['route']}: value {line['value']:.2f}, {line['benefit']:.2f} nats,\n"
        f"{line['length']:.1f} m, {len(measured)} of {len(places)} measured"
    )


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.split()]

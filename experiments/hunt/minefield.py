"""A field with obstacles and buried objects: which path to take, and which objects to inspect.

Two hypotheses.  *Independent*: objects are mines independently; outcomes then do not change which
objects are worth inspecting.  *One mine*: exactly one object is a mine; each outcome is then
evidence about the others, and a route can adapt (`experiments.hunt.search`, on a small field).
Indications are noisy, by object.

Routes are exact optima (`sim.hunt.paths.held_karp`).
"""

from __future__ import annotations

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
from experiments.hunt import drawing, fields, routes, search
from experiments.hunt.fields import Field
from experiments.plotting import legend_below, picture
from sim.hunt.benefit import Benefit
from sim.hunt.measurements import Independent, NaiveBayes, classifier
from sim.hunt.paths import held_karp
from sim.hunt.reward import Weights

TITLE = "Which objects to look at: a filled star is measured"
PLOTS = ("minefield.png", "search.png")

ROWS = study.Rows(
    file="minefield.parquet",
    units="routes and searches",
    schema={**routes.SCHEMA, **search.SCHEMA},
    more=(),
)
"""One row per route through the field, and one per search of the small one."""

PRIOR = 0.5
"""P(an object is a mine)."""


def job(settings: DictConfig, run: study.Run) -> None:
    """Find the routes, write the results and print them."""
    small = settings.hunt.small
    search.check(small)
    field = fields.load_field(settings.hunt, settings.seed)
    made, position = search.draw_small_field(settings.hunt, settings.seed)
    run.claim(ROWS)
    benefits = _benefits(settings, len(field.workspace.targets))
    known = search.solve(run, made, position, small)

    def measure(unit: str) -> list[dict[str, Any]]:
        if unit in benefits:
            return [_row(unit, field, benefits[unit], settings.hunt.weights)]
        return [search.play_unit(position, unit, settings.seed)]

    rows = run.measure_each([*benefits, *search.units(small)], measure)
    found, played = rows.drop_nulls("route"), rows.drop_nulls("planner")
    graph = field.graph
    notes = [
        f"{len(graph)} cells, {graph.number_of_edges()} arcs, "
        f"{sum(bool(seen) for _, seen in graph.nodes('targets'))} observation cells, "
        f"{len(field.workspace.targets)} objects",
        "independent: each object is a mine or not, whatever the others are; one mine: one of the "
        "objects is",
    ]
    title = search.title_of(small)
    tables = [
        routes.table(found, "Routes through the field", "m", notes),
        search.table(played, known, title),
    ]
    described = {
        "cells": len(graph),
        "routes": found.select(list(routes.SCHEMA)).to_dicts(),
        "exact": known,
        "planners": search.describe(played),
    }
    run.finish(described, tables, PLOTS, partial(draw, found, field, played, known, title))


def _benefits(settings: DictConfig, objects: int) -> dict[str, Benefit]:
    """Return the benefit of measurements by hypothesis."""
    accuracy = search.accuracies(objects, settings.hunt.accuracy, settings.seed)
    prior = np.tile([1 - PRIOR, PRIOR], (objects, 1))
    return {
        "independent": Independent(prior, classifier(accuracy, 2)),
        "one mine": NaiveBayes(*search.one_mine(accuracy)),
    }


def _row(name: str, field: Field, benefit: Benefit, weights: DictConfig) -> dict[str, Any]:
    given = Weights(*weights.values())
    hunted = field.graph, benefit, given, field.start, field.goal
    return routes.measure(name, field.graph, lambda: held_karp.best(*hunted))


def draw(
    rows: pl.DataFrame,
    field: Field,
    played: pl.DataFrame,
    known: dict[str, float],
    title: str,
    folder: Path,
) -> None:
    """Draw a map for each hypothesis, and the values of planners in the small field."""
    search.draw(played, known, title, PLOTS[1], folder)
    columns = rows.height
    size = (5.4 * columns, 6.7)
    with picture(folder / PLOTS[0], TITLE, size, columns=columns) as (figure, (all_,)):
        for axes, line in zip(all_, rows.to_dicts(), strict=True):
            _map(axes, line, field)
        marks = (
            Patch(facecolor=drawing.OBSTACLE, label="obstacle"),
            Patch(facecolor=drawing.BLOCKED, label="too close for the robot"),
            Patch(facecolor=drawing.SEEN_TWICE, label="sees several objects"),
        )
        legend_below(figure, all_[0], columns=6, more=marks)


def _map(axes: Axes, line: dict[str, Any], field: Field) -> None:
    workspace = field.workspace
    drawing.map_of(axes, workspace.bounds)
    drawing.shapes(axes, [workspace.bounds], facecolor=drawing.BLOCKED, edgecolor="none")
    drawing.cells(axes, field.graph)
    inside = [shape & workspace.bounds for shape in workspace.obstacles]
    drawing.shapes(axes, inside, facecolor=drawing.OBSTACLE, edgecolor="none")
    drawing.shapes(axes, [workspace.bounds.boundary])
    way = routes.numbers(line["way"])
    drawing.route(axes, field.graph, way, label="route")
    drawing.ends(axes, field.graph, way)
    places = {
        target: (float(middle.x), float(middle.y))
        for target, middle in enumerate(shapely.centroid(workspace.targets))
    }
    measured = routes.numbers(line["measured"])
    drawing.targets(axes, places, measured)
    axes.set(xlabel="metres", ylabel="metres")
    axes.set_title(
        f"{line['route']}: value {line['value']:.2f}, {line['benefit']:.2f} nats,\n"
        f"{line['length']:.1f} m, {len(measured)} of {len(places)} measured",
        fontsize=10,
    )

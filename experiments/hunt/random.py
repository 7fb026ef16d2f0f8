"""A random graph of thousands of cells with hundreds of targets: a good way, and how good it is.

Each target has a hypothesis of its own, as mines have, and a sensor of its own accuracy.  No exact
search has all sets of hundreds of targets; a way by greedy insertion comes with a bound on the
value of every way (`sim.hunt.paths.insertion`).
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
import shapely
from omegaconf import DictConfig

from experiments import study
from experiments.hunt import drawing, routes, search
from experiments.matches.background import Background
from experiments.plotting import REFERENCE, SERIES, legend_below, picture
from experiments.settings.commandline import Refusal
from sim.hunt.measurements import Independent, classifier
from sim.hunt.paths.insertion import insertion
from sim.hunt.paths.random_graphs import random_graph
from sim.hunt.reward import Weights

PLOT = "random.png"

PRIOR = 0.5
START, GOAL = 0, 1
"""Cells, at random places."""


def job(settings: DictConfig, run: study.Run) -> None:
    """Find ways for several weights, write the results and print them."""
    asked = settings.hunt
    if not asked.benefit or len(set(asked.benefit)) < len(asked.benefit):
        raise Refusal("hunt.benefit must list different weights, one or more")
    try:
        graph = random_graph(
            asked.cells, asked.arcs, asked.observation_cells, settings.seed, asked.targets
        )
    except ValueError as fault:
        raise Refusal(f"hunt.cells, hunt.arcs, hunt.targets: {fault}") from None
    accuracy = search.accuracies(asked.targets, asked.accuracy, settings.seed)
    benefit = Independent(np.tile([1 - PRIOR, PRIOR], (asked.targets, 1)), classifier(accuracy, 2))
    run.claim(routes.ROWS)
    run.compile(_warm)

    def measure(name: str) -> list[dict[str, Any]]:
        weights = Weights(float(name.removeprefix("w_B ")), asked.test, asked.distance)
        finding = Background(
            insertion, graph, benefit, weights, START, GOAL
        )  # Ctrl-C does not wait
        return [routes.measure(name, graph, finding.result)]

    rows = run.measure_each([f"w_B {weight:g}" for weight in sorted(asked.benefit)], measure)
    lines = rows.to_dicts()
    gaps = ", ".join(f"{line['route']}: {_gap(line):.1f} %" for line in lines)
    notes = [
        f"{asked.cells:,} cells, {asked.arcs:,} arcs, {asked.observation_cells:,} observation "
        f"cells, {asked.targets:,} targets; w_J {asked.test:g}, w_D {asked.distance:g}",
        f"the best way is worth at most so much more: {gaps}",
    ]
    table = routes.table(rows, "Ways through a random graph", "mean arcs", notes)
    run.finish({"routes": lines}, [table], [PLOT], partial(draw, rows, graph))


def _warm() -> None:
    """Compile what is timed."""
    graph = random_graph(20, 30, 6, 0)
    benefit = Independent(np.full((6, 2), 0.5), classifier(np.full(6, 0.9), 2))
    insertion(graph, benefit, Weights(), START, GOAL)


def _gap(line: dict[str, Any]) -> float:
    """Return in per cent of its value how much better than a way another can be."""
    return 100 * (line["bound"] - line["value"]) / max(abs(line["value"]), 1e-12)


def draw(rows: pl.DataFrame, graph: nx.Graph, folder: Path) -> None:
    """Draw the way of the largest weight, and values with bounds by weight."""
    lines = rows.to_dicts()
    last = lines[-1]
    measured = set(routes.numbers(last["measured"]))
    at = np.array([place for _, place in graph.nodes("at")])
    shown = [
        np.array([graph.nodes[cell]["at"] for cell, seen in graph.nodes("targets")
                  if seen and (seen[0] in measured) == chosen]).reshape(-1, 2)
        for chosen in (False, True)
    ]  # fmt: skip
    with picture(folder / PLOT, f"{len(graph):,} cells", (13, 6.8), columns=2, width_ratios=(1.2, 1)
                 ) as (figure, ((axes, values),)):  # fmt: skip
        drawing.map_of(axes, shapely.MultiPoint(at))
        drawing.arcs(axes, graph, linewidths=0.3)
        axes.plot(*shown[0].T, ".", color=SERIES[4], markersize=3.5, label="shows a target")
        axes.plot(*shown[1].T, ".", color=SERIES[1], markersize=4.5, label="target measured")
        way = routes.numbers(last["way"])
        drawing.route(axes, graph, way, label="way", linewidth=1.3)
        drawing.ends(axes, graph, way)
        axes.set(xticks=[], yticks=[])
        axes.set_title(
            f"{last['route']}: value {last['value']:.1f}, at most {last['bound']:.1f}; "
            f"{len(measured)} measured",
            fontsize=10,
        )
        _values(values, lines)
        legend_below(figure, axes, columns=5)


def _values(axes: Any, lines: list[dict[str, Any]]) -> None:
    """Draw values and bounds by weight."""
    at = [float(line["route"].removeprefix("w_B ")) for line in lines]
    low, high = [line["value"] for line in lines], [line["bound"] for line in lines]
    axes.fill_between(at, low, high, color=REFERENCE, alpha=0.25, linewidth=0)
    axes.plot(at, high, color=REFERENCE, linestyle="--", marker="v", label="upper bound")
    axes.plot(at, low, color=SERIES[0], marker="o", label="value of the way")
    axes.set(xlabel="w_B, of a nat", ylabel="value")
    axes.grid()
    axes.legend(loc="upper left")

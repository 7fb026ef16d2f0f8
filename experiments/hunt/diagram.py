"""The influence diagram of a hunt as a picture, and the cost of solving it.

The hunt is small: cells 0 to 3, of which 1 to 3 show one target each; staying costs nothing.
pyAgrum, if installed, solves the diagram; recursion over the relevant past solves the same hunt
(`sim.hunt.strategies.recursion`).
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
from matplotlib.patches import Patch
from omegaconf import DictConfig

from experiments import study
from experiments.hunt import routes
from experiments.plotting import SERIES, legend_below, picture
from experiments.settings.commandline import Refusal
from experiments.tabular import Table, count, mean, words
from sim.hunt.measurements import detector
from sim.hunt.reward import Weights
from sim.hunt.strategies import diagram
from sim.hunt.strategies.hunt import Hunt, hunt
from sim.hunt.strategies.recursion import closed_loop, open_loop

PLOT = "diagram.png"

ROWS = study.Rows(
    file="diagrams.parquet",
    units="diagrams",
    schema={
        "moves": pl.Int64,
        "nodes": pl.Int64,
        "entries": pl.Int64,  # of the largest table of y(t)
        "open": pl.Float64,
        "closed": pl.Float64,
        "closed_seconds": pl.Float64,  # CPU, after compiling
        "diagram": pl.Float64,  # null without pyAgrum, or if too large for it
        "diagram_seconds": pl.Float64,
    },
    more=(),
)
"""One row per number of moves."""

LENGTHS = ((0, 1, 1.0), (0, 2, 2.0), (0, 3, 3.0), (1, 2, 1.5))
"""Arcs of the hunt: two cells and a length."""

KINDS = {"chance": SERIES[4], "decision": SERIES[5], "utility": SERIES[2]}
"""Colour of a node by kind."""

SHAPES = {"chance": "o", "decision": "s", "utility": "D"}
"""The usual node shapes, as markers."""

SIZE = 1100
"""Area of a node, in points squared."""

KEY = {
    "decision": "a where to, u whether to measure",
    "chance": "x cell, z outcome, y hypothesis",
    "utility": "B benefit, J test, D distance",
}
"""Letters of nodes by kind, for the legend."""

_ORDER = ("a", "x", "u", "z", "y", "D", "J", "B")
"""Nodes of a time slice, from top to bottom."""


def job(settings: DictConfig, run: study.Run) -> None:
    """Build and solve the diagrams, write the results and print them."""
    asked = settings.hunt
    if len(asked.probability) != 4 or abs(sum(asked.probability) - 1) > 1e-9:
        raise Refusal("hunt.probability lists the probability of four values, of sum 1")
    made = {moves: _hunt(asked, moves) for moves in range(1, asked.moves + 1)}
    run.claim(ROWS)
    run.compile(lambda: _row(made[1]))  # loads pyAgrum and compiles the recursion
    rows = run.measure_each(list(made), lambda moves: [_row(made[moves])])
    described = {"diagrams": rows.to_dicts()}
    drawn = diagram.structure(diagram.diagram(made[min(asked.drawn, asked.moves)]))
    run.finish(described, [_table(rows)], [PLOT], partial(draw, drawn))


def _hunt(asked: DictConfig, moves: int) -> Hunt:
    """Return the hunt of the settings with this number of ``moves``."""
    graph = nx.Graph()
    for cell in range(4):
        graph.add_node(cell, targets=(cell - 1,) if cell else ())
    graph.add_weighted_edges_from(LENGTHS, weight="length")
    sees = detector(4, asked.accuracy, 1 - asked.accuracy)[:3]
    weights = Weights(*asked.weights.values())
    return hunt(graph, np.array(asked.probability), sees, weights, 0, moves)


def _row(made: Hunt) -> dict[str, Any]:
    closed, seconds = routes.time_call(lambda: closed_loop(made).value)
    found: dict[str, Any] = {
        "moves": made.moves,
        "entries": max(diagram.sizes(made).values()),
        "open": open_loop(made).value,
        "closed": closed,
        "closed_seconds": seconds,
    }
    try:
        nodes = diagram.diagram(made)
    except ValueError:  # too large
        return found
    found["nodes"] = len(nodes)
    with suppress(ImportError):  # it is optional
        found["diagram"], found["diagram_seconds"] = routes.time_call(lambda: diagram.solve(nodes))
    return found


def _table(rows: pl.DataFrame) -> Table:
    columns = (
        words("moves"),
        count("nodes"),
        count("entries of y(t)"),
        mean("open", 6),
        mean("closed, by recursion", 6),
        mean("the diagram, by pyAgrum", 6),
        mean("CPU ms, recursion", 2),
        mean("CPU ms, diagram", 1),
    )
    names = ("nodes", "entries", "open", "closed", "diagram")
    times = pl.col("closed_seconds", "diagram_seconds") * 1000
    lines = rows.select(pl.col("moves").cast(pl.String), *names, times).rows()
    notes = (
        "the table of y(t) has a factor for every slice before: the paper's claim of no problem of "
        "complexity does not hold",
        "an empty place: out of reach of the diagram, or pyAgrum is not installed",
    )
    return Table("The influence diagram of a small hunt", columns, lines, notes)


def draw(graph: nx.DiGraph, folder: Path) -> None:
    """Draw the diagram, one column per time slice."""
    at = _places(graph)
    width = 2.2 + 2.6 * (1 + max(graph.nodes[name]["slice"] for name in graph))
    title = "Influence diagram of a hunt"
    with picture(folder / PLOT, title, (width, 8.2)) as (figure, ((axes,),)):
        for kind, shape in SHAPES.items():
            names = [name for name, found in graph.nodes("kind") if found == kind]
            nx.draw_networkx_nodes(
                graph, at, names, SIZE, KINDS[kind], shape, ax=axes, edgecolors="#333333"
            )
        nx.draw_networkx_edges(
            graph, at, ax=axes, node_size=SIZE, edge_color="#777777", width=0.9, arrowsize=12,
            connectionstyle="arc3,rad=0.08",
        )  # fmt: skip
        nx.draw_networkx_labels(graph, at, font_size=9, ax=axes)
        x, y = np.array(list(at.values())).T
        axes.set(xlim=(x.min() - 0.8, x.max() + 0.8), ylim=(y.min() - 0.6, y.max() + 0.9))
        axes.set_axis_off()
        for number in sorted({node["slice"] for _, node in graph.nodes(data=True)}):
            axes.text(2.4 * number, y.max() + 0.6, f"t = {number}", ha="center", fontsize=11)
        marks = [Patch(facecolor=KINDS[kind], label=f"{kind}: {KEY[kind]}") for kind in KEY]
        legend_below(figure, axes, columns=1, more=marks)


def _places(graph: nx.DiGraph) -> dict[str, tuple[float, float]]:
    """Return the positions of nodes: slices from left to right, letters from top to bottom."""
    found = {}
    by_slice = sorted(graph, key=lambda name: graph.nodes[name]["slice"])
    for number, names in groupby(by_slice, key=lambda name: graph.nodes[name]["slice"]):
        for name in names:
            level = _ORDER.index(name[0])
            side = 0.35 if name[0] in "uzDB" else -0.35
            found[name] = (2.4 * number + side, -1.0 * level)
    return found

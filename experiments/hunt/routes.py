"""Best routes as rows of a run; the cells of a graph are numbers, in its order."""

from __future__ import annotations

import time
from typing import Any

import networkx as nx
import polars as pl

from sim.hunt.measurements import Benefit
from sim.hunt.paths import held_karp
from sim.hunt.reward import Weights

SCHEMA = {
    "route": pl.String,
    "value": pl.Float64,
    "benefit": pl.Float64,  # nats
    "measured": pl.String,  # target numbers
    "length": pl.Float64,
    "way": pl.String,  # cells
    "seconds": pl.Float64,  # CPU
}
"""One row per route."""


def measure(
    name: str, graph: nx.Graph, benefit: Benefit, weights: Weights, start: int, goal: int | None
) -> dict[str, Any]:
    """Return the row of the best route from ``start`` to ``goal``."""
    began = time.process_time()
    route = held_karp.best(graph, benefit, weights, start, goal)
    return {
        "route": name,
        "value": route.value,
        "benefit": route.benefit,
        "measured": " ".join(map(str, route.measured)),
        "length": route.length,
        "way": " ".join(map(str, route.cells)),
        "seconds": time.process_time() - began,
    }


def numbers(text: str) -> list[int]:
    """Return the numbers of a row's ``measured`` or ``way``."""
    return [int(part) for part in text.split()]


def sizes(graph: nx.Graph) -> str:
    """Return the numbers of cells, arcs and observation cells in words."""
    observed = sum(bool(seen) for _, seen in graph.nodes("targets"))
    arcs = graph.number_of_edges()
    return f"{len(graph)} cells, {arcs} arcs, {observed} observation cells"

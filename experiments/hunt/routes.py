"""Routes as rows of a run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import networkx as nx
import polars as pl

from sim.hunt.reward import Route

T = TypeVar("T")

SCHEMA = {
    "route": pl.String,
    "value": pl.Float64,
    "benefit": pl.Float64,  # nats
    "measured": pl.String,  # target numbers
    "length": pl.Float64,
    "way": pl.String,  # numbers of cells in the graph's order
    "seconds": pl.Float64,  # CPU
}
"""One row per route."""


def time_call(find: Callable[[], T]) -> tuple[T, float]:
    """Return the result of ``find`` and its CPU seconds."""
    began = time.process_time()
    found = find()
    return found, time.process_time() - began


def measure(name: str, graph: nx.Graph, find: Callable[[], Route]) -> dict[str, Any]:
    """Return the row of the route that ``find`` returns, with cells by number."""
    route, seconds = time_call(find)
    number = {cell: i for i, cell in enumerate(graph)}
    return {
        "route": name,
        "value": route.value,
        "benefit": route.benefit,
        "measured": " ".join(map(str, route.measured)),
        "length": route.length,
        "way": " ".join(str(number[cell]) for cell in route.cells),
        "seconds": seconds,
    }


def numbers(text: str) -> list[int]:
    """Return the numbers of a row's ``measured`` or ``way``."""
    return [int(part) for part in text.split()]


def sizes(graph: nx.Graph) -> str:
    """Return the numbers of cells, arcs and observation cells in words."""
    observed = sum(bool(seen) for _, seen in graph.nodes("targets"))
    arcs = graph.number_of_edges()
    return f"{len(graph)} cells, {arcs} arcs, {observed} observation cells"

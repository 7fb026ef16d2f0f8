"""Shortest distances between cells, and the ends of ways."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from sim.hunt.graph import Connectivity, compile_graph

ROUNDING = 1e-12
"""Of a length, relative: the shortest way itself must not be lost to rounding."""


class Distances(NamedTuple):
    """Shortest ways from some cells to all."""

    length: np.ndarray
    """float64 (sources, cells), infinite where there is no way."""
    before: np.ndarray
    """int32 (sources, cells): the cell before the last one; negative at the source."""


def distances(net: Connectivity, sources: np.ndarray) -> Distances:
    """Return the shortest ways from the cells of number ``sources`` to all cells [Dijkstra]."""
    return Distances(*dijkstra(matrix(net), indices=sources, return_predecessors=True))


def matrix(net: Connectivity) -> csr_array:
    """Return the lengths of arcs, (cells, cells)."""
    cells = len(net.first) - 1
    return csr_array((net.length, net.neighbour, net.first), shape=(cells, cells))


def trace_path(before: np.ndarray, end: int) -> list[int]:
    """Return the cells of the shortest way to ``end``, by one row of `Distances.before`."""
    way = [end]
    while before[way[-1]] >= 0:
        way.append(int(before[way[-1]]))
    return way[::-1]


class Ends(NamedTuple):
    """Start and goal of ways in a graph, and how long these may be."""

    net: Connectivity
    start: int
    goal: int | None
    out: np.ndarray
    """float64 (cells,): shortest length from the start."""
    home: np.ndarray
    """float64 (cells,): shortest length to the goal, 0 without one."""
    limit: float
    """Longest length of a way."""


def find_ends(
    graph: nx.Graph, start: Hashable, goal: Hashable | None, within: float | None
) -> Ends:
    """Return the ends of ways that are at most ``within`` (d_M) longer than the shortest.

    ValueError if start or goal are no cells, there is no way between them, or d_M is negative.
    """
    if within is not None and not within >= 0:
        raise ValueError(f"`within` is a length of 0 or more, not {within!r}")
    net = compile_graph(graph)
    first = _cell_number(graph, start, "start")
    last = None if goal is None else _cell_number(graph, goal, "goal")
    out, *back = distances(net, np.array([first] if last is None else [first, last])).length
    home = back[0] if back else np.zeros(len(graph))
    if home[first] == np.inf:
        raise ValueError(f"there is no way from {start!r} to {goal!r}")
    limit = np.inf if within is None else float((home[first] + within) * (1 + ROUNDING))
    return Ends(net, first, last, out, home, limit)


def _cell_number(graph: nx.Graph, cell: Hashable, name: str) -> int:
    """Return the number of a cell; ``name`` is what an error calls it."""
    for number, node in enumerate(graph):
        if node == cell:
            return number
    raise ValueError(f"the {name} {cell!r} is no cell of the graph")

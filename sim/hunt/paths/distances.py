"""Shortest distances between cells, and the ends of paths."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from sim.hunt.graph import Connectivity, compile_graph

ROUNDING = 1e-12
"""Relative tolerance of a length: rounding must not lose the shortest path."""


def distances(net: Connectivity, sources: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the shortest paths from the cells numbered ``sources`` to all cells [Dijkstra].

    Their lengths, float64 (sources, cells), infinite without a path; the last cells but one, int32
    (sources, cells), negative at the source.
    """
    return dijkstra(matrix(net), indices=sources, return_predecessors=True)


def matrix(net: Connectivity) -> csr_array:
    """Return the lengths of arcs, (cells, cells)."""
    cells = len(net.first) - 1
    return csr_array((net.length, net.neighbour, net.first), shape=(cells, cells))


def trace_path(before: np.ndarray, end: int) -> list[int]:
    """Return the cells of the shortest path to ``end``, from the last cells but one (cells,)."""
    way = [end]
    while before[way[-1]] >= 0:
        way.append(int(before[way[-1]]))
    return way[::-1]


class Ends(NamedTuple):
    """Start and goal of paths in a graph, and their maximum length."""

    net: Connectivity
    start: int
    goal: int | None
    out: np.ndarray
    """float64 (cells,): shortest length from the start."""
    home: np.ndarray
    """float64 (cells,): shortest length to the goal, 0 without one."""
    limit: float
    """Maximum length of a path."""


def find_ends(
    graph: nx.Graph, start: Hashable, goal: Hashable | None, within: float | None
) -> Ends:
    """Return the ends of paths that are at most ``within`` (d_M) longer than the shortest.

    ValueError if start or goal are no cells, no path joins them, or d_M is negative.
    """
    if within is not None and not within >= 0:
        raise ValueError(f"`within` is a length of 0 or more, not {within!r}")
    net = compile_graph(graph)
    first = _cell_number(graph, start, "start")
    last = None if goal is None else _cell_number(graph, goal, "goal")
    ends = np.array([first] if last is None else [first, last])
    out, *back = distances(net, ends)[0]
    home = back[0] if back else np.zeros(len(graph))
    if home[first] == np.inf:
        raise ValueError(f"there is no path from {start!r} to {goal!r}")
    limit = np.inf if within is None else float((home[first] + within) * (1 + ROUNDING))
    return Ends(net, first, last, out, home, limit)


def _cell_number(graph: nx.Graph, cell: Hashable, name: str) -> int:
    """Return the number of a cell; errors call it ``name``."""
    for number, node in enumerate(graph):
        if node == cell:
            return number
    raise ValueError(f"the {name} {cell!r} is no cell of the graph")

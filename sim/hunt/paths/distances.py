"""Shortest distances between cells, the ends of ways, and the stops of a tour: cells that see."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise
from typing import NamedTuple

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from sim.hunt.graph import Connectivity, compile_graph, unpack

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
    cells = len(net.first) - 1
    arcs = csr_array((net.length, net.neighbour, net.first), shape=(cells, cells))
    return Distances(*dijkstra(arcs, indices=sources, return_predecessors=True))


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


class Stops:
    """Observation cells that a way within the limit can pass, numbered from 0.

    ValueError as `find_ends`.

    Attributes
    ----------
    between : float64 (stops, stops)
    from_start, home : float64 (stops,); `home` is 0 without a goal
    shows : bool (stops, targets)
    straight : the shortest length from start to goal; 0 without a goal
    limit : the longest length of a way
    detour, need : float64 (targets,), what each takes of a way (`sim.hunt.paths.bounds`); infinite
        for a target that cannot be seen
    """

    def __init__(
        self, graph: nx.Graph, start: Hashable, goal: Hashable | None, within: float | None
    ) -> None:
        net, self._first, self._last, out, home, self.limit = find_ends(graph, start, goal, within)
        self._nodes, self._net, self.targets = list(graph), net, net.targets
        self.straight = float(home[self._first])
        seen = (net.seen != 0).any(axis=1) & (out < np.inf) & (out + home <= self.limit)
        self._cells = np.flatnonzero(seen)
        self.from_start, self.home = out[self._cells], home[self._cells]
        self.between = distances(net, self._cells).length[:, self._cells].copy()
        self.shows = unpack(net.seen[self._cells], self.targets)
        self.detour = self._nearest(self.from_start + self.home)
        self.need = self._needs()

    def _nearest(self, of_stops: np.ndarray) -> np.ndarray:
        """Return the smallest of ``of_stops`` (..., stops) by target shown, (..., targets)."""
        found = np.full((*of_stops.shape[:-1], self.targets), np.inf)
        for target in range(self.targets):
            found[..., target] = of_stops[..., self.shows[:, target]].min(axis=-1, initial=np.inf)
        return found

    def _needs(self) -> np.ndarray:
        """Return the length that each target needs at least for itself."""
        apart = self._nearest(self._nearest(self.between).T).copy()
        np.fill_diagonal(apart, np.inf)
        apart = np.column_stack([apart, self._nearest(self.from_start)])
        if self._last is None:
            return apart.min(axis=1)
        two = np.partition(np.column_stack([apart, self._nearest(self.home)]), 1, axis=1)
        return two[:, :2].sum(axis=1) / 2

    def with_ends(self) -> np.ndarray:
        """Return the lengths between stops, start and goal, float64 (stops + 2, stops + 2).

        From row to column; start and goal are the last two rows, in this order.
        """
        stops = len(self.home)
        far = np.zeros((stops + 2, stops + 2))
        far[:stops, :stops], far[stops, :stops] = self.between, self.from_start
        far[:stops, -1], far[stops, -1] = self.home, self.straight
        return far

    def length(self, order: list[int]) -> float:
        """Return the length of the way over the stops ``order``."""
        if not order:
            return self.straight
        legs = sum(float(self.between[one, other]) for one, other in pairwise(order))
        return float(self.from_start[order[0]]) + legs + float(self.home[order[-1]])

    def trace_path(self, order: list[int]) -> tuple[Hashable, ...]:
        """Return the cells of the graph on the way over the stops ``order``."""
        stops = [self._first, *self._cells[order].tolist()]
        if self._last is not None:
            stops.append(self._last)
        before = distances(self._net, np.array(stops)).before
        cells = [self._first]
        for row, cell in enumerate(stops[1:]):
            cells += trace_path(before[row], cell)[1:]
        return tuple(self._nodes[cell] for cell in cells)

"""All simple paths between two cells: the exhaustive search of [Ferrari & Cai 2009, Table II].

It is the paper's method of comparison.  `sim.hunt.paths.labels` needs none of these paths, and may
turn back.
"""

from __future__ import annotations

from collections.abc import Hashable

import networkx as nx
import numpy as np

from mcts.kernel.compile import jit
from sim.hunt.graph import Connectivity
from sim.hunt.paths.distances import find_ends

MOST_BRANCHES = 5_000_000
"""Paths that are written down."""


class Branches:
    """The branches of a tree from start to goal, as `sim.hunt.paths.labels.Routes`.

    Attributes
    ----------
    masks : uint64 (k, words), targets that can be measured on each
    lengths : float64 (k,)
    targets : how many the graph has
    """

    def __init__(
        self,
        graph: nx.Graph,
        net: Connectivity,
        ends: np.ndarray,
        written: np.ndarray,
        lengths: np.ndarray,
    ) -> None:
        self._nodes, self._ends, self._written = list(graph), ends, written
        self.targets, self.lengths = net.targets, lengths
        begins = np.append(0, ends[:-1]) if len(ends) else ends
        self.masks = np.bitwise_or.reduceat(net.seen[written], begins, axis=0)

    def __len__(self) -> int:
        return len(self._ends)

    def cells(self, way: int) -> tuple[Hashable, ...]:
        """Return the cells of a branch, from start to goal."""
        begin = self._ends[way - 1] if way else 0
        return tuple(self._nodes[cell] for cell in self._written[begin : self._ends[way]])


def exhaustive(
    graph: nx.Graph, start: Hashable, goal: Hashable, within: float | None = None
) -> Branches:
    """Return all simple paths from start to goal, at most ``within`` longer than the shortest.

    No cell is passed twice, so a target at the end of a dead end is never measured; the tree of
    [Ferrari & Cai 2009, Table II, exhaustive search] has 34,835 branches of at most 19 cells.

    ValueError as `find_ends`, or if there are more than `MOST_BRANCHES`.
    """
    net, first, last, _, home, limit = find_ends(graph, start, goal, within)
    number, cells = _simple_paths(net, first, last, home, limit, *_room(net, 0, 0))
    if number < 0:
        raise ValueError(
            f"more than {MOST_BRANCHES} simple paths from {start!r} to {goal!r}: make `within` "
            "smaller, or use sim.hunt.paths.labels, which needs none of them"
        )
    room = _room(net, number, cells)
    _simple_paths(net, first, last, home, limit, *room)
    return Branches(graph, net, *room[-3:])


def _room(net: Connectivity, number: int, cells: int) -> tuple[np.ndarray, ...]:
    """Return memory for `_simple_paths`."""
    size = len(net.first) - 1
    return (
        np.zeros(size, np.bool_),
        np.empty(size + 1, np.int64),
        np.empty(size + 1, np.int64),
        np.empty(size + 1),
        np.empty(number, np.int64),
        np.empty(cells, np.int64),
        np.zeros(number),
    )


@jit
def _simple_paths(
    net: Connectivity,
    start: int,
    goal: int,
    home: np.ndarray,
    limit: float,
    passed: np.ndarray,
    path: np.ndarray,
    arc: np.ndarray,
    far: np.ndarray,
    ends: np.ndarray,
    written: np.ndarray,
    lengths: np.ndarray,
) -> tuple[int, int]:
    """Walk through all simple paths, depth first.

    Returns how many paths there are, and of how many cells together; -1 if more than
    `MOST_BRANCHES`.

    Parameters
    ----------
    home : float64 (cells,): distance to the goal; a path is cut where it cannot meet ``limit``
    passed, path, arc, far : scratch, by cell and by depth
    ends : int64 (paths,): where each one ends in ``written``; if empty, they are only counted
    written : int64 (cells of all paths,)
    lengths : float64 (paths,), zeros at first
    """
    paths, cells, depth = 0, 0, 0
    path[0], arc[0], far[0], passed[start] = start, net.first[start], 0.0, True
    if start == goal:
        arc[0] = net.first[start + 1]
        paths, cells = 1, 1
        if len(ends):
            written[0], ends[0] = start, 1
    while depth >= 0:
        here = path[depth]
        if arc[depth] == net.first[here + 1]:
            passed[here] = False
            depth -= 1
            continue
        there = net.neighbour[arc[depth]]
        length = far[depth] + net.length[arc[depth]]
        arc[depth] += 1
        if passed[there] or length + home[there] > limit:
            continue
        depth += 1
        path[depth], far[depth] = there, length
        if there != goal:
            passed[there], arc[depth] = True, net.first[there]
            continue
        if paths == MOST_BRANCHES:
            return -1, cells
        if len(ends):
            for place in range(depth + 1):
                written[cells + place] = path[place]
            ends[paths], lengths[paths] = cells + depth + 1, length
        paths += 1
        cells += depth + 1
        depth -= 1
    return paths, cells

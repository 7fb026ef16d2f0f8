"""All simple paths between two cells: the exhaustive search of [Ferrari & Cai 2009, Table II].

It is the paper's baseline.  `sim.hunt.paths.labels` needs none of these paths, and may revisit
cells.
"""

from __future__ import annotations

from collections.abc import Hashable

import networkx as nx
import numpy as np

from mcts.kernel.compile import jit_owning
from sim.hunt.graph import Connectivity
from sim.hunt.paths.distances import find_ends

MOST_BRANCHES = 5_000_000
"""Maximum number of stored paths."""


class Branches:
    """The branches of a tree from start to goal, as `sim.hunt.paths.labels.Routes`.

    Attributes
    masks : uint64 (k, words), targets measurable on each
    lengths : float64 (k,)
    targets : number of targets in the graph
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

    No cell is visited twice, so a target in a dead end is never measured; the tree of [Ferrari &
    Cai 2009, Table II, exhaustive search] has 34,835 branches of at most 19 cells.

    ValueError as `find_ends`, or for more than `MOST_BRANCHES`.
    """
    net, first, last, _, home, limit = find_ends(graph, start, goal, within)
    written, stops, lengths, number = _simple_paths(net, first, last, home, limit, MOST_BRANCHES)
    if number < 0:
        raise ValueError(
            f"more than {MOST_BRANCHES} simple paths from {start!r} to {goal!r}: make `within` "
            "smaller, or use sim.hunt.paths.labels, which needs none of them"
        )
    return Branches(graph, net, stops[:number], written, lengths[:number])


@jit_owning
def _simple_paths(
    net: Connectivity, start: int, goal: int, home: np.ndarray, limit: float, max_paths: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Enumerate all simple paths, depth first.

    Returns the cells of all paths, the end of each path among them, their lengths, and their
    number, -1 if more than ``max_paths``.  ``home``: float64 (cells,), distance to the goal; a path
    is cut if it cannot meet ``limit``.
    """
    passed = np.zeros(len(home), np.bool_)
    path, arc = np.zeros(len(home) + 1, np.int64), np.zeros(len(home) + 1, np.int64)
    far = np.zeros(len(home) + 1)
    written, ends, lengths = np.empty(1024, np.int64), np.empty(64, np.int64), np.empty(64)
    paths, cells, depth = 0, 0, 0
    path[0], arc[0], passed[start] = start, net.first[start], True
    found = start == goal
    while depth >= 0:
        here = path[depth]
        if found:
            if paths == max_paths:
                return written, ends, lengths, -1
            if paths == len(ends):
                ends, lengths = np.concatenate((ends, ends)), np.concatenate((lengths, lengths))
            if cells + depth + 1 > len(written):
                written = np.concatenate((written, path[: depth + 1], written))
            for place in range(depth + 1):
                written[cells + place] = path[place]
            cells += depth + 1
            ends[paths], lengths[paths] = cells, far[depth]
            paths += 1
        if found or arc[depth] == net.first[here + 1]:
            passed[here], found = False, False
            depth -= 1
            continue
        there = net.neighbour[arc[depth]]
        length = far[depth] + net.length[arc[depth]]
        arc[depth] += 1
        if passed[there] or length + home[there] > limit:
            continue
        depth += 1
        path[depth], arc[depth], far[depth], passed[there] = there, net.first[there], length, True
        found = there == goal
    return written[:cells], ends, lengths, paths

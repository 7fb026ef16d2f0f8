"""Every set of targets measurable within d_M of the shortest path, and its shortest path.

This is the promise of the pruned tree of [Ferrari & Cai 2009, s. VI-A]: of all paths between two
cells that see the same targets the shortest, and so the optimum for distance-only costs.  The
printed algorithm breaks that promise; labels keep it.

A *label* is a path from the start: its last cell, its length, and all targets measurable on it.  It
is dropped if another label at the cell is no longer and has seen the same targets or more:
measurements are optional, so every continuation of the one is open to the other, with more to
choose from.  Labels are taken from a heap by length [Dijkstra], so one that is taken and not
dropped is final [Martins 1984, with sets in place of a second length].

d_M bounds the path: its length is at most that of the shortest one plus d_M.  Without a goal a path
may end anywhere, and d_M bounds its length.
"""

from __future__ import annotations

from collections.abc import Hashable
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from mcts.kernel.compile import jit, jit_owning
from sim.hunt.measurements import Benefit
from sim.hunt.paths.distances import Ends, find_ends, matrix
from sim.hunt.paths.objective import Objective
from sim.hunt.reward import Route, Weights

MOST_LABELS = 5_000_000
"""Maximum labels of a search; some 100 bytes each for 270 targets."""

NONE = -1
"""The parent of the first label, and the predecessor of the first of its kind."""

FIRST_MEMORY = 1 << 12
"""Initial capacity for labels; doubled when full."""


class Network(NamedTuple):
    """The relevant cells, start, goal and observation cells, and the arcs between them.

    An arc is a shortest path through void cells only.  Without a goal there is one more cell, to
    which every other has an arc of length 0.
    """

    first: np.ndarray
    """int64 (cells + 1,): as `sim.hunt.graph.Connectivity`."""
    neighbour: np.ndarray
    """int64 (arcs,)."""
    length: np.ndarray
    """float64 (arcs,)."""
    seen: np.ndarray
    """uint64 (cells, words)."""
    home: np.ndarray
    """float64 (cells,): the shortest length to the goal."""
    start: int
    goal: int
    inside: np.ndarray
    """int64: the cells of the graph on some path within the limit."""
    kept: np.ndarray
    """int64 (cells,): cells of the network, by index in ``inside``."""
    before: np.ndarray
    """int32 (cells, places): the previous place on the path there; negative for none, and for
    those next to a cell of the network, `len` (inside) or more."""

    def trace_path(self, cells: list[int]) -> list[int]:
        """Return all cells of the graph on the path over ``cells`` of the network."""
        way = [int(self.kept[cells[0]])]
        for one, other in pairwise(cells):
            if other == len(self.kept):  # the end of paths without a goal
                break
            leg = [int(self.kept[other])]
            while (place := self.before[one, leg[-1]]) < len(self.inside):
                leg.append(int(place))
            way += leg[::-1]
        return self.inside[way].tolist()


def contract(ends: Ends) -> Network:
    """Return the relevant cells for paths between ``ends``."""
    net, start, goal, out, home, limit = ends
    inside = np.flatnonzero((out < np.inf) & (out + home <= limit))
    arcs = matrix(net)[inside][:, inside].tocoo()
    matters = (net.seen != 0).any(axis=1)
    matters[[start] if goal is None else [start, goal]] = True
    kept = np.flatnonzero(matters[inside])
    places, number = len(inside), len(kept)
    # Paths leave a relevant cell from a copy of it: none passes through the cell itself.
    copy = np.arange(places)
    copy[kept] = places + np.arange(number)
    size = places + number
    leaving = csr_array((arcs.data, (copy[arcs.row], arcs.col)), shape=(size, size))
    length, before = dijkstra(leaving, indices=copy[kept], return_predecessors=True)
    between = length[:, kept].copy()
    np.fill_diagonal(between, np.inf)
    seen, home = net.seen[inside[kept]], home[inside[kept]]
    if goal is None:
        between = np.pad(between, ((0, 1), (0, 1)), constant_values=np.inf)
        between[:-1, -1] = 0.0
        seen, home = np.pad(seen, ((0, 1), (0, 0))), np.append(home, 0.0)
    row, neighbour = np.nonzero(between < np.inf)
    first = np.searchsorted(row, np.arange(len(between) + 1))
    numbers = {cell: i for i, cell in enumerate(inside[kept].tolist())}
    ends_at = numbers[start], number if goal is None else numbers[goal]
    lengths = between[row, neighbour]
    return Network(first, neighbour, lengths, seen, home, *ends_at, inside, kept, before)


class Labels(NamedTuple):
    """Labels in order of creation."""

    length: np.ndarray
    """float64 (labels,)."""
    cell: np.ndarray
    """int32 (labels,)."""
    parent: np.ndarray
    """int32 (labels,): the parent label."""
    older: np.ndarray
    """int32 (labels,): the previous one of the same cell and number of targets."""
    seen: np.ndarray
    """uint64 (labels, words)."""
    stays: np.ndarray
    """bool (labels,): it was taken from the heap and not dropped."""


@jit_owning
def search_labels(
    net: Network, limit: float, targets: int, every: bool, max_labels: int
) -> tuple[Labels, int]:
    """Return the labels of all paths of at most the length ``limit``, and their number.

    Parameters
    ----------
    limit : maximum length of a path including the remaining distance to the goal
    every : keep every set of targets, not only those that no larger one dominates
    max_labels : maximum number of labels; the number returned is -1 if they do not suffice
    """
    labels = Labels(
        np.zeros(FIRST_MEMORY),
        np.full(FIRST_MEMORY, net.start, np.int32),
        np.full(FIRST_MEMORY, NONE, np.int32),
        np.full(FIRST_MEMORY, NONE, np.int32),
        np.zeros((FIRST_MEMORY, net.seen.shape[1]), np.uint64),
        np.zeros(FIRST_MEMORY, np.bool_),
    )
    newest = np.full((len(net.home), targets + 1), NONE, np.int32)
    largest = np.zeros(len(net.home), np.int64)
    labels.seen[0] = net.seen[net.start]
    size = _members(labels.seen[0])
    newest[net.start, size], largest[net.start] = 0, size
    heap, made = [(0.0, 0)], 1
    while heap:
        far, label = heappop(heap)
        here = labels.cell[label]
        seen = labels.seen[label]  # a label from the heap is compared with newer ones only
        if _is_dominated(labels, newest[here], largest[here], far, seen, label, every):
            continue
        labels.stays[label] = True
        for arc in range(net.first[here], net.first[here + 1]):
            there = net.neighbour[arc]
            length = far + net.length[arc]
            if length + net.home[there] > limit:
                continue
            if made == len(labels.length):
                labels = Labels(
                    np.concatenate((labels.length, labels.length)),
                    np.concatenate((labels.cell, labels.cell)),
                    np.concatenate((labels.parent, labels.parent)),
                    np.concatenate((labels.older, labels.older)),
                    np.concatenate((labels.seen, labels.seen)),
                    np.concatenate((labels.stays, np.zeros(made, np.bool_))),
                )
            seen = labels.seen[made]
            for word in range(len(seen)):
                seen[word] = labels.seen[label, word] | net.seen[there, word]
            if _is_dominated(labels, newest[there], largest[there], length, seen, NONE, every):
                continue
            if made == max_labels:
                return labels, -1
            size = _members(seen)
            labels.length[made], labels.cell[made], labels.parent[made] = length, there, label
            labels.older[made] = newest[there, size]
            newest[there, size] = made
            largest[there] = max(largest[there], size)
            heappush(heap, (length, made))
            made += 1
    return labels, made


@jit
def _is_dominated(
    labels: Labels,
    newest: np.ndarray,
    largest: int,
    length: float,
    seen: np.ndarray,
    since: int,
    every: bool,
) -> bool:
    """Return whether a label made after ``since`` is no longer and has seen as much or more.

    ``newest`` int32 (targets + 1,) are the newest labels of the cell by number of targets seen.
    """
    least = _members(seen)
    for size in range(least, least + 1 if every else largest + 1):
        label = newest[size]
        while label > since:
            word = 0
            while word < len(seen) and seen[word] & ~labels.seen[label, word] == 0:
                word += 1
            if word == len(seen) and labels.length[label] <= length:
                return True
            label = labels.older[label]
    return False


@jit
def _members(seen: np.ndarray) -> int:
    """Return the number of members of a set."""
    number = 0
    for word in range(len(seen)):
        bits = seen[word]
        while bits:
            bits &= bits - np.uint64(1)
            number += 1
    return number


class Routes:
    """Shortest paths by measurable set of targets.

    Attributes
    ----------
    masks : uint64 (k, words), targets measurable on each path
    lengths : float64 (k,)
    targets : number of targets in the graph
    made : number of labels made by the search
    """

    def __init__(
        self, graph: nx.Graph, targets: int, net: Network, labels: Labels, made: int
    ) -> None:
        self._nodes, self._net, self._labels = list(graph), net, labels
        self.targets, self.made = targets, made
        ended = np.flatnonzero(labels.stays[:made] & (labels.cell[:made] == net.goal))
        self._ended = ended[np.argsort(labels.length[ended], kind="stable")]
        self.masks, self.lengths = labels.seen[self._ended], labels.length[self._ended]

    def __len__(self) -> int:
        return len(self.lengths)

    def cells(self, way: int) -> tuple[Hashable, ...]:
        """Return the cells of a path, from start to end."""
        label, stops = int(self._ended[way]), []
        while label != NONE:
            stops.append(int(self._labels.cell[label]))
            label = int(self._labels.parent[label])
        return tuple(self._nodes[cell] for cell in self._net.trace_path(stops[::-1]))


def routes(
    graph: nx.Graph,
    start: Hashable,
    goal: Hashable | None = None,
    within: float | None = None,
    every: bool = False,
    max_labels: int = MOST_LABELS,
) -> Routes:
    """Return the shortest path of each set of targets measurable from start to goal.

    ValueError if start or goal are no cells, no path joins them, d_M is negative, or there are too
    many labels.

    Parameters
    ----------
    goal : last cell of paths; any if None
    within : d_M, in units of length; no bound if None
    every : keep a set even if a path that is no longer sees a superset
    max_labels : maximum number of labels
    """
    ends = find_ends(graph, start, goal, within)
    net = contract(ends)
    targets = ends.net.targets
    labels, made = search_labels(net, ends.limit, targets, every, max_labels)
    if made < 0:
        raise ValueError(
            f"more than {max_labels} paths to keep among {targets} targets: make `within` smaller"
        )
    return Routes(graph, targets, net, labels, made)


def best(ways: Routes, benefit: Benefit, weights: Weights, cost: np.ndarray | None = None) -> Route:
    """Return the best of ``ways``, with the targets worth measuring on it.

    ValueError as `sim.hunt.paths.objective.Objective` does.  ``cost``: J of each target's test,
    float64 (targets,); 1 each if None.
    """
    choice = Objective(benefit, weights, ways.targets, cost).best_declining(
        ways.masks, ways.lengths
    )
    return Route(ways.cells(choice.row), float(ways.lengths[choice.row]), *choice[1:])

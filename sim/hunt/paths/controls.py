"""What labels are compared with: all simple paths, and the pruning that was printed.

Both are here to be measured, not to be used.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import chain, pairwise

import networkx as nx
import numpy as np

from mcts.kernel.compile import jit
from sim.hunt.graph import Connectivity, compiled
from sim.hunt.paths.closure import distances
from sim.hunt.paths.contraction import ROUNDING
from sim.hunt.paths.worth import cell_number

MOST_BRANCHES = 5_000_000
"""Paths that are written down."""

MOST_STEPS = 1_000_000
"""Branches that the printed algorithm may lengthen."""


class Branches:
    """The branches of a tree from start to goal, as `sim.hunt.paths.labels.Routes`.

    Attributes
    ----------
    masks : uint64 (k, words), targets that can be measured on each
    lengths : float64 (k,)
    targets : how many the graph has
    """

    def __init__(
        self, graph: nx.Graph, net: Connectivity, ends: np.ndarray, written: np.ndarray
    ) -> None:
        self._nodes, self._ends, self._written = list(graph), ends, written
        self.targets = net.targets
        self.masks = np.zeros((len(ends), net.seen.shape[1]), np.uint64)
        self.lengths = np.zeros(len(ends))
        _describe(net, ends, written, self.masks, self.lengths)

    def __len__(self) -> int:
        return len(self._ends)

    def cells(self, way: int) -> tuple[Hashable, ...]:
        """Return the cells of a branch, from start to goal."""
        begin = self._ends[way - 1] if way else 0
        return tuple(self._nodes[cell] for cell in self._written[begin : self._ends[way]])


@jit
def _describe(
    net: Connectivity,
    ends: np.ndarray,
    written: np.ndarray,
    masks: np.ndarray,
    lengths: np.ndarray,
) -> None:
    """Fill in what is seen on each path of ``written``, and how long it is."""
    place = 0
    for path in range(len(ends)):
        before = -1
        while place < ends[path]:
            cell = written[place]
            for word in range(masks.shape[1]):
                masks[path, word] |= net.seen[cell, word]
            if before >= 0:
                arc = net.first[before]
                while net.neighbour[arc] != cell:
                    arc += 1
                lengths[path] += net.length[arc]
            before = cell
            place += 1


def exhaustive(
    graph: nx.Graph, start: Hashable, goal: Hashable, within: float | None = None
) -> Branches:
    """Return all simple paths from start to goal, at most ``within`` longer than the shortest.

    No cell is passed twice, so a target at the end of a dead end is never measured; the tree of
    [Ferrari & Cai 2009, Table II, exhaustive search] has 34,835 branches of at most 19 cells.

    Raises
    ------
    ValueError
        If start or goal are no cells, there is no way, or there are more than `MOST_BRANCHES`.
    """
    net, first, last, home = _ends(graph, start, goal)
    limit = np.inf if within is None else (home[first] + within) * (1 + ROUNDING)
    number, cells = _simple_paths(net, first, last, home, limit, *_room(net, 0, 0))
    if number < 0:
        raise ValueError(
            f"more than {MOST_BRANCHES} simple paths from {start!r} to {goal!r}: make `within` "
            "smaller, or use sim.hunt.paths.labels, which needs none of them"
        )
    room = _room(net, number, cells)
    _simple_paths(net, first, last, home, limit, *room)
    return Branches(graph, net, *room[-2:])


def _ends(
    graph: nx.Graph, start: Hashable, goal: Hashable
) -> tuple[Connectivity, int, int, np.ndarray]:
    """Return the graph for kernels, both cells by number, and distances to the goal."""
    net = compiled(graph)
    first, last = cell_number(graph, start, "start"), cell_number(graph, goal, "goal")
    home = distances(net, np.array([last])).length[0]
    if home[first] == np.inf:
        raise ValueError(f"there is no way from {start!r} to {goal!r}")
    return net, first, last, home


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
) -> tuple[int, int]:
    """Walk through all simple paths, depth first.

    Parameters
    ----------
    home : float64 (cells,): distance to the goal; a path is cut where it cannot meet ``limit``
    passed, path, arc, far : scratch, by cell and by depth
    ends : int64 (paths,): where each one ends in ``written``; if empty, they are only counted
    written : int64 (cells of all paths,)

    Returns
    -------
    How many paths there are, and of how many cells together; -1 if more than `MOST_BRANCHES`.
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
            ends[paths] = cells + depth + 1
        paths += 1
        cells += depth + 1
        depth -= 1
    return paths, cells


def printed(
    graph: nx.Graph, start: Hashable, goal: Hashable, within: float | None = None
) -> Branches:
    """Return the branches of the pruned tree [Ferrari & Cai 2009, App. III].

    As printed, it neither ends nor keeps more than one branch to a void goal.  Mended are these
    alone: the goal is exempt from pruning, the distance of a branch is its own, and the start
    counts as visited.  What is wrong all the same:

    1. A void cell that is reached again by a longer way is dropped whatever was observed meanwhile.
    2. A branch may not turn back, so targets in dead ends are lost (Table III turns back).
    3. A void goal would keep one branch at most, were it not exempt.
    4. ``distance_new`` is printed with the best known way to n, not this branch's; it then compares
       lengths that no branch has.
    5. Branches are equivalent by their *cells*: two cells that show one target count twice.

    Also, d_M is measured from the end of the shortest branch without an observation, so what is
    within it changes as the tree grows, and without such a branch there is no bound.

    Raises
    ------
    ValueError
        If start or goal are no cells, there is no way, or the tree does not end within
        `MOST_STEPS` steps.
    """
    net, first, last, _ = _ends(graph, start, goal)
    tree = _Tree(net, first, last, np.inf if within is None else within)
    for _ in range(MOST_STEPS):
        row = tree.shortest_open()
        if row is None:
            ends = np.cumsum([len(branch) for branch in tree.rows], dtype=np.int64)
            return Branches(graph, net, ends, np.array([*chain(*tree.rows)], np.int64))
        tree.lengthen(row)
    raise ValueError(f"the printed pruning does not end within {MOST_STEPS} steps here")


class _Tree:
    """TREE of App. III: rows are branches, tuples of cells; names are the paper's."""

    def __init__(self, net: Connectivity, start: int, goal: int, within: float) -> None:
        self.net, self.goal, self.within = net, goal, within
        self.observed = (net.seen != 0).any(axis=1).tolist()
        self.arcs = [
            dict(zip(net.neighbour[a:b].tolist(), net.length[a:b].tolist(), strict=True))
            for a, b in zip(net.first[:-1], net.first[1:], strict=True)
        ]
        self.between = distances(net, np.arange(len(self.arcs))).length if within < np.inf else None
        self.rows: dict[tuple[int, ...], float] = {(start,): 0.0}
        """Branches, in the order in which they grew, and DIST_tot at their ends."""
        self.short = {start: 0.0}
        """VISITED and DIST_short."""
        self.observations = {(start,): self.get_observ((start,))}
        """OBSERV."""

    def shortest_open(self) -> tuple[int, ...] | None:
        """Return the first of the rows with the fewest cells that do not end in the goal."""
        return min((row for row in self.rows if row[-1] != self.goal), key=len, default=None)

    def adjacent(self, row: tuple[int, ...]) -> list[int]:
        """Return ADJACENT(n, n_root, n_s): no turning back, and within d_M of n_s."""
        root = row[-2] if len(row) > 1 else None
        cells = [cell for cell in self.arcs[row[-1]] if cell != root]
        free = [other for other in self.rows if not self.observations[other]]
        if self.between is None or not free:
            return cells
        nearest = min(free, key=self.rows.get)[-1]
        return [cell for cell in cells if self.between[nearest, cell] <= self.within]

    def get_observ(self, row: tuple[int, ...]) -> frozenset[int]:
        """Return GETOBSERV(branch): its observation cells."""
        return frozenset(cell for cell in row if self.observed[cell])

    def prune(self, leaf: int) -> None:
        """PRUNE(TREE, n): cut all branches that end in ``leaf``."""
        for row in [row for row in self.rows if row[-1] == leaf]:
            del self.rows[row], self.observations[row]

    def lengthen(self, row: tuple[int, ...]) -> None:
        """Grow a branch by what is adjacent to its end, or cut it."""
        length = self.rows[row]
        children = []
        for cell in self.adjacent(row):
            new = length + self.arcs[row[-1]][cell]
            if self.keeps((*row, cell), new):
                children.append(((*row, cell), new))
                self.short[cell] = min(new, self.short.get(cell, np.inf))
        self.rows.pop(row, None)
        self.observations.pop(row, None)
        for child, new in children:
            self.rows[child] = new
            self.observations[child] = self.get_observ(child)

    def keeps(self, branch: tuple[int, ...], length: float) -> bool:
        """Return whether n_g = n_a, pruning what the branch replaces."""
        cell = branch[-1]
        if cell == self.goal or cell not in self.short:
            return True
        if not self.observed[cell]:
            if length < self.short[cell]:
                self.prune(cell)
                return True
            return False
        observed = self.get_observ(branch)
        old = next((row for row, seen in self.observations.items() if seen == observed), None)
        if old is None:
            return True
        cut = old[: max(place for place, at in enumerate(old) if self.observed[at]) + 1]
        if length < sum(self.arcs[one][other] for one, other in pairwise(cut)):
            self.prune(cut[-1])
            return True
        return False

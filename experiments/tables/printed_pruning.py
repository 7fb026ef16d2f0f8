"""The pruned tree of [Ferrari & Cai 2009, App. III] as printed, which misses optima.

A control of `path_trees`.  `sim.hunt.paths.labels` does as the text promises.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import chain, pairwise

import networkx as nx
import numpy as np

from sim.hunt.graph import Connectivity
from sim.hunt.paths.distances import distances, find_ends
from sim.hunt.paths.simple_paths import Branches

MOST_STEPS = 1_000_000
"""Largest number of branches that the algorithm may lengthen."""


def prune_as_printed(
    graph: nx.Graph, start: Hashable, goal: Hashable, within: float | None = None
) -> Branches:
    """Return the branches of the pruned tree [Ferrari & Cai 2009, App. III].

    As printed, it neither terminates nor keeps more than one branch to a void goal.  Three repairs
    make it terminate: the goal is exempt from pruning, a branch has its own distance, and the start
    counts as visited.  These faults remain:

    1. A void cell reached again by a longer path is dropped, whatever was observed in between.
    2. A branch may not turn back, so targets in dead ends are lost (Table III turns back).
    3. A void goal would keep at most one branch if it were not exempt.
    4. ``distance_new`` is printed with the best known path to n instead of this branch's, and so
       compares lengths that no branch has.
    5. Branches are equivalent by their *cells*: two cells that show one target count twice.

    Also, d_M is measured from the end of the shortest branch without an observation: its range
    changes as the tree grows, and without such a branch there is no bound.

    Raises
    ------
    ValueError
        If start or goal is not a cell, no path exists, or the tree does not end within `MOST_STEPS`
        steps.
    """
    net, first, last, *_ = find_ends(graph, start, goal, None)
    tree = _Tree(
        net,
        first,
        last,  # type: ignore[arg-type]  # the goal exists
        np.inf if within is None else within,
    )
    for _ in range(MOST_STEPS):
        row = tree.shortest_open()
        if row is None:
            ends = np.cumsum([len(branch) for branch in tree.rows], dtype=np.int64)
            cells = np.array([*chain(*tree.rows)], np.int64)
            lengths = np.array([*map(tree.length, tree.rows)], float)
            return Branches(graph, net, ends, cells, lengths)
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
        self.between = distances(net, np.arange(len(self.arcs)))[0] if within < np.inf else None
        self.rows: dict[tuple[int, ...], float] = {(start,): 0.0}
        """Branches in order of growth, and DIST_tot at their ends."""
        self.short = {start: 0.0}
        """VISITED and DIST_short."""
        self.observations: dict[tuple[int, ...], frozenset[int]] = {
            (start,): self.get_observ((start,))
        }
        """OBSERV."""

    def length(self, row: tuple[int, ...]) -> float:
        """Return the length of a branch."""
        return sum(self.arcs[one][other] for one, other in pairwise(row))

    def shortest_open(self) -> tuple[int, ...] | None:
        """Return the first row with the fewest cells that does not end in the goal."""
        return min((row for row in self.rows if row[-1] != self.goal), key=len, default=None)

    def adjacent(self, row: tuple[int, ...]) -> list[int]:
        """Return ADJACENT(n, n_root, n_s): without turning back, within d_M of n_s."""
        root = row[-2] if len(row) > 1 else None
        cells = [cell for cell in self.arcs[row[-1]] if cell != root]
        free = [other for other in self.rows if not self.observations[other]]
        if self.between is None or not free:
            return cells
        nearest = min(free, key=lambda other: self.rows[other])[-1]
        return [cell for cell in cells if self.between[nearest, cell] <= self.within]

    def get_observ(self, row: tuple[int, ...]) -> frozenset[int]:
        """Return GETOBSERV(branch): its observation cells."""
        return frozenset(cell for cell in row if self.observed[cell])

    def prune(self, leaf: int) -> None:
        """PRUNE(TREE, n): cut all branches that end in ``leaf``."""
        for row in [row for row in self.rows if row[-1] == leaf]:
            del self.rows[row], self.observations[row]

    def lengthen(self, row: tuple[int, ...]) -> None:
        """Extend a branch by the neighbours of its end, or cut it."""
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
        """Return whether n_g = n_a, pruning the branches that ``branch`` replaces."""
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

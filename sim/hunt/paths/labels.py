"""Every set of targets that a way within d_M of the shortest can measure, and its shortest way.

What the pruned tree of [Ferrari & Cai 2009, s. VI-A] promises: of all ways between two cells that
see the same targets the shortest, and with it an optimum by distance alone.  Labels over (cell, set
of targets) keep that promise (`sim.hunt.paths.frontier`); the printed algorithm does not.

d_M bounds the way: its length is at most that of the shortest one and d_M.  Without a goal a way
may end anywhere, and d_M bounds its length.
"""

from __future__ import annotations

from collections.abc import Hashable

import networkx as nx
import numpy as np

from sim.hunt.benefit import Benefit
from sim.hunt.paths.contraction import Contraction, contract_graph
from sim.hunt.paths.distances import find_ends
from sim.hunt.paths.frontier import MADE, NONE, SET, Labels, search_labels
from sim.hunt.paths.objective import Objective
from sim.hunt.reward import Route, Weights

MOST_LABELS = 5_000_000
"""Labels that a search may make; some 100 bytes each for 270 targets."""


class Routes:
    """Shortest ways by the targets that can be measured on them.

    Attributes
    ----------
    masks : uint64 (k, words), targets that can be measured on each way
    lengths : float64 (k,)
    targets : how many the graph has
    made : labels that the search made
    """

    def __init__(
        self, nodes: list[Hashable], net: Contraction, labels: Labels, made: int, chosen: np.ndarray
    ) -> None:
        self._nodes, self._net, self._labels, self._chosen = nodes, net, labels, chosen
        self.made = made
        self.targets = net.targets
        self.masks = net.masks(labels.seen[chosen])
        self.lengths = labels.length[chosen]

    def __len__(self) -> int:
        return len(self.lengths)

    def cells(self, way: int) -> tuple[Hashable, ...]:
        """Return the cells of a way, from start to end."""
        label, stops = int(self._chosen[way]), []
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
    most: int = MOST_LABELS,
) -> Routes:
    """Return the shortest way of each set of targets that can be measured from start to goal.

    ValueError if start or goal are no cells, there is no way between them, d_M is negative, or
    there are too many labels.

    Parameters
    ----------
    goal : where ways end; anywhere if None
    within : d_M, in units of length; no bound if None
    every : keep a set also if a way that is no longer sees all of it and more
    most : labels that may be made
    """
    small = contract_graph(find_ends(graph, start, goal, within))
    labels = search_labels(small.network, small.start, small.limit, every, most)
    if labels is None:
        raise ValueError(
            f"more than {most} ways to keep among {len(small.seen_from)} targets: make `within` "
            "smaller, or use sim.hunt.paths.insertion"
        )
    made = int(labels.state[MADE])
    ended = np.flatnonzero((labels.cell[:made] == small.goal) & (labels.compared[:made] == SET))
    ended = ended[np.argsort(labels.length[ended], kind="stable")]
    return Routes(list(graph), small, labels, made, ended)


def best(ways: Routes, benefit: Benefit, weights: Weights, cost: np.ndarray | None = None) -> Route:
    """Return the best of ``ways``, and what is worth measuring on it.

    ValueError as `sim.hunt.paths.objective.Objective` does.  ``cost``: J of each target's test,
    float64 (targets,); 1 each if None.
    """
    choice = Objective(benefit, weights, ways.targets, cost).best_declining(
        ways.masks, ways.lengths
    )
    return choice.route(ways.cells(choice.row), float(ways.lengths[choice.row]))

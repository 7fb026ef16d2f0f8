"""The tree of a POMDP as its readers see it: action, outcome, action.

A tree has a node for each observation, most of them met once.  Here the nodes below one action are
grouped by the kind of observation (`mcts.domain.outcome`), and so are those below an action of such
a group.  A search may be running: numbers may then be a simulation apart.

`follow` shows one simulation at a time: the last one is the difference of two trees, of k and of
k + 1 simulations.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts.tree import EXPANDED, NODES, TOP, Tree

ENDED = -1
"""Kind of the simulations that reached no node: the game was over, or a limit reached."""


@dataclass(frozen=True)
class Choice:
    """An action after an outcome."""

    action: int
    visits: int
    value: float
    """Mean return of the simulations that took it."""
    kinds: int
    """Number of its outcomes."""


@dataclass(frozen=True)
class Outcome:
    """Kind of outcome of an action."""

    above: int | None
    """Index in the list of the outcome before it, ..."""
    choice: Choice | None
    """... and the action that led to it; None at the root."""
    kind: int
    """By the domain, or `ENDED`; 0 at the root."""
    depth: int
    visits: int
    value: float | None
    """Mean return of the simulations that continued in the tree from here; None without any."""
    nodes: np.ndarray
    """int64 (n,): the nodes in the group."""


class OutcomeTree:
    """The current tree by outcomes; ``root`` is the information at the root.

    Values are those of the player who decides at a node, in units in which ``low`` and ``high`` are
    the 0 and 1 of the scaled returns, as the domain declares them.
    """

    def __init__(self, tree: Tree, low: float = 0.0, high: float = 1.0) -> None:
        root = int(tree.counters[TOP])
        nodes = tree.order[: tree.counters[NODES]].copy()
        # The last one may be incomplete; no edge leads to the root.
        nodes = nodes[(nodes >= 0) & (nodes < len(tree.key)) & (nodes != root)]
        self._tree, self._low, self._span = tree, low, high - low
        self._below = nodes[np.argsort(tree.incoming[nodes], kind="stable")]
        self._incoming = tree.incoming[self._below]
        self.root = self._outcome(None, None, 0, 0, np.array([root]), int(tree.visits[root]))

    def top(
        self, max_outcomes: int | None = None, deep: int | None = None, kinds: int | None = None
    ) -> list[Outcome]:
        """Return the ``max_outcomes`` most visited outcomes from the root down (None: all).

        Each follows the one above it.

        Parameters
        ----------
        deep : maximum number of actions from the root
        kinds : maximum number of outcomes of an action
        """
        found: list[Outcome] = []
        # Best first: an outcome has no more visits than the one above it.
        waiting, met = [(-self.root.visits, 0, self.root)], 1
        while waiting and (max_outcomes is None or len(found) < max_outcomes):
            outcome = heapq.heappop(waiting)[-1]
            found.append(outcome)
            if outcome.depth != deep:
                for below in self._follow(outcome, len(found) - 1, kinds):
                    heapq.heappush(waiting, (-below.visits, met, below))
                    met += 1
        return found

    def line(self) -> list[Choice]:
        """Return the most visited actions from the root down."""
        steps: list[Choice] = []
        below = list(self._follow(self.root, 0, 1))
        while below:
            outcome = max(below, key=lambda one: (one.choice.visits, one.choice.value))
            steps.append(outcome.choice)
            below = list(self._follow(outcome, 0, 1))
        return steps

    def _follow(self, outcome: Outcome, place: int, max_outcomes: int | None) -> Iterator[Outcome]:
        """Yield the ``max_outcomes`` most visited outcomes of each action after ``outcome``."""
        tree, edges = self._tree, self._edges(outcome.nodes)
        edges = edges[tree.edge_visits[edges] > 0]
        actions, first, group = np.unique(
            tree.action[edges], return_index=True, return_inverse=True
        )
        for i in np.argsort(first).tolist():  # in listed order
            done = edges[group == i]
            visits = int(tree.edge_visits[done].sum())
            value = self._low + self._span * float(tree.edge_total[done].sum()) / visits
            gathered = self._gather(done, visits)
            choice = Choice(int(actions[i]), visits, value, len(gathered))
            for kind, nodes, came in gathered[:max_outcomes]:
                yield self._outcome(place, choice, kind, outcome.depth + 1, nodes, came)

    def _gather(self, edges: np.ndarray, visits: int) -> list[tuple[int, np.ndarray, int]]:
        """Return kinds, nodes and visits behind ``edges``, by decreasing visits, an end last."""
        starts, stops = (np.searchsorted(self._incoming, edges, side) for side in ("left", "right"))
        nodes = np.concatenate([self._below[a:b] for a, b in zip(starts, stops, strict=True)])
        kinds, group = np.unique(self._tree.outcome[nodes], return_inverse=True)
        counts = np.bincount(group, self._tree.visits[nodes], len(kinds)).astype(int).tolist()
        found = [
            (int(kind), nodes[group == i], came)
            for i, (kind, came) in enumerate(zip(kinds, counts, strict=True))
            if came
        ]
        found.sort(key=lambda one: -one[-1])
        ended = visits - sum(counts)
        return [*found, (ENDED, nodes[:0], ended)] if ended > 0 else found

    def _outcome(
        self, above: Any, choice: Any, kind: int, depth: int, nodes: np.ndarray, visits: int
    ) -> Outcome:
        edges = self._edges(nodes)
        passed = int(self._tree.edge_visits[edges].sum())
        total = float(self._tree.edge_total[edges].sum())
        value = self._low + self._span * total / passed if passed else None
        return Outcome(above, choice, kind, depth, visits, value, nodes)

    def _edges(self, nodes: np.ndarray) -> np.ndarray:
        """Return the edges of those ``nodes`` that have any, int64."""
        listed = nodes[self._tree.status[nodes] == EXPANDED]
        first, length = self._tree.first[listed], self._tree.length[listed]
        blocks = [np.arange(a, a + n) for a, n in zip(first.tolist(), length.tolist(), strict=True)]
        return np.concatenate([np.zeros(0, np.int64), *blocks])


Way = tuple[tuple[int, int], ...]
"""Actions from the root down, each with the kind of its outcome."""


@dataclass(frozen=True)
class Simulation:
    """One simulation, by outcomes."""

    way: Way
    """Actions and outcomes in the tree; a roll-out follows, unless it ended there."""
    values: tuple[float, ...]
    """Its return from each action of the way on, of the player who decided there."""
    grew: bool
    """Whether the end of the way was new."""


def follow(
    grow: Callable[[int], Tree], simulations: int, low: float = 0.0, high: float = 1.0
) -> list[Simulation]:
    """Return the path of each of the first ``simulations``.

    Raises ValueError if a search is not the previous one plus one simulation.

    Parameters
    ----------
    grow : returns the tree of a search of the given number of simulations: single-threaded, always
        with one key.  The tree may be the same object with other contents
    low, high : the 0 and 1 of the scaled returns, as the domain declares them
    """
    found: list[Simulation] = []
    visits: dict[Way, int] = {}
    totals: dict[tuple[Way, int], float] = {}
    for count in range(1, simulations + 1):
        before, returned = visits, totals
        visits, totals = _sums(OutcomeTree(grow(count), low, high))
        added = {way: n - before.get(way, 0) for way, n in visits.items() if n != before.get(way)}
        gone = sorted(added, key=len)
        if set(added.values()) != {1} or [len(way) for way in gone] != [*range(len(gone))]:
            raise ValueError(f"simulation {count} did not extend the tree of the previous ones")
        edges = [(way[:-1], way[-1][0]) for way in gone[1:]]
        values = tuple(totals[edge] - returned.get(edge, 0.0) for edge in edges)
        found.append(Simulation(gone[-1], values, gone[-1] not in before))
    return found


def _sums(tree: OutcomeTree) -> tuple[dict[Way, int], dict[tuple[Way, int], float]]:
    """Return the visits of all outcomes, and the total returns of actions, by the way to them."""
    ways: list[Way] = []
    visits: dict[Way, int] = {}
    totals: dict[tuple[Way, int], float] = {}
    for outcome in tree.top():
        choice, way = outcome.choice, ()
        if choice is not None and outcome.above is not None:
            above = ways[outcome.above]
            way = (*above, (choice.action, outcome.kind))
            totals[above, choice.action] = choice.value * choice.visits
        ways.append(way)
        visits[way] = outcome.visits
    return visits, totals

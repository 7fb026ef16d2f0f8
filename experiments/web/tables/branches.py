"""The top of a search's tree, while it grows: what a picture of it is drawn from.

The search goes on meanwhile, so what is read may be a simulation apart; nothing is changed and
nothing waits.  `mcts.inspect.export` tells more of a search that is over.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from experiments.explain.recorded import words
from mcts.tree import LISTED, NODES, NOWHERE, TOP, Tree

MOST_NODES = 40
MOST_ACTIONS = 4
"""From the root down to the last that is told."""
MOST_OUTCOMES = 4
"""Of one action: the most visited, so that there is room for what follows them."""


def branches(tree: Tree, most: int = MOST_NODES, deep: int = MOST_ACTIONS) -> list[dict[str, Any]]:
    """Return the ``most`` most visited nodes from the root down, each after the one above it.

    Each has ``above``, its place in the list (None: the root); ``visits``; and, but for the root,
    what leads to it: ``action`` in words, ``played``, how often, ``value``, the mean result of that
    for the searching seat, from 0 to 1.  One action leads to a node for each thing observed after
    it, ``outcomes`` in all, of which a few are told; or to an ``end``, where the game is over or
    there was no room for a node.
    """
    below = _Below(tree)
    root = int(tree.counters[TOP])
    met, found = 0, []
    waiting = [(-int(tree.visits[root]), met, root, {"above": None}, 0)]
    while waiting and len(found) < most:
        lack, _, node, about, depth = heapq.heappop(waiting)
        place = len(found)
        found.append({**about, "visits": -lack})
        if depth == deep or node == NOWHERE or tree.status[node] != LISTED:
            continue
        for action in below.of(node):
            told = {"above": place, **action.told(tree)}
            for child, visits in action.most():
                met += 1
                heapq.heappush(waiting, (-visits, met, child, told, depth + 1))
    return found


def grown(tree: Tree) -> np.ndarray:
    """Return the nodes of ``tree``, int, in the order in which they came, as far as they stand."""
    nodes = tree.order[: tree.counters[NODES]].copy()
    return nodes[(nodes >= 0) & (nodes < len(tree.key))]  # the last may not be written yet


class _Action(NamedTuple):
    """An action, the nodes that it leads to and their visits."""

    edge: int
    nodes: np.ndarray
    visits: np.ndarray

    def told(self, tree: Tree) -> dict[str, Any]:
        """Return what is told of it with each node that it leads to."""
        n = int(tree.edge_visits[self.edge])
        value = float(np.clip(tree.edge_total[self.edge] / n, 0.0, 1.0)) if n else None
        does = words(int(tree.action[self.edge]))
        end = bool(self.nodes[0] == NOWHERE)
        return {
            "action": does,
            "played": n,
            "value": value,
            "outcomes": len(self.nodes),
            "end": end,
        }

    def most(self) -> list[tuple[int, int]]:
        """Return the nodes most visited that it leads to, with their visits."""
        best = np.argsort(-self.visits, kind="stable")[:MOST_OUTCOMES]
        return list(zip(self.nodes[best].tolist(), self.visits[best].tolist(), strict=True))


class _Below:
    """What lies below each node of ``tree``, as it stands now."""

    def __init__(self, tree: Tree) -> None:
        nodes = grown(tree)
        by_edge = np.argsort(tree.incoming[nodes], kind="stable")
        self._tree, self._nodes = tree, nodes[by_edge]
        self._incoming = tree.incoming[self._nodes]
        self._visits = tree.visits[self._nodes]

    def of(self, node: int) -> Iterator[_Action]:
        """Yield the actions of ``node`` that were tried; an end stands as `NOWHERE`."""
        tree, first = self._tree, int(self._tree.first[node])
        played = tree.edge_visits[first : first + int(tree.length[node])].copy()
        for edge in (first + np.flatnonzero(played)).tolist():
            start, stop = np.searchsorted(self._incoming, [edge, edge + 1]).tolist()
            if start < stop:
                yield _Action(edge, self._nodes[start:stop], self._visits[start:stop])
            else:
                yield _Action(edge, np.array([NOWHERE]), played[edge - first : edge - first + 1])

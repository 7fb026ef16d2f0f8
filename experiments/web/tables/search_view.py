"""A search under way, seen from outside: root table, most visited line, top of the tree, speed.

The search goes on meanwhile, so numbers may be a simulation apart; nothing is changed and nothing
waits.  `mcts.inspect` shows more of a search that is over.  Values are of the searching seat, from
0, lost, to 1, won.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.explain.recorded import words
from mcts.search import Search
from mcts.tree import LISTED, NODES, NOWHERE, TOP, Tree
from sim.player import Player

MOST_ROWS = 12
MOST_STEPS = 6

MOST_NODES = 40
MOST_ACTIONS = 4
"""From the root down to the last one shown."""
MOST_OUTCOMES = 4
"""Of one action: the most visited, so that there is room for what follows them."""


class SearchView:
    """Samples of the search of ``player``, who has begun to decide in ``seat``."""

    def __init__(self, seat: int, player: Player) -> None:
        self._seat, self._player = seat, player
        self._before, self._result = self._visits(), getattr(player, "result", None)
        self._last: tuple[int, float] | None = None

    def sample(self, over: bool = False) -> dict[str, Any] | None:
        """Return a message on the search; None before it has begun, or if it cannot be seen.

        With ``over`` the search has ended, and ``per_second`` is that of the whole of it.

        The simulations are those through the root, so those kept from the search before are among
        them; the speed is counted from the last sample.
        """
        tree, done, result = self._tree, self._visits(), getattr(self._player, "result", None)
        begun = result is not self._result if over else self._last or done != self._before
        if tree is None or not done or not begun:
            return None
        last, now = self._last, time.perf_counter()
        self._last = done, now
        speed = None
        if over and result is not None and result.seconds > 0:
            speed = round(result.simulations / result.seconds)
        elif last is not None and done >= last[0]:
            speed = round((done - last[0]) / (now - last[1]))
        top = TreeTop(tree)
        return {
            "kind": "search",
            "seat": self._seat,
            "player": self._player.name,
            "simulations": done,
            "per_second": speed,
            "nodes": int(tree.counters[NODES]),
            "root": top.rows(),
            "line": top.line(),
            "tree": top.branches(),
            "over": over,
        }

    @property
    def _tree(self) -> Tree | None:
        search = getattr(self._player, "search", None)
        return search.tree if isinstance(search, Search) else None

    def _visits(self) -> int:
        """Return the simulations through the root; 0 before its actions are listed."""
        tree = self._tree
        if tree is None or tree.status[tree.counters[TOP]] != LISTED:
            return 0
        return int(_edges(tree, int(tree.counters[TOP]))[1].sum())


class TreeTop:
    """The nodes of ``tree`` as they stand now, by the edge that leads to them."""

    def __init__(self, tree: Tree) -> None:
        self.root = int(tree.counters[TOP])
        nodes = tree.order[: tree.counters[NODES]].copy()
        # The last may not be written yet; no edge leads to the root.
        nodes = nodes[(nodes >= 0) & (nodes < len(tree.key)) & (nodes != self.root)]
        by_edge = np.argsort(tree.incoming[nodes], kind="stable")
        self._tree, self._nodes = tree, nodes[by_edge]
        self._incoming, self._visits = tree.incoming[self._nodes], tree.visits[self._nodes]

    def rows(self) -> list[dict[str, Any]]:
        """Return the root's actions with the most visits first: words, visits, value, error."""
        first, visits, means = _edges(self._tree, self.root)
        squares = self._tree.edge_squares[first : first + len(visits)]
        rows = []
        for i in np.argsort(-visits, kind="stable")[:MOST_ROWS].tolist():
            n, mean, error = int(visits[i]), float(means[i]), None
            if n > 1:
                error = math.sqrt(max(float(squares[i]) / n - mean**2, 0.0) / (n - 1))
            action, value = words(int(self._tree.action[first + i])), mean if n else None
            rows.append({"action": action, "visits": n, "value": value, "error": error})
        return rows

    def line(self) -> list[dict[str, Any]]:
        """Return the most visited actions, from the root down."""
        node, steps = self.root, list[dict[str, Any]]()
        while self._tree.status[node] == LISTED and len(steps) < MOST_STEPS:
            first, visits, means = _edges(self._tree, node)
            best = int(visits.argmax())
            if not visits[best]:
                break
            action = words(int(self._tree.action[first + best]))
            value = float(means[best])
            steps.append({"action": action, "visits": int(visits[best]), "value": value})
            nodes, visited = self._below(first + best)
            if not len(nodes):
                break
            node = int(nodes[visited.argmax()])
        return steps

    def branches(
        self, most: int = MOST_NODES, deep: int = MOST_ACTIONS, outcomes: int = MOST_OUTCOMES
    ) -> list[dict[str, Any]]:
        """Return the ``most`` most visited nodes from the root down, each after the one above it.

        Each has ``above``, its place in the list (None: the root); ``visits``; and, but for the
        root, what leads to it: ``action`` in words, ``played``, how often, ``value``, the mean
        result of that.  One action leads to a node for each thing observed after it, ``outcomes``
        in all, of which a few are listed; or to an ``end``, where the game is over or the tree was
        full.
        """
        met, found = 0, list[dict[str, Any]]()
        root: dict[str, Any] = {"above": None}
        waiting = [(-int(self._tree.visits[self.root]), met, self.root, root, 0)]
        while waiting and len(found) < most:
            lack, _, node, about, depth = heapq.heappop(waiting)
            place = len(found)
            found.append({**about, "visits": -lack})
            if depth == deep or node == NOWHERE or self._tree.status[node] != LISTED:
                continue
            for action, nodes, visits in self._actions(node):
                reached = {"above": place, **action}
                for i in np.argsort(-visits, kind="stable")[:outcomes].tolist():
                    met += 1
                    entry = (-int(visits[i]), met, int(nodes[i]), reached, depth + 1)
                    heapq.heappush(waiting, entry)
        return found

    def _actions(self, node: int) -> Iterator[tuple[dict[str, Any], np.ndarray, np.ndarray]]:
        """Yield the actions of ``node`` that were tried, with the nodes below and their visits."""
        first, played, means = _edges(self._tree, node)
        for i in np.flatnonzero(played).tolist():
            nodes, visits = self._below(first + i)
            end = not len(nodes)
            if end:
                nodes, visits = np.array([NOWHERE]), played[i : i + 1]
            action = {
                "action": words(int(self._tree.action[first + i])),
                "played": int(played[i]),
                "value": float(means[i]),
                "outcomes": len(nodes),
                "end": end,
            }
            yield action, nodes, visits

    def _below(self, edge: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the nodes that ``edge`` leads to, and their visits."""
        start, stop = np.searchsorted(self._incoming, [edge, edge + 1]).tolist()
        return self._nodes[start:stop], self._visits[start:stop]


def _edges(tree: Tree, node: int) -> tuple[int, np.ndarray, np.ndarray]:
    """Return first edge, visits and mean values of the actions of ``node``."""
    first = int(tree.first[node])
    block = slice(first, first + int(tree.length[node]))
    visits = tree.edge_visits[block].copy()
    means = np.zeros(len(visits))
    np.divide(tree.edge_total[block], visits, out=means, where=visits > 0)
    return first, visits, np.clip(means, 0.0, 1.0)

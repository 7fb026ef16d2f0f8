"""A search under way, looked at from outside: root table, line most visited, tree, speed.

The search goes on meanwhile, so what is read may be a simulation apart; nothing is changed and
nothing waits.  Values are of the searching seat, from 0, lost, to 1, won.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from experiments.explain.recorded import words
from experiments.web.tables.branches import branches, grown
from mcts.search import Search
from mcts.tree import LISTED, NODES, TOP, Tree
from sim.player import Player

MOST_ROWS = 12
MOST_STEPS = 6


class Progress:
    """Looks at the searches of ``player``, who has begun to decide in ``seat``."""

    def __init__(self, seat: int, player: Player) -> None:
        self._seat, self._player = seat, player
        self._before, self._result = self._visits(), getattr(player, "result", None)
        self._last: tuple[int, float] | None = None

    def look(self, over: bool = False) -> dict[str, Any] | None:
        """Return a message on the search; None before it has begun, or if it cannot be seen.

        ``over`` tells that it is: then ``per_second`` is that of the whole search.

        Its simulations are those through the root, so those that were kept from the search before
        are among them; how many come in a second is counted from the last look.
        """
        done, result = self._visits(), getattr(self._player, "result", None)
        begun = result is not self._result if over else self._last or done != self._before
        if not done or not begun:
            return None
        last, self._last = self._last, (done, time.perf_counter())
        speed = None
        if over and result.seconds > 0:
            speed = round(result.simulations / result.seconds)
        elif last is not None and done >= last[0]:
            speed = round((done - last[0]) / (self._last[1] - last[1]))
        tree = self._tree
        return {
            "kind": "search",
            "seat": self._seat,
            "player": self._player.name,
            "simulations": done,
            "per_second": speed,
            "nodes": int(tree.counters[NODES]),
            "root": root_rows(tree),
            "line": line(tree),
            "tree": branches(tree),
            "over": over,
        }

    @property
    def _tree(self) -> Tree | None:
        search = getattr(self._player, "search", None)
        return search.tree if isinstance(search, Search) else None

    def _visits(self) -> int:
        """Return the simulations through the root; 0 where it has no list of actions yet."""
        tree = self._tree
        if tree is None or tree.status[tree.counters[TOP]] != LISTED:
            return 0
        return int(_edges(tree, int(tree.counters[TOP]))[1].sum())


def root_rows(tree: Tree) -> list[dict[str, Any]]:
    """Return the root's actions with the most visits first: words, visits, value, error."""
    first, visits, means = _edges(tree, int(tree.counters[TOP]))
    squares = tree.edge_squares[first : first + len(visits)]
    rows = []
    for i in np.argsort(-visits, kind="stable")[:MOST_ROWS].tolist():
        n, mean, error = int(visits[i]), float(means[i]), None
        if n > 1:
            error = math.sqrt(max(float(squares[i]) / n - mean**2, 0.0) / (n - 1))
        words_of = words(int(tree.action[first + i]))
        value = mean if n else None
        rows.append({"action": words_of, "visits": n, "value": value, "error": error})
    return rows


def line(tree: Tree) -> list[dict[str, Any]]:
    """Return the actions most visited, from the root down."""
    nodes = grown(tree)
    incoming, visited = tree.incoming[nodes], tree.visits[nodes]
    node, steps = int(tree.counters[TOP]), []
    while tree.status[node] == LISTED and len(steps) < MOST_STEPS:
        first, visits, means = _edges(tree, node)
        best = int(visits.argmax())
        if not visits[best]:
            break
        edge = first + best
        value = float(means[best])
        found = {"action": words(int(tree.action[edge])), "visits": int(visits[best])}
        steps.append({**found, "value": value})
        below = np.flatnonzero((incoming == edge) & (nodes != node))
        if not len(below):
            break
        node = int(nodes[below[visited[below].argmax()]])
    return steps


def _edges(tree: Tree, node: int) -> tuple[int, np.ndarray, np.ndarray]:
    """Return first edge, visits and mean values of the actions of ``node``."""
    first = int(tree.first[node])
    block = slice(first, first + int(tree.length[node]))
    visits = tree.edge_visits[block].copy()
    means = np.zeros(len(visits))
    np.divide(tree.edge_total[block], visits, out=means, where=visits > 0)
    return first, visits, np.clip(means, 0.0, 1.0)

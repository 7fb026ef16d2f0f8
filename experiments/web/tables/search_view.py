"""A search under way, seen from outside: root table, most visited line, top of the tree, speed,
and what it assumes, which is the same for the whole of it (`experiments.explain.assumptions`).

The search goes on meanwhile, so numbers may be a simulation apart; nothing is changed and nothing
waits.  `mcts.inspect` shows more of a search that is over.  Values are of the searching seat, from
0, lost, to 1, won.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from experiments.explain.assumptions import list_assumptions
from experiments.explain.drawn import list_nodes
from experiments.explain.outcomes import see
from mcts.inspect import export, principal_variation
from mcts.search import Search
from mcts.tree import LISTED, NODES, TOP, Tree
from sim.actions import action_to_string as words
from sim.planning.planner import Planner
from sim.player import Player

MOST_ROWS = 12
MOST_STEPS = 6

MOST_NODES = 40
MOST_ACTIONS = 4
"""From the root down to the last one shown."""
MOST_OUTCOMES = 4
"""Of one action: the most visited, so that there is room for what follows them."""


class SearchView:
    """Samples of the search of ``player``, who has begun to decide in ``seat``.

    ``names``: of the players, by seat.
    """

    def __init__(self, seat: int, player: Player, names: Sequence[str]) -> None:
        self._seat, self._player, self._names = seat, player, names
        self._before, self._result = self._visits(), getattr(player, "result", None)
        self._last: tuple[int, float] | None = None
        self._assumes: dict[str, Any] = {}

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
        if not self._assumes and isinstance(self._player, Planner):
            self._assumes = list_assumptions(self._player, len(self._names))
        top = TreeTop(tree, partial(see, self._seat, self._names))
        return {
            "kind": "search",
            "seat": self._seat,
            "player": self._player.name,
            "simulations": done,
            "per_second": speed,
            "nodes": int(tree.counters[NODES]),
            "root": top.rows(),
            "line": top.line(),
            "tree": top.branches() if tree.counters[NODES] > 1 else [],
            "over": over,
            **self._assumes,
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
        return int(_edges(tree)[1].sum())


class TreeTop:
    """The top of ``tree`` as it stands now, by outcomes, which ``seen`` puts into words."""

    def __init__(self, tree: Tree, seen: Callable[[int, int], str]) -> None:
        self._tree, self._seen = tree, seen

    def rows(self) -> list[dict[str, Any]]:
        """Return the root's actions with the most visits first: words, visits, value, error."""
        first, visits, means = _edges(self._tree)
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
        return [
            {"action": words(one.action), "visits": one.visits, "value": _within(one.value)}
            for one in principal_variation(self._tree)[:MOST_STEPS]
        ]

    def branches(
        self, most: int = MOST_NODES, deep: int = MOST_ACTIONS, kinds: int = MOST_OUTCOMES
    ) -> list[dict[str, Any]]:
        """Return the ``most`` most visited outcomes (`experiments.explain.drawn.list_nodes`).

        They reach down ``deep`` actions; of the outcomes of one action ``kinds`` are listed.
        """
        graph = export(self._tree, most, words, seen=self._seen, deep=deep, kinds=kinds)
        return list_nodes(graph)


def _within(value: float) -> float:
    """Return a value of a search that goes on, whose sums may be a simulation apart."""
    return min(max(value, 0.0), 1.0)


def _edges(tree: Tree) -> tuple[int, np.ndarray, np.ndarray]:
    """Return first edge, visits and mean values of the root's actions."""
    root = tree.counters[TOP]
    first = int(tree.first[root])
    block = slice(first, first + int(tree.length[root]))
    visits = tree.edge_visits[block].copy()
    means = np.zeros(len(visits))
    np.divide(tree.edge_total[block], visits, out=means, where=visits > 0)
    return first, visits, np.clip(means, 0.0, 1.0)

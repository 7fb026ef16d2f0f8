"""A running search from outside: root table, most visited line, top of the tree, speed, and its
assumptions, which are constant (`experiments.explain.assumptions`).

The search continues meanwhile, so numbers may differ by a simulation; sampling changes nothing and
blocks nothing.  `mcts.inspect` shows more of a finished search.  Values are of the searching seat,
from 0 (lost) to 1 (won).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from experiments.explain.assumptions import list_assumptions
from experiments.explain.outcomes import list_nodes, see
from mcts.inspect import export, principal_variation
from mcts.search import Search
from mcts.tree import EXPANDED, NODES, TOP, Tree
from sim.planning.planner import Planner
from sim.player import Player
from sim.words import action_to_string as words

MOST_ROWS = 12
MOST_STEPS = 6

MOST_NODES = 40
MOST_ACTIONS = 4
"""Maximum depth of shown nodes below the root."""
MOST_OUTCOMES = 4
"""Maximum number of shown outcomes per action, which leaves room for their followers."""


class SearchSamples:
    """Samples of the search of ``player``, which decides in ``seat``.

    ``names``: of the players by seat.
    """

    def __init__(self, seat: int, player: Player, names: Sequence[str]) -> None:
        self._seat, self._player, self._names = seat, player, names
        self._before, self._result = self._visits(), getattr(player, "result", None)
        self._last: tuple[int, float] | None = None
        self._assumes: dict[str, Any] = {}

    def sample(self, over: bool = False) -> dict[str, Any] | None:
        """Return a message on the search; None before it begins, or if it is not visible.

        ``over`` marks a finished search, whose ``per_second`` is the average of all of it.

        Simulations are those through the root, including those kept from the previous search; the
        speed is since the last sample.
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
        seen = partial(see, self._seat, self._names)
        return {
            "kind": "search",
            "seat": self._seat,
            "player": self._player.name,
            "simulations": done,
            "per_second": speed,
            "nodes": int(tree.counters[NODES]),
            "root": list_root(tree),
            "line": list_line(tree),
            "tree": list_branches(tree, seen) if tree.counters[NODES] > 1 else [],
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
        if tree is None or tree.status[tree.counters[TOP]] != EXPANDED:
            return 0
        return int(tree.edge_visits[_root_edges(tree)].sum())


def list_root(tree: Tree) -> list[dict[str, Any]]:
    """Return the root's actions, most visited first: words, visits, value, error."""
    block = _root_edges(tree)
    visits, actions = tree.edge_visits[block].copy(), tree.action[block]
    rows = []
    for i in np.argsort(-visits, kind="stable")[:MOST_ROWS].tolist():
        n, error = int(visits[i]), None
        value = _within(float(tree.edge_total[block][i]) / n) if n else None
        if n > 1 and value is not None:
            variance = max(float(tree.edge_squares[block][i]) / n - value**2, 0.0)
            error = math.sqrt(variance / (n - 1))
        rows.append({"action": words(int(actions[i])), "visits": n, "value": value, "error": error})
    return rows


def list_line(tree: Tree) -> list[dict[str, Any]]:
    """Return the most visited actions, from the root down."""
    return [
        {"action": words(one.action), "visits": one.visits, "value": _within(one.value)}
        for one in principal_variation(tree)[:MOST_STEPS]
    ]


def list_branches(
    tree: Tree,
    seen: Callable[[int, int], str],
    max_nodes: int = MOST_NODES,
    deep: int = MOST_ACTIONS,
    kinds: int = MOST_OUTCOMES,
) -> list[dict[str, Any]]:
    """Return the ``max_nodes`` most visited outcomes, which ``seen`` describes, as `list_nodes`.

    They reach down ``deep`` actions, with at most ``kinds`` outcomes per action.
    """
    return list_nodes(export(tree, max_nodes, words, seen=seen, deep=deep, kinds=kinds))


def _within(value: float) -> float:
    """Return ``value`` clipped to [0, 1]: sums of a running search may differ by a simulation."""
    return min(max(value, 0.0), 1.0)


def _root_edges(tree: Tree) -> slice:
    root = tree.counters[TOP]
    return slice(int(tree.first[root]), int(tree.first[root] + tree.length[root]))

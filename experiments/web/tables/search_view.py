"""A running search from outside: root table, most visited line, top of the tree, speed, and its
assumptions, which are constant (`experiments.explain.assumptions`).

The search continues meanwhile, so numbers may differ by a simulation; sampling changes nothing and
blocks nothing.  Values are of the searching seat, from 0 (lost) to 1 (won).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
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

MOST_ROWS, MOST_STEPS = 12, 6

MOST_NODES, MOST_ACTIONS, MOST_OUTCOMES = 40, 4, 4
"""Maximum number of shown nodes, of actions down to them, and of outcomes per action."""


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
        self._last, speed = (done, now), None
        if over and result is not None and result.seconds > 0:
            speed = round(result.simulations / result.seconds)
        elif last is not None and done >= last[0]:
            speed = round((done - last[0]) / (now - last[1]))
        if not self._assumes and isinstance(self._player, Planner):
            self._assumes = list_assumptions(self._player, len(self._names))
        seen = partial(see, self._seat, self._names)
        top = export(tree, MOST_NODES, words, seen=seen, deep=MOST_ACTIONS, kinds=MOST_OUTCOMES)
        return {
            "kind": "search",
            "seat": self._seat,
            "player": self._player.name,
            "simulations": done,
            "per_second": speed,
            "nodes": int(tree.counters[NODES]),
            "root": _list_root(tree),
            "line": [
                {"action": words(step.action), "visits": step.visits, "value": step.value}
                for step in principal_variation(tree)[:MOST_STEPS]
            ],
            "tree": list_nodes(top) if tree.counters[NODES] > 1 else [],
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


def _list_root(tree: Tree) -> list[dict[str, Any]]:
    """Return the root's actions, most visited first: words, visits, value, error.

    `mcts.inspect.root_table` is of a result, which a running search does not have.
    """
    block = _root_edges(tree)
    visits = tree.edge_visits[block].copy()
    with np.errstate(divide="ignore", invalid="ignore"):
        # Sums of a running search may differ by a simulation.
        values = np.clip(tree.edge_total[block] / visits, 0.0, 1.0)
        variance = np.maximum(tree.edge_squares[block] / visits - values**2, 0.0)
        errors = np.where(visits > 1, np.sqrt(variance / (visits - 1)), np.nan)
    return [
        {
            "action": words(int(tree.action[block][i])),
            "visits": int(visits[i]),
            "value": float(values[i]) if visits[i] else None,
            "error": float(errors[i]) if visits[i] > 1 else None,
        }
        for i in np.argsort(-visits, kind="stable")[:MOST_ROWS].tolist()
    ]


def _root_edges(tree: Tree) -> slice:
    root = tree.counters[TOP]
    return slice(int(tree.first[root]), int(tree.first[root] + tree.length[root]))

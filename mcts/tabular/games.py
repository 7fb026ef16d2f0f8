"""Games of several players as tables of their states, for SO-ISMCTS and MO-ISMCTS.

A state has the player to move, what each player knows or sees there, and what each is paid if it is
terminal.  Chance is part of the transitions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts.options import check_count
from mcts.tabular import domain
from mcts.tabular.alias import make_alias
from mcts.tabular.domain import LIVE, OVER, TabularPosition


def pack_game(
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
    legal: Sequence[Sequence[int]],
    turn: Sequence[int],
    known: Any,
    paid: Any,
    **numbers: Any,
) -> TabularPosition:
    """Return the tables of a game of S states and P players, without a belief.

    Parameters
    ----------
    rows : ``first`` (S * actions + 1,), ``then`` and ``chance`` of the transitions
    legal : legal actions of each state, in the order to try them; none: it is terminal
    turn : player to move, (S,)
    known : (S, P) numbers of what each player knows, or saw last
    paid : (S, P)
    numbers : fields of the position: actions, steps, discount, low, high, perspectives
    """
    n = len(legal)
    first, then, chance = rows
    known = np.array(known, np.int64).reshape(n, -1)
    return TabularPosition(
        *(np.zeros(2, np.int64), *_empty()),
        *(first, then, chance, *make_alias(first, chance), np.zeros(len(then))),
        *(np.zeros(1, np.int64), *_empty()),
        np.cumsum([0, *map(len, legal)], dtype=np.int64),
        np.array([action for listed in legal for action in listed], np.int64),
        np.array([LIVE if listed else OVER for listed in legal], np.int64),
        np.zeros(n, np.int64),
        np.zeros((1, n)),
        np.array(turn, np.int64),
        known,
        np.array(paid, np.float64).reshape(known.shape),
        rollout=domain.RANDOM,
        players=known.shape[1],
        me=0,
        lists_all=0,
        order=0,
        **numbers,
    )


def believe(state: np.ndarray, share: np.ndarray) -> dict[str, np.ndarray]:
    """Return the fields of a position at a belief: int64 states and weights, above 0."""
    begin = np.array([0, len(state)], np.int64)
    values = begin, state, share / share.sum(), *make_alias(begin, share)
    return dict(zip(TabularPosition._fields, values, strict=False))


@dataclass(frozen=True, eq=False)
class TabularGame:
    """A game as tables; player 0 searches."""

    tables: TabularPosition
    start: np.ndarray
    """float64 (S,)"""
    states: Sequence[Any]
    actions: Sequence[Any]

    def position(self, belief: Any = None, steps: int | None = None) -> TabularPosition:
        """Return the position for a `Search`: at ``belief``, float (S,), by default the start."""
        dense = self.start if belief is None else np.asarray(belief, np.float64)
        steps = self.tables.steps if steps is None else check_count("steps", steps)
        places = np.flatnonzero(dense)
        return self.tables._replace(**believe(places, dense[places]), steps=steps)

    def words(self, action: int) -> str:
        """Return the name of an action, for root tables."""
        return str(self.actions[int(action)])


def _empty() -> tuple[np.ndarray, ...]:
    """Return empty columns of numbers, chances, and their alias tables."""
    whole, real = np.zeros(0, np.int64), np.zeros(0)
    return whole, real, real.copy(), whole.copy()

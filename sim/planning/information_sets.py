"""What tells a seat's information sets apart: the keys by which nodes are looked up.

A key is made of what its seat has seen, never of what it does not know.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import fold
from sim.game import decider
from sim.state import SHOW, State


@jit
def after_state_key(players: int, s: State, own: int) -> np.uint64:
    """Return the key of what bears on the belief and the choices of the seat ``own`` alone.

    That is every suggestion since its last decision with the answer as seen here, who is out, and
    the own pawn and roll.  Where the other pawns stand tells nothing about the cards and changes no
    list of actions: such after-states have equal beliefs [Ledford 2018, s. 2.3].  With them in the
    key hardly any node below the own turn is met twice.
    """
    key = fold(fold(np.uint64(s.phase), s.roll), s.spot[own])
    key = fold(key, s.summoned[own])
    for seat in range(players):
        key = fold(key, s.out[seat])
    return _fold_events(key, s, own)


@jit
def view_key(players: int, s: State, seat: int) -> np.uint64:
    """Return the key of all that ``seat`` has seen since the last decision, and of its cards."""
    key = fold(fold(fold(np.uint64(s.phase), s.roll), decider(s)), s.known[seat])
    for other in range(players):
        key = fold(fold(fold(key, s.spot[other]), s.out[other]), s.summoned[other])
    if s.phase == SHOW:
        key = fold(key, s.cards)
    return _fold_events(key, s, seat)


@jit
def _fold_events(key: np.uint64, s: State, seat: int) -> np.uint64:
    """Return ``key`` with the suggestions since the last decision, as ``seat`` saw them."""
    for i in range(s.events):
        event = s.event[i]
        key = fold(fold(key, 8 * event[0] + event[2] + 1), event[1])
        if seat in (event[0], event[2]):
            key = fold(key, event[3] + 1)
    return key

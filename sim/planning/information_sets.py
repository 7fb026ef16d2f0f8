"""A seat's information sets: the keys by which nodes are looked up.

They are made of what the seat has seen, never of what it does not know.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import fold
from sim.board import N_ROOMS
from sim.game import decider
from sim.state import ASK, PASS, SHOW, State


@jit
def after_state_key(players: int, s: State, own: int) -> np.uint64:
    """Return the key of what bears on the belief and the choices of the seat ``own`` alone.

    That is every suggestion since its last decision with the answer as seen here, who is out, and
    the own pawn and roll.  Where the other pawns stand says nothing about the cards and changes no
    list of actions.  With them in the key hardly any node below the own turn is met twice.  It is a
    departure from [Ledford 2018, s. 2.3 and app. A], whose states have the places of all pawns.
    """
    key = fold(fold(np.uint64(s.phase), s.roll), s.spot[own])
    key = fold(key, s.summoned[own])
    if s.last_room[own]:
        key = fold(key, s.last_room[own])
    for seat in range(players):
        key = fold(key, s.out[seat])
    for room in range(N_ROOMS):
        if s.named[own, room]:
            key = fold(fold(key, room), s.named[own, room])
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
    """Return ``key`` with the suggestions and the accusations since the last decision.

    As ``seat`` saw and heard them: an accusation is one that number 7 answers.
    """
    for i in range(s.events):
        event = s.event[i]
        key = fold(fold(key, 8 * event[0] + ((event[2] + 1) & 7)), event[1])
        if seat in (event[0], event[2]):
            key = fold(key, event[3] + 1)
    return key


def begins_turn(before: int, listed: np.ndarray) -> bool:
    """Return whether a node begins an own turn, by the action ``before`` it and those ``listed``.

    For trees that move one seat.  A turn ends with `PASS`, or where the rules know no end of turn
    as soon as rooms are on offer again.
    """
    return before == PASS or bool((listed < ASK).any())

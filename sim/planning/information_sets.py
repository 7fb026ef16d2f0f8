"""Information sets of a seat: node keys, computed only from its observations."""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import fold
from sim.board import N_ROOMS
from sim.game import decider
from sim.state import ASK, PASS, SHOW, State


@jit
def after_state_key(players: int, s: State, own: int) -> np.uint64:
    """Return the key of the information relevant to belief and choices of the seat ``own``.

    It includes the suggestions since its last decision with the answers it saw, the players out,
    and its own pawn and roll.  Other pawns carry no information about the cards and change no list
    of actions; with them in the key, nodes below the own turn are hardly ever revisited.  This
    departs from [Ledford 2018, s. 2.3 and app. A], whose states include all pawns.
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
    """Return the key of all observations of ``seat`` since the last decision, and of its cards."""
    key = fold(fold(fold(np.uint64(s.phase), s.roll), decider(s)), s.known[seat])
    for other in range(players):
        key = fold(fold(fold(key, s.spot[other]), s.out[other]), s.summoned[other])
    if s.phase == SHOW:
        key = fold(key, s.cards)
    return _fold_events(key, s, seat)


@jit
def _fold_events(key: np.uint64, s: State, seat: int) -> np.uint64:
    """Return ``key`` folded with the new events of ``seat``; accusations have answerer 7."""
    for i in range(s.events):
        event = s.event[i]
        key = fold(fold(key, 8 * event[0] + ((event[2] + 1) & 7)), event[1])
        if seat in (event[0], event[2]):
            key = fold(key, event[3] + 1)
    return key


def begins_turn(before: int, listed: np.ndarray) -> bool:
    """Return whether a node begins an own turn, by the action ``before`` and the ``listed`` ones.

    For trees that move one seat.  A turn ends with `PASS`, or, without an END phase, when rooms are
    offered again.
    """
    return before == PASS or bool((listed < ASK).any())

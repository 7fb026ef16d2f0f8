"""Observations of a seat: keys of its information sets, and outcomes at tree nodes.

An outcome is the answer to a suggestion, as the searching seat saw it.  Other observations since
its last decision are part of a node's key, but not of its outcome, so readers of a tree see them
aggregated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import fold
from sim.board import N_ROOMS
from sim.game import decider
from sim.state import ACCUSED, ASK, PASS, SHOW, State

NOTHING = 0
"""Outcome without a suggestion."""

_HOLDERS, _CARDS = 8, 32


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


class Answer(NamedTuple):
    """The answer to a suggestion.

    Attributes ``asker``, ``answerer``: seats, answerer -1 if no player showed a card; ``card``: the
    shown card, -1 if the searching seat did not see it.
    """

    asker: int
    answerer: int
    card: int


@jit
def answer_kind(s: State, seat: int, anybody: bool) -> int:
    """Return the number of the answer to the last suggestion of ``seat``, or `NOTHING`.

    With ``anybody`` to the last suggestion of any seat, for trees that move the others too.
    """
    for i in range(s.events - 1, -1, -1):
        event = s.event[i]
        if event[2] != ACCUSED and (anybody or event[0] == seat):
            card = event[3] if seat in (event[0], event[2]) else -1
            return 1 + (event[0] * _HOLDERS + event[2] + 1) * _CARDS + card + 1
    return NOTHING


def read_answer(kind: int) -> Answer | None:
    """Return the answer with number ``kind``; None for `NOTHING`."""
    if kind == NOTHING:
        return None
    rest, card = divmod(kind - 1, _CARDS)
    asker, answerer = divmod(rest, _HOLDERS)
    return Answer(asker, answerer - 1, card - 1)

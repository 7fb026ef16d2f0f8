"""A seat's information sets: the keys by which nodes are looked up, and what is kept of them.

Both are made of what the seat has seen, never of what it does not know.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import fold
from sim.cards import N_CARDS
from sim.game import decider
from sim.state import ASK, MAX_PLAYERS, PASS, SHOW, STATE, State
from sim.view import copy_open

_BY_SEAT = ("spot", "summoned", "last_room", "out", "suggestions", "walked")
_AS_IT_IS = ("phase", "turn", "seat", "roll", "asked", *_BY_SEAT, "public", "events", "event")
_OWN = ("known", "proved", "goal", "belief", "evidence")


def _of_one_seat(name: str) -> tuple[np.dtype, tuple[int, ...]]:
    """Return the type of the field ``name`` of `STATE` for one seat."""
    element, shape = STATE[name].subdtype
    return element, shape[1:]


SEEN = np.dtype(
    [
        *((name, STATE[name]) for name in _AS_IT_IS),
        *((name, *_of_one_seat(name)) for name in _OWN),
        ("shown", np.int64, (MAX_PLAYERS,)),  # the own row of ``has_shown``
    ]
)
"""A state as one seat sees it: what changes in a game, and is neither hidden nor follows from the
rest."""


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


@jit
def keep(s: State, own: int, seen: np.record) -> None:
    """Write what ``own`` sees of ``s`` to ``seen``, a record of `SEEN`."""
    copy_open(s, seen)
    seen.events = s.events
    for seat in range(MAX_PLAYERS):
        seen.shown[seat] = s.has_shown[own, seat]
    for card in range(N_CARDS):
        for holder in range(s.public.shape[1]):
            seen.public[card, holder] = s.public[card, holder]
            seen.belief[card, holder] = s.belief[own, card, holder]
    for i in range(s.events):
        for part in range(4):
            seen.event[i, part] = s.event[i, part]
        if own not in (s.event[i, 0], s.event[i, 2]):
            seen.event[i, 3] = -1
    seen.known, seen.proved, seen.goal = s.known[own], s.proved[own], s.goal[own]
    seen.evidence = s.evidence[own]


@jit
def recall(seen: np.record, own: int, s: State) -> None:
    """Write ``seen``, which `keep` wrote, into ``s``, a state of the same game and the same seat.

    What ``s`` has of the others' hands and knowledge is left as it is.
    """
    copy_open(seen, s)
    s.events = seen.events
    for seat in range(MAX_PLAYERS):
        s.has_shown[own, seat] = seen.shown[seat]
    for card in range(N_CARDS):
        s.bits[own, card] = -1.0
        for holder in range(s.public.shape[1]):
            s.public[card, holder] = seen.public[card, holder]
            s.belief[own, card, holder] = seen.belief[card, holder]
    for i in range(seen.events):
        for part in range(4):
            s.event[i, part] = seen.event[i, part]
    s.known[own], s.proved[own], s.goal[own] = seen.known, seen.proved, seen.goal
    s.evidence[own] = seen.evidence
    s.settled[own] = 0
    s.marginals_of = s.intention = 0


def begins_turn(before: int, listed: np.ndarray) -> bool:
    """Return whether a node begins an own turn, by the action ``before`` it and those ``listed``.

    For trees that move one seat.  A turn ends with `PASS`, or where the rules know no end of turn
    as soon as rooms are on offer again.
    """
    return before == PASS or bool((listed < ASK).any())

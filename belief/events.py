"""Observed answers as rows of integers: the input of every belief.

Events are an int64 array (n, 4) of rows (kind, player, cards, card): ``player`` PASSED on the mask
``cards``, or REFUTED_OTHER: it showed one of them to another player (``card`` is -1), or
REFUTED_US: it showed us ``card``; or NOT_ENVELOPE: a wrong accusation of ``cards``, one of each
category, was heard (``player``, the accuser or -1, is not read; ``card`` is -1).  Answers of the
observer's own seat add nothing: they are checked against its hand, and skipped.  Nothing here
consumes randomness.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import (
    ALL_CARDS,
    CATEGORY_MASK,
    N_CARDS,
    N_CATEGORIES,
    Evidence,
    count,
    note_card,
    note_not_envelope,
    note_pass,
    note_refutation,
)
from mcts.kernel.compile import jit
from mcts.kernel.fixed import FixedTypes

PASSED, REFUTED_OTHER, REFUTED_US, NOT_ENVELOPE = 0, 1, 2, 3
KIND, PLAYER, NAMED, CARD = 0, 1, 2, 3
"""The columns of an event."""


@jit
def note(ev: Evidence, kind: int, player: int, cards: int, card: int) -> None:
    """Add one event to the evidence ``ev``."""
    if kind == NOT_ENVELOPE:
        note_not_envelope(ev, cards)
    elif player == ev.seat:
        return
    elif kind == PASSED:
        note_pass(ev, player, cards)
    elif kind == REFUTED_OTHER:
        note_refutation(ev, player, cards)
    else:
        note_card(ev, player, card, cards)


@jit
def _record(records: np.ndarray, events: np.ndarray) -> bool:
    ev = records[0]
    for i in range(len(events)):
        note(ev, events[i, KIND], events[i, PLAYER], events[i, NAMED], events[i, CARD])
    return ev.contradiction != 0 or ev.overflow != 0


_RECORD = FixedTypes(_record)


def record(records: np.ndarray, events: np.ndarray) -> bool:
    """Add all rows of ``events`` to the evidence ``records[0]``; return whether it is faulty.

    `belief.evidence.check` names the fault.  ``records`` is no `recarray`, ``events`` come from
    `check_events`.
    """
    return _RECORD.call(records, events)


_FAULTS = (
    "the kind is none of PASSED, REFUTED_OTHER, REFUTED_US, NOT_ENVELOPE",
    "the table has no such player",
    "the cards are not a mask of some of the 21",
    "a question names at most one card of a category",
    "the card shown was not asked for",
    "that is our own seat, and our hand contradicts it",
    "an accusation names one card of each category",
)


@jit
def _fault_of(ev: Evidence, kind: int, player: int, cards: int, card: int) -> int:
    """Return the number of an event's own fault, or -1."""
    if not PASSED <= kind <= NOT_ENVELOPE:
        return 0
    unknown = kind == NOT_ENVELOPE and player == -1
    if not (unknown or 0 <= player < ev.players):
        return 1
    if not 0 < cards <= ALL_CARDS:
        return 2
    for inside in CATEGORY_MASK:
        if cards & inside & ((cards & inside) - 1):
            return 3
    if kind == REFUTED_US and not (0 <= card < N_CARDS and cards >> card & 1):
        return 4
    if kind == NOT_ENVELOPE:
        return -1 if count(cards) == N_CATEGORIES else 6
    if player == ev.seat:
        shown = 1 << card if kind == REFUTED_US else cards
        if (ev.has[player] & shown != 0) != (kind != PASSED):
            return 5
    return -1


@jit
def _first_bad(records: np.ndarray, events: np.ndarray) -> tuple[int, int]:
    """Return the first faulty row, and its fault; -1 twice if none has."""
    for i in range(len(events)):
        row = events[i]
        fault = _fault_of(records[0], row[KIND], row[PLAYER], row[NAMED], row[CARD])
        if fault >= 0:
            return i, fault
    return -1, -1


_FIRST_BAD = FixedTypes(_first_bad)


def check_events(events: np.ndarray, records: np.ndarray, before: int = 0) -> np.ndarray:
    """Return ``events`` as a contiguous int64 (n, 4) array.

    ``records``: the evidence that they will be added to, no `recarray`, only read; ``before``:
    number of earlier events, from which messages count.  Raises ValueError for a wrong shape or
    type, or an impossible row: an unknown kind, player or card, two suspects in one question, a
    card shown that was not asked for, an answer of our own that our hand contradicts, an accusation
    without one card of each category.
    """
    given = np.asarray(events)
    if given.ndim != 2 or given.shape[1] != 4 or (given.size and given.dtype.kind not in "iub"):
        raise ValueError(f"events must be integers (n, 4), not {given.dtype} {given.shape}")
    rows = np.ascontiguousarray(given, np.int64)
    bad, fault = _FIRST_BAD.call(records, rows)
    if bad >= 0:
        raise ValueError(f"event {before + bad}, {in_words(rows[bad])}: {_FAULTS[fault]}")
    return rows


def in_words(row: np.ndarray) -> str:
    """Return an event in words, with players and cards by number."""
    kind, player, cards, card = map(int, row)
    asked = ", ".join(str(one) for one in range(N_CARDS) if cards >> one & 1) or hex(cards)
    said = {
        PASSED: f"player {player} has none of the cards {asked}",
        REFUTED_OTHER: f"player {player} showed another player one of the cards {asked}",
        REFUTED_US: f"player {player} showed us card {card} of {asked}",
        NOT_ENVELOPE: f"the envelope is not cards {asked}",
    }
    return said.get(kind, f"kind {kind} of player {player}, cards {asked}")


def event(kind: int, player: int, cards: int, card: int = -1) -> np.ndarray:
    """Return one event as an array (1, 4)."""
    return np.array([[kind, player, cards, card]], np.int64)

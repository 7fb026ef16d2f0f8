"""Observed answers as rows of integers: the input of every belief.

Events are an int64 array (n, 4) of rows (kind, player, cards, card): ``player`` PASSED on the mask
``cards``, or REFUTED_OTHER: it showed one of them to somebody else (``card`` is -1), or REFUTED_US:
it showed us ``card``.
Answers of the observer's own seat add nothing and are skipped.
Nothing here consumes randomness.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import ALL_CARDS, N_CARDS, Evidence, note_card, note_pass, note_refutation
from mcts.kernel.compile import jit
from mcts.kernel.fixed import FixedTypes

PASSED, REFUTED_OTHER, REFUTED_US = 0, 1, 2
KIND, PLAYER, NAMED, CARD = 0, 1, 2, 3
"""The columns of an event."""


@jit
def note(ev: Evidence, kind: int, player: int, cards: int, card: int) -> None:
    """Add one event to the evidence ``ev``."""
    if player == ev.seat:
        return
    if kind == PASSED:
        note_pass(ev, player, cards)
    elif kind == REFUTED_OTHER:
        note_refutation(ev, player, cards)
    else:
        note_card(ev, player, card, cards)


@jit
def _record(records: np.ndarray, events: np.ndarray) -> bool:
    """Do what `record` says."""
    ev = records[0]
    for i in range(len(events)):
        note(ev, events[i, KIND], events[i, PLAYER], events[i, NAMED], events[i, CARD])
    return ev.contradiction != 0 or ev.overflow != 0


_RECORD = FixedTypes(_record)


def record(records: np.ndarray, events: np.ndarray) -> bool:
    """Add all rows of ``events`` to the evidence ``records[0]``; return whether something is wrong.

    What it is, `belief.evidence.check` says.  ``records`` is no `recarray`, ``events`` come from
    `check_events`.
    """
    return _RECORD.call(records, events)


@jit
def _first_bad(events: np.ndarray, players: int) -> int:
    """Return the index of the first row that is no event of a game of ``players``, or -1."""
    for i in range(len(events)):
        kind, player, cards = events[i, KIND], events[i, PLAYER], events[i, NAMED]
        good = PASSED <= kind <= REFUTED_US and 0 <= player < players and 0 < cards <= ALL_CARDS
        if good and kind == REFUTED_US:
            good = 0 <= events[i, CARD] < N_CARDS and cards >> events[i, CARD] & 1 == 1
        if not good:
            return i
    return -1


_FIRST_BAD = FixedTypes(_first_bad)


def check_events(events: np.ndarray, players: int) -> np.ndarray:
    """Return ``events`` as a contiguous int64 (n, 4) array.

    Raises ValueError if the shape is another, or a row names an unknown kind, player or card, or a
    card shown that was not asked for.
    """
    rows = np.ascontiguousarray(events, np.int64)
    if rows.ndim != 2 or rows.shape[1] != 4:
        raise ValueError(f"events must be an array (n, 4), not {rows.shape}")
    bad = _FIRST_BAD.call(rows, players)
    if bad >= 0:
        raise ValueError(f"event {bad}, {rows[bad].tolist()}, is no event for {players} players")
    return rows


def event(kind: int, player: int, cards: int, card: int = -1) -> np.ndarray:
    """Return one event as an array (1, 4)."""
    return np.array([[kind, player, cards, card]], np.int64)

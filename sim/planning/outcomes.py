"""Outcomes at the nodes of a tree: the answer to a suggestion, as the searching seat saw it.

What else was seen since its last decision, the others' suggestions among it, is part of a node's
key and not of its outcome: readers of a tree see it rolled up.
"""

from __future__ import annotations

from typing import NamedTuple

from mcts.kernel.compile import jit
from sim.state import ACCUSED, State

NOTHING = 0
"""No suggestion that belongs to an outcome."""

_HOLDERS, _CARDS = 8, 32


class Answer(NamedTuple):
    """A suggestion's answer.

    Attributes ``asker``, ``answerer``: seats; the answerer is -1 if nobody showed a card; ``card``:
    that was shown; -1 if the searching seat did not see it.
    """

    asker: int
    answerer: int
    card: int


@jit
def answer_kind(s: State, seat: int, anybody: bool) -> int:
    """Return the number of the answer to the last suggestion of ``seat``, `NOTHING` without one.

    With ``anybody`` to the last of any seat, for trees in which the others decide too.
    """
    for i in range(s.events - 1, -1, -1):
        event = s.event[i]
        if event[2] != ACCUSED and (anybody or event[0] == seat):
            card = event[3] if seat in (event[0], event[2]) else -1
            return 1 + (event[0] * _HOLDERS + event[2] + 1) * _CARDS + card + 1
    return NOTHING


def read_answer(kind: int) -> Answer | None:
    """Return the answer that has the number ``kind``; None of `NOTHING`."""
    if kind == NOTHING:
        return None
    rest, card = divmod(kind - 1, _CARDS)
    asker, answerer = divmod(rest, _HOLDERS)
    return Answer(asker, answerer - 1, card - 1)

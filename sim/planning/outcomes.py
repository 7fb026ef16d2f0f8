"""Outcomes at tree nodes: the answer to a suggestion, as the searching seat saw it.

Other observations since its last decision are part of a node's key, but not of its outcome, so
readers of a tree see them aggregated.
"""

from __future__ import annotations

from typing import NamedTuple

from mcts.kernel.compile import jit
from sim.state import ACCUSED, State

NOTHING = 0
"""Outcome without a suggestion."""

_HOLDERS, _CARDS = 8, 32


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

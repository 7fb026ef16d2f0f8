"""The public view: where the cards are for an observer without cards who sees public events only.

A view is a float64 array (21, 7) like that of `belief.matrix`.  It starts from hands of known
sizes.  A player who shows a card has at least one of the three: by Bayes, with independent cards,
the odds that it has a given one are divided by the probability that one of the two others had to be
shown anyway.  Every seat knows at least this.  A row with one candidate left is certain; a
contradiction under independence changes nothing.  Nothing here consumes randomness or allocates.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import CATEGORY_MASK, ENVELOPE, HOLDERS, count, lowest
from belief.matrix import note_not_envelope as note_not_envelope
from belief.matrix import note_pass
from mcts.kernel.compile import jit

_FLOOR = 1e-9


@jit
def open_view(view: np.ndarray, players: int, hand_sizes: np.ndarray, face_up: int) -> None:
    """Fill ``view`` (21, 7) with the public knowledge after hands of ``hand_sizes`` are dealt.

    ``face_up`` is the mask of the cards that lie open.
    """
    dealt = 0
    for player in range(players):
        dealt += hand_sizes[player]
    for cards in CATEGORY_MASK:
        hidden = cards & ~face_up
        rest = cards
        while rest:
            card = lowest(rest)
            rest &= rest - 1
            for holder in range(HOLDERS):
                view[card, holder] = 0.0
            if hidden >> card & 1:
                envelope = 1.0 / count(hidden)
                view[card, ENVELOPE] = envelope
                for player in range(players):
                    view[card, player + 1] = (1.0 - envelope) * hand_sizes[player] / dealt


@jit
def must_show(view: np.ndarray, player: int, cards: int) -> float:
    """Return the probability that ``player`` has one of ``cards`` (mask), assumed independent."""
    none = 1.0
    while cards:
        none *= 1.0 - view[lowest(cards), player + 1]
        cards &= cards - 1
    return 1.0 - none


@jit
def note_refutation(view: np.ndarray, player: int, cards: int) -> None:
    """Condition on ``player`` having at least one of the three ``cards`` (mask)."""
    some = must_show(view, player, cards)
    if some < _FLOOR:
        return
    # Probability that one of the others had to be shown, of all three before any row changes.
    first, second, third = cards & -cards, 0, 0
    rest = cards & (cards - 1)
    if rest:
        second = rest & -rest
        third = rest & (rest - 1)
    others = (
        must_show(view, player, second | third),
        must_show(view, player, first | third),
        must_show(view, player, first | second),
    )
    _raise(view, player, first, others[0], some)
    _raise(view, player, second, others[1], some)
    _raise(view, player, third, others[2], some)


@jit
def _raise(view: np.ndarray, player: int, bit: int, others: float, some: float) -> None:
    """Raise the odds that ``player`` has the card ``bit``, which may be the one shown."""
    if bit == 0:
        return
    card = lowest(bit)
    elsewhere = 1.0 - view[card, player + 1]
    if elsewhere <= _FLOOR:
        return
    if others <= _FLOOR:
        for holder in range(HOLDERS):
            view[card, holder] = 0.0
        view[card, player + 1] = 1.0
        return
    for holder in range(HOLDERS):
        if holder == player + 1:
            view[card, holder] /= some
        else:
            view[card, holder] *= others / some


@jit
def witness(
    view: np.ndarray, players: int, asker: int, cards: int, answerer: int, face_up: int
) -> None:
    """Update on one suggestion of ``cards`` (mask) by ``asker``; ``answerer`` -1: all passed."""
    named = cards & ~face_up
    for step in range(1, players):
        player = asker + step if asker + step < players else asker + step - players
        if player == answerer:
            note_refutation(view, player, named)
            return
        note_pass(view, player, named)

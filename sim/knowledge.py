"""What each seat learns from a suggestion, in the forms that compiled policies use.

A seat learns from who passed, who showed a card and, where it asked, which card: never from the
hands themselves.  Three forms are kept: sets of cards that it has seen or proved (all seats), the
factored belief of [Ledford 2018, App. B] (seats whose policy reads it), and the evidence from which
the exact posterior is computed (planners, outside the state).
"""

from __future__ import annotations

import numpy as np

from belief import evidence, factored
from mcts.kernel.compile import jit
from sim.cards import CATEGORIES, N_CARDS


@jit
def count(cards: int) -> int:
    """Return the number of cards in the mask ``cards``."""
    n = 0
    while cards:
        cards &= cards - 1
        n += 1
    return n


@jit
def begin(world: np.record, s: np.record, seat: int) -> None:
    """Reset what ``seat`` knows to its hand and the cards that lie face up."""
    s.known[seat] = s.hand[seat] | s.face_up
    s.proved[seat] = 0
    s.goal[seat] = -1
    if s.tracks[seat]:
        factored.start(s.belief[seat], world.players, seat, s.hand[seat], s.face_up)


@jit
def learn(
    world: np.record, s: np.record, seat: int, asker: int, cards: int, answerer: int, card: int
) -> None:
    """Let ``seat`` learn from one suggestion of ``cards``.

    ``card`` is read only where ``seat`` is the asker; ``answerer`` is -1 if everybody passed.
    """
    if s.tracks[seat]:
        matrix = s.belief[seat]
        passer = asker + 1 if asker + 1 < world.players else 0
        last = asker if answerer < 0 else answerer
        while passer != last:
            if passer != seat:
                factored.passed(matrix, passer, cards)
            passer = passer + 1 if passer + 1 < world.players else 0
        if answerer >= 0 and answerer != seat:
            if seat == asker:
                factored.shown(matrix, answerer, card)
            else:
                factored.showed(matrix, answerer, cards, N_CARDS - count(s.known[seat]))
    if seat == asker:
        if answerer >= 0:
            s.known[seat] |= 1 << card
        else:
            s.proved[seat] |= cards & ~s.known[seat]


@jit
def solved(s: np.record, seat: int) -> int:
    """Return the envelope as a mask if ``seat`` knows it from its sets of cards, else 0.

    A category is known when a card of it is proved, or when all its cards but one have been seen.
    """
    found = 0
    for category in range(3):
        members = CATEGORIES[category]
        left = s.proved[seat] & members
        if not left:
            left = members & ~s.known[seat]
        if left & (left - 1):
            return 0
        found |= left
    return found


@jit
def witness(
    world: np.record,
    ev: np.record,
    seat: int,
    asker: int,
    cards: int,
    answerer: int,
    card: int,
) -> None:
    """Add one suggestion to the evidence ``ev`` of ``seat``.

    ``card`` is read only where ``seat`` asked.  `belief.evidence` flags contradictions.
    """
    passer = asker + 1 if asker + 1 < world.players else 0
    last = asker if answerer < 0 else answerer
    while passer != last:
        if passer != seat:
            evidence.passed(ev, passer, cards)
        passer = passer + 1 if passer + 1 < world.players else 0
    if answerer >= 0 and answerer != seat:
        if seat == asker:
            evidence.shown(ev, answerer, card, cards)
        else:
            evidence.showed(ev, answerer, cards)

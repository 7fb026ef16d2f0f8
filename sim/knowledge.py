"""What each seat learns from a suggestion, in the forms that compiled policies use.

A seat learns from who passed, who showed a card and, where it asked, which card: never from the
hands themselves.  Three forms are kept: the set of cards that it has seen (all seats), the
factored belief of [Ledford 2018, App. B] (seats whose policy reads it), and the evidence from which
the exact posterior is computed (planners, outside the state).
"""

from __future__ import annotations

import numpy as np

from belief import evidence, factored
from belief.evidence import count, lowest
from mcts.kernel.compile import jit
from sim.cards import ALL_CARDS, CATEGORIES, N_CARDS


@jit
def begin(world: np.record, s: np.record, seat: int) -> None:
    """Reset what ``seat`` knows to its hand and the cards that lie face up."""
    s.known[seat] = s.hand[seat] | s.face_up
    s.goal[seat] = -1
    if s.tracks[seat]:
        factored.start(s.belief[seat], world.players, seat, s.hand[seat], s.face_up)
        s.bits[seat][:] = -1.0


@jit
def row_bits(s: np.record, seat: int, card: int) -> float:
    """Return the entropy in bits of where ``card`` is, in the factored belief of ``seat``."""
    if s.bits[seat, card] < 0.0:
        s.bits[seat, card] = factored.row_entropy(s.belief[seat], card)
    return s.bits[seat, card]


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
        rest = cards
        while rest:
            s.bits[seat, lowest(rest)] = -1.0
            rest &= rest - 1
    if seat == asker and answerer >= 0:
        s.known[seat] |= 1 << card


@jit
def solved(s: np.record, seat: int) -> int:
    """Return the envelope as a mask if ``seat`` has seen all other cards, else 0."""
    unseen = ALL_CARDS & ~s.known[seat]
    for category in CATEGORIES:
        left = unseen & category
        if left & (left - 1):
            return 0
    return unseen


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

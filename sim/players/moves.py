"""Steps common to the players of the papers: accuse, walk to a wanted room, suggest.

``chances``, float64 (21,), are the probabilities of the cards to be in the envelope, each category
summing to 1; ``s`` is the state as the seat sees it (`sim.view`).  Sets of rooms are masks of
rooms, bit r for room r; sets of cards are masks of cards.  Nothing here consumes randomness.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import lowest
from mcts.kernel.compile import jit
from sim.cards import CATEGORY_MASK, FIRST_ROOM, FIRST_WEAPON
from sim.policies.common import accusation, may_accuse, was_heard
from sim.policies.walking import enter_again
from sim.state import ASK, END, PASS, SUGGEST, State, World

NOTHING = 1e-9
"""A chance up to this counts as 0."""

WALKS = -1
"""No action: the pawn is to be moved."""


@jit
def likeliest(chances: np.ndarray, cards: int) -> int:
    """Return the likeliest card of the mask ``cards`` (not 0), of equals the first listed."""
    best, most = -1, -1.0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        if chances[card] > most:
            best, most = card, chances[card]
    return best


@jit
def open_cards(chances: np.ndarray, cards: int, threshold: float) -> int:
    """Return those of the mask ``cards`` with a chance above 0 and below ``threshold``."""
    found, rest = 0, cards
    while rest:
        card = lowest(rest)
        rest &= rest - 1
        if NOTHING < chances[card] < threshold:
            found |= 1 << card
    return found


@jit
def find_certain(chances: np.ndarray, threshold: float) -> int:
    """Return the likeliest envelope (mask) if each of its cards reaches ``threshold``, else 0."""
    found = 0
    for kind in CATEGORY_MASK:
        card = likeliest(chances, kind)
        if chances[card] < threshold:
            return 0
        found |= 1 << card
    return found


@jit
def wanted_rooms(chances: np.ndarray, threshold: float) -> int:
    """Return the rooms to enter: the one that reaches ``threshold``, else all open ones."""
    best = likeliest(chances, CATEGORY_MASK[2])
    if chances[best] >= threshold:
        return 1 << best >> FIRST_ROOM
    return open_cards(chances, CATEGORY_MASK[2], threshold) >> FIRST_ROOM


@jit
def named_card(chances: np.ndarray, hand: int, kind: int, threshold: float) -> int:
    """Return the card of the category ``kind`` to name: the likeliest open one, else an own one.

    Of several own ones it is the first listed; without any, the likeliest card.
    """
    category = CATEGORY_MASK[kind]
    still_open = open_cards(chances, category, threshold)
    if still_open:
        return likeliest(chances, still_open)
    own = hand & category
    return lowest(own) if own else likeliest(chances, category)


@jit
def suggestion(chances: np.ndarray, hand: int, threshold: float) -> int:
    """Return the suggestion of `named_card` of either category, where the pawn is."""
    suspect = named_card(chances, hand, 0, threshold)
    weapon = named_card(chances, hand, 1, threshold)
    return ASK + 6 * suspect + weapon - FIRST_WEAPON


@jit
def asks_something(
    world: World, s: State, seat: int, chances: np.ndarray, threshold: float
) -> bool:
    """Return whether a suggestion where the pawn is may be about a card that is open."""
    here = 1 << FIRST_ROOM << world.room_of[s.spot[seat]]
    return open_cards(chances, CATEGORY_MASK[0] | CATEGORY_MASK[1] | here, threshold) != 0


@jit
def settle(world: World, s: State, seat: int, chances: np.ndarray, threshold: float) -> int:
    """Return what a turn's phase asks for, or `WALKS` [Cai & Ferrari 2006, s. IV-B].

    It accuses, at the start or the end of its turn, when all three maxima reach ``threshold``, and
    suggests as often as it may: when summoned too, unless nothing is open there.  Then it walks
    "to the nearest room where 0 < P < 90 %": players that know suspect and weapon and name their
    own would else summon each other round two closed rooms without end.
    """
    if s.phase != SUGGEST:
        envelope = find_certain(chances, threshold) if may_accuse(world, s) else 0
        if envelope and not was_heard(s, envelope):
            return accusation(envelope)
        if s.phase == END:
            return PASS
        if not s.summoned[seat] or not asks_something(world, s, seat, chances, threshold):
            return WALKS
    return suggestion(chances, s.hand[seat], threshold)


@jit
def decide(
    worlds: np.ndarray,
    views: np.ndarray,
    seat: int,
    chances: np.ndarray,
    threshold: float,
    again: int,
) -> int:
    """Return the action of a turn's phase: `settle`, or a walk to the nearest room that is wanted.

    ``worlds`` and ``views`` are plain arrays of one record each, which a kernel is handed sooner
    than records.
    """
    world, s = worlds[0], views[0]
    action = settle(world, s, seat, chances, threshold)
    if action == WALKS:
        return enter_again(world, s, seat, wanted_rooms(chances, threshold), again)
    return action

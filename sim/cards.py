"""The 21 cards: names, categories and sets of cards as bit masks.

Card numbers are those of `belief.evidence`: suspects 0-5, weapons 6-11, rooms 12-20.
"""

from __future__ import annotations

from collections.abc import Iterable

from belief.evidence import ALL_CARDS as ALL_CARDS
from belief.evidence import CATEGORY_MASK as CATEGORY_MASK
from belief.evidence import CATEGORY_START
from belief.evidence import N_CARDS as N_CARDS

SUSPECTS = ("Mustard", "Scarlett", "Plum", "Green", "White", "Peacock")
WEAPONS = ("knife", "rope", "candlestick", "lead pipe", "revolver", "wrench")
ROOMS = (
    "Study",
    "Hall",
    "Lounge",
    "Library",
    "Billiard Room",
    "Dining Room",
    "Conservatory",
    "Ballroom",
    "Kitchen",
)
CARDS = SUSPECTS + WEAPONS + ROOMS

FIRST_WEAPON, FIRST_ROOM = CATEGORY_START[1:3]


def cards_of(mask: int) -> list[str]:
    """Return the names of the cards in a mask, in the order of `CARDS`."""
    return [name for card, name in enumerate(CARDS) if int(mask) >> card & 1]


def mask_of(names: Iterable[str]) -> int:
    """Return the mask of the cards ``names``; raises ValueError for an unknown card."""
    mask = 0
    for name in names:
        if name not in CARDS:
            raise ValueError(f"{name!r} is no card: choose from {', '.join(CARDS)}")
        mask |= 1 << CARDS.index(name)
    return mask

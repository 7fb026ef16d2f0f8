"""The 21 cards: names, categories and sets of cards as bit masks.

Card numbers are those of `belief.evidence`: suspects 0-5, weapons 6-11, rooms 12-20.
"""

from __future__ import annotations

from belief.evidence import ALL_CARDS, CATEGORY_START
from belief.evidence import CARDS as N_CARDS
from belief.evidence import CATEGORY_MASK as CATEGORIES

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

__all__ = [
    "ALL_CARDS",
    "CARDS",
    "CATEGORIES",
    "FIRST_ROOM",
    "FIRST_WEAPON",
    "N_CARDS",
    "ROOMS",
    "SUSPECTS",
    "WEAPONS",
]

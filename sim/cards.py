"""The 21 cards: names, categories and sets of cards as bit masks.

Card numbers are those of `belief.evidence`: suspects 0-5, weapons 6-11, rooms 12-20.
"""

from __future__ import annotations

from belief.evidence import ALL_CARDS, CATEGORY_MASK, CATEGORY_START, N_CARDS

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
    "CATEGORY_MASK",
    "FIRST_ROOM",
    "FIRST_WEAPON",
    "N_CARDS",
    "ROOMS",
    "SUSPECTS",
    "WEAPONS",
]

"""The 21 cards: names, categories and sets of cards as bit masks.

Card numbers are those of `belief.evidence`: suspects 0-5, weapons 6-11, rooms 12-20.
"""

from __future__ import annotations

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

N_CARDS = len(CARDS)
FIRST_WEAPON = len(SUSPECTS)
FIRST_ROOM = FIRST_WEAPON + len(WEAPONS)
ALL_CARDS = (1 << N_CARDS) - 1
CATEGORIES = (
    (1 << FIRST_WEAPON) - 1,
    (1 << FIRST_ROOM) - (1 << FIRST_WEAPON),
    (1 << N_CARDS) - (1 << FIRST_ROOM),
)
"""The suspects, weapons and rooms as masks."""

"""Actions as English text."""

from __future__ import annotations

from sim.board import graph
from sim.cards import CARDS, ROOMS, SUSPECTS, WEAPONS
from sim.state import ACCUSE, ASK, MOVE, PASS, PASSAGE, REVEAL, WALK


def action_to_string(action: int) -> str:
    """Return ``action`` as text; "here" is the pawn's room at that time."""
    if action < PASSAGE:
        return f"walk to the {ROOMS[action - MOVE]}"
    if action == PASSAGE:
        return "take the passage"
    if action < ACCUSE:
        suspect, weapon = divmod(action - ASK, len(WEAPONS))
        return f"suggest {SUSPECTS[suspect]} with the {WEAPONS[weapon]} here"
    if action < REVEAL:
        pair, room = divmod(action - ACCUSE, len(ROOMS))
        suspect, weapon = divmod(pair, len(WEAPONS))
        return f"accuse {SUSPECTS[suspect]} with the {WEAPONS[weapon]} in the {ROOMS[room]}"
    if action < PASS:
        return f"show the {CARDS[action - REVEAL]}"
    if action == PASS:
        return "pass"
    return "walk to ({}, {})".format(*graph().nodes[action - WALK]["xy"])

"""Actions and events as English text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sim.board import graph
from sim.cards import CARDS, FIRST_ROOM, FIRST_WEAPON, ROOMS, SUSPECTS, WEAPONS
from sim.state import ACCUSE, ASK, MOVE, PASS, PASSAGE, REVEAL, WALK

_STARTS = (0, FIRST_WEAPON, FIRST_ROOM, len(CARDS))
"""First card of each category, and the end."""


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


def event_to_string(event: dict[str, Any], names: Sequence[str] | None = None) -> str:
    """Return an event of a record (`sim.records.events`) as text.

    If no seat is named, the subject is the current seat.  ``names``: player names by seat; None
    uses seat numbers.
    """

    def who(seat: int) -> str:
        return f"seat {seat}" if names is None else names[seat]

    cards = ", ".join(event.get("cards", ()))
    match event:
        case {"event": "deal", "seat": seat}:
            return f"{who(seat)} is dealt {cards}"
        case {"event": "face_up"}:
            return f"face up: {cards or 'no card'}"
        case {"event": "envelope"}:
            return f"in the envelope: {cards}"
        case {"event": "roll", "steps": steps}:
            return f"rolls {steps}"
        case {"event": "move", "goal": goal}:
            return f"makes for {goal}"
        case {"event": "walk", "xy": xy}:
            return f"makes for {_square(xy)}"
        case {"event": "stay"}:
            return "stays"
        case {"event": "reach", "xy": xy, "room": room}:
            return f"is now in {room}" if room else f"is now on {_square(xy)}"
        case {"event": "passage", "room": room}:
            return f"takes the passage to {room}"
        case {"event": "suggestion", "called": called}:
            return f"suggests {cards}" + ("" if called is None else f" ({who(called)} is called)")
        case {"event": "refute", "by": None}:
            return "no player can answer"
        case {"event": "refute", "unable": unable, "by": by}:
            passed = ", ".join(map(who, unable))
            return (f"{passed} cannot answer, " if unable else "") + f"{who(by)} shows a card"
        case {"event": "show", "card": card}:
            return f"the card is {card}"
        case {"event": "accusation"}:
            return f"accuses {cards}"
        case {"event": "verdict", "right": right}:
            return "the accusation is right" if right else "the accusation is wrong"
        case {"event": "pass"}:
            return "ends the turn"
        case {"event": "belief", "evidence": evidence, "envelope": chances}:
            likely = (max(range(*ends), key=chances.__getitem__) for ends in pairwise(_STARTS))
            held = ", ".join(f"{CARDS[card]} {chances[card]:.0%}" for card in likely)
            return f"believes by {evidence}: {held}"
        case {"event": "thought", "by": by, "seconds": seconds}:
            return f"{who(by)} thinks for {seconds:g} s"
    winner = "no player wins" if event["winner"] is None else f"{who(event['winner'])} wins"
    return f"{winner}: it was {', '.join(event['envelope'])}"


def _square(xy: list[int]) -> str:
    return f"({xy[0]}, {xy[1]})"

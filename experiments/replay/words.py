"""Events of a game in words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from sim.cards import CARDS, FIRST_ROOM, FIRST_WEAPON
from sim.records.events import Event

_STARTS = (0, FIRST_WEAPON, FIRST_ROOM, len(CARDS))
"""First cards of suspects, weapons and rooms, and the end."""


def in_words(event: Event, names: Sequence[str] | None = None) -> str:
    """Return what happened, in words; the seat, where it is not named, is whose turn it is.

    ``names`` are those of the players, by seat; None calls them by number.
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
            return "nobody can answer"
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
    winner = "nobody wins" if event["winner"] is None else f"{who(event['winner'])} wins"
    return f"{winner}: it was {', '.join(event['envelope'])}"


def _square(xy: list[int]) -> str:
    return f"({xy[0]}, {xy[1]})"

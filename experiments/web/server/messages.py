"""Messages to viewers: functions of the events that they know and of the question to a seat.

Nothing here has access to a game or a table, so no message can contain a hidden card.
"""

from __future__ import annotations

import json
from typing import Any

from experiments.web.tables import driver
from experiments.web.tables.table import Prompt
from sim.board import graph
from sim.cards import CARDS, ROOMS, SUSPECTS, WEAPONS
from sim.records.events import Event
from sim.state import ACCUSE, ASK, MOVE, PASS, PASSAGE, REVEAL, WALK

Message = dict[str, Any]

_WITHHELD = ("known_to", "digest", "check")
"""Keys of events that no viewer gets: other players' knowledge, and hashes of all cards."""

OVER: Message = {"kind": "over"}
HALTED: Message = {"kind": "halted", "error": driver.HALTED}


def event(known: Event) -> Message:
    """Return the message of an event that the viewer knows."""
    return {
        "kind": "event",
        "event": {key: value for key, value in known.items() if key not in _WITHHELD},
    }


def waiting(seat: int) -> Message:
    """Return the message that all players wait for ``seat``."""
    return {"kind": "waiting", "seat": seat}


def trouble(sentence: str | None) -> Message:
    """Return the message why the game has stopped for now; None: that it continues."""
    return {"kind": "trouble", "error": sentence}


def prompt(question: Prompt) -> Message:
    """Return the message that asks a seat ``question``.

    All accusations are one choice; the accuser then names the cards.
    """
    choices = [choice(action) for action in question.choices if not ACCUSE <= action < REVEAL]
    if len(choices) < len(question.choices):
        choices.append({"kind": "accuse"})
    about = {key: getattr(question, key) for key in ("number", "seat", "shows")}
    return {"kind": "prompt", "prompt": {**about, "choices": choices}}


def choice(action: int) -> dict[str, Any]:
    """Return ``action``, not an accusation, as the page shows it."""
    if action < PASSAGE:
        about: Message = {"kind": "move", "room": ROOMS[action - MOVE]}
    elif action == PASSAGE:
        about = {"kind": "passage"}
    elif action < ACCUSE:
        suspect, weapon = divmod(action - ASK, len(WEAPONS))
        about = {"kind": "suggest", "suspect": SUSPECTS[suspect], "weapon": WEAPONS[weapon]}
    elif action < PASS:
        about = {"kind": "show", "card": CARDS[action - REVEAL]}
    elif action == PASS:
        about = {"kind": "pass"}
    else:
        about = {"kind": "walk", "xy": list(graph().nodes[action - WALK]["xy"])}
    return {"action": action, **about}


def encode(message: Message, number: int | None = None) -> bytes:
    """Return ``message`` as a server-sent event, with the id ``number`` unless it is None."""
    text = json.dumps(message, separators=(",", ":"), allow_nan=False)
    name = "" if number is None else f"id: {number}\n"
    return f"{name}data: {text}\n\n".encode()

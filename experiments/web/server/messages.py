"""What a viewer is sent: a function of the events that it knows and, for who is asked, the prompt.

Nothing here sees a game or a table, so nothing here can tell of a hidden card.
"""

from __future__ import annotations

import json
from typing import Any

from experiments.web.tables.table import Prompt
from sim.board import graph
from sim.cards import CARDS, ROOMS, SUSPECTS, WEAPONS
from sim.records.events import Event
from sim.state import ACCUSE, ASK, MOVE, PASS, PASSAGE, REVEAL, WALK

Message = dict[str, Any]

_KEPT_BACK = ("known_to", "digest", "check")
"""Keys of events that nobody is sent: who else knows, and hashes of all cards."""

OVER: Message = {"kind": "over"}
HALTED: Message = {"kind": "halted", "error": "this game cannot go on: see the server's terminal"}


def event(told: Event) -> Message:
    """Return the message of an event that the viewer knows of."""
    shown = {key: value for key, value in told.items() if key not in _KEPT_BACK}
    return {"kind": "event", "event": shown}


def waiting(seat: int) -> Message:
    """Return the message that all wait for ``seat``."""
    return {"kind": "waiting", "seat": seat}


def trouble(sentence: str | None) -> Message:
    """Return the message why the game does not go on for now; None: that it does again."""
    return {"kind": "trouble", "error": sentence}


def prompt(question: Prompt) -> Message:
    """Return the message in which its seat is asked ``question``.

    All accusations are one choice, of which the asker names the cards.
    """
    choices = [choice(action) for action in question.choices if not ACCUSE <= action < REVEAL]
    if len(choices) < len(question.choices):
        choices.append({"kind": "accuse"})
    about = {key: getattr(question, key) for key in ("number", "seat", "shows")}
    return {"kind": "prompt", "prompt": {**about, "choices": choices}}


def choice(action: int) -> dict[str, Any]:
    """Return what ``action`` is, as the page shows it."""
    if action < PASSAGE:
        return {"action": action, "kind": "move", "room": ROOMS[action - MOVE]}
    if action == PASSAGE:
        return {"action": action, "kind": "passage"}
    if action < ACCUSE:
        suspect, weapon = divmod(action - ASK, len(WEAPONS))
        cards = {"suspect": SUSPECTS[suspect], "weapon": WEAPONS[weapon]}
        return {"action": action, "kind": "suggest", **cards}
    if action < REVEAL:
        pair, room = divmod(action - ACCUSE, len(ROOMS))
        suspect, weapon = divmod(pair, len(WEAPONS))
        cards = {"suspect": SUSPECTS[suspect], "weapon": WEAPONS[weapon], "room": ROOMS[room]}
        return {"action": action, "kind": "accuse", **cards}
    if action < PASS:
        return {"action": action, "kind": "show", "card": CARDS[action - REVEAL]}
    if action == PASS:
        return {"action": action, "kind": "pass"}
    return {"action": action, "kind": "walk", "xy": list(graph().nodes[action - WALK]["xy"])}


def written(message: Message, number: int | None = None) -> bytes:
    """Return ``message`` as a server-sent event, with ``number`` as its id if it has one."""
    text = json.dumps(message, separators=(",", ":"), allow_nan=False)
    name = "" if number is None else f"id: {number}\n"
    return f"{name}data: {text}\n\n".encode()

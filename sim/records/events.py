"""Effects of an action as events: the lines of a game record.

The events are computed from the true state before and after an action, by the writer of a record
(`sim.records.record`) and by its reader (`sim.records.replay`) alike.

An event is a JSON dict with the keys ``turn`` (0 for the deal), ``seat`` (whose turn it is, whose
hand is dealt, or None), ``event``, the keys in `EVENTS`, and ``known_to``: "all", or the seats that
know it.  A decision and its public effect are separate events if they differ:

* The destination of a walk is private: the seat knows ``move``, ``walk`` and ``stay``; all know
  ``reach``.
* The accuser knows a wrong accusation, and all do if it is heard; all know its ``verdict``.
* A ``belief``, in records with beliefs only, is the changed belief of the seat to move, before its
  decision.  The state machine does not produce it.
* A ``thought`` is the time that a person took for the next decision, or to show a single card.  The
  state machine does not produce it either.
* All know that a card is shown (``refute``); asker and answerer know which (``show``).  A single
  matching card also has an ``action``, because the asker must not learn whether there was a choice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from sim.board import N_CORRIDOR, graph
from sim.cards import CARDS, ROOMS, SUSPECTS, WEAPONS
from sim.cards import cards_of as names
from sim.state import ACCUSE, ASK, END, MOVE, OVER, PASS, PASSAGE, REVEAL, WALK, State, World

Event = dict[str, Any]

EVENTS = {
    # the deal
    "deal": ("cards",),
    "face_up": ("cards",),
    "envelope": ("cards",),
    # a turn
    "roll": ("steps",),
    "move": ("goal", "action"),
    "walk": ("xy", "action"),  # to this square, under free movement
    "stay": ("action",),
    "reach": ("xy", "room"),  # new place of the pawn; room: null in the corridor
    "passage": ("xy", "room", "action"),
    "suggestion": ("cards", "called", "action"),  # called: seat of the moved pawn, or null
    "refute": ("unable", "by"),  # seats that passed; seat that shows a card, or null
    "show": ("by", "card", "action"),
    "accusation": ("cards", "action"),
    "verdict": ("right",),
    "pass": ("action",),  # ends the turn without an accusation
    # belief of a seat: kind, P(card in envelope) of the 21 cards, and null or evidence tables:
    # cards of the columns, owners of the rows and entries, by category
    "belief": ("evidence", "envelope", "tables"),
    # seat of a person, kind of the decided event, and thinking time
    "thought": ("by", "kind", "seconds"),
    # the last line; winner: seat, or null; check: see `sim.records.record`
    "end": ("winner", "turns", "envelope", "digest", "check"),
}
"""Keys of each event besides ``turn``, ``seat``, ``event`` and ``known_to``."""

BESIDE = ("belief", "thought")
"""Events that are no part of the game: no action produces them."""

_END_STATE = (
    "winner",
    "turn",
    "asked",
    "envelope",
    "face_up",
    "hand",
    "spot",
    "summoned",
    "out",
    "suggestions",
    "known",
    "has_shown",
)
"""State fields of the digest: those that do not depend on the kinds of players."""


def keys(kind: str) -> tuple[str, ...]:
    """Return the keys of an event of ``kind``, in order."""
    return ("turn", "seat", "event", *EVENTS[kind], "known_to")


def opening(board: World, state: State) -> list[Event]:
    """Return deal and first roll of the new game ``state``; ``board`` is a `WORLD`."""
    events = [
        _event(0, seat, "deal", [seat], names(state.hand[seat])) for seat in range(board.players)
    ]
    events.append(_event(0, None, "face_up", "all", names(state.face_up)))
    events.append(_event(0, None, "envelope", [], names(state.envelope)))
    return events + _roll(board, state)


def describe_action(board: World, before: State, action: int, after: State) -> list[Event]:
    """Return the events of ``action``, from the true states before and after it.

    They include the next roll, but not the end of the game (`ending`).
    """
    action, seat = int(action), int(before.seat)
    event = partial(_event, before.turn, seat)
    if ASK <= action < ACCUSE:
        events = _describe_suggestion(event, board, before, action, after)
    elif ACCUSE <= action < REVEAL:
        pair, room = divmod(action - ACCUSE, len(ROOMS))
        suspect, weapon = divmod(pair, len(WEAPONS))
        cards = [SUSPECTS[suspect], WEAPONS[weapon], ROOMS[room]]
        right = bool(after.winner == seat)
        known_to = "all" if right or board.heard else [seat]
        events = [event("accusation", known_to, cards, action), event("verdict", "all", right)]
    elif REVEAL <= action < PASS:
        events = [_describe_card(event, seat, int(before.answerer), action)]
    elif action == PASS and before.phase == END:
        events = [event("pass", "all", action)]
    elif action == PASSAGE:
        events = [event("passage", "all", *_place(board, after, seat), action)]
    else:
        if action >= WALK:
            chosen = event("walk", [seat], list(graph().nodes[action - WALK]["xy"]), action)
        elif action == PASS:
            chosen = event("stay", [seat], action)
        else:
            chosen = event("move", [seat], ROOMS[action - MOVE], action)
        events = [chosen, event("reach", "all", *_place(board, after, seat))]
    if after.phase != OVER and after.turn > before.turn:
        events += _roll(board, after)
    return events


def describe_belief(state: State, seat: int, belief: Mapping[str, Any]) -> Event:
    """Return the event of the ``belief`` of ``seat`` (`sim.player.Player.believes`)."""
    return _event(state.turn, seat, "belief", [seat], *(belief[key] for key in EVENTS["belief"]))


def describe_thought(state: State, by: int, kind: str, seconds: float) -> Event:
    """Return the event that a person in seat ``by`` decided on a ``kind`` in ``seconds``."""
    return _event(state.turn, int(state.seat), "thought", [by], by, kind, round(seconds, 2))


def ending(state: State, check: str) -> Event:
    """Return the last event of the finished game ``state``."""
    winner = int(state.winner) if state.winner >= 0 else None
    turns = int(state.turn)
    envelope = names(state.envelope)
    return _event(turns, None, "end", "all", winner, turns, envelope, digest(state), check)


def digest(state: State) -> str:
    """Return a short SHA-256 of the cards, pawns and scores of ``state``, in hexadecimal."""
    parts = (np.asarray(state[field]).astype("<i8").tobytes() for field in _END_STATE)
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def _event(
    turn: int, seat: int | None, kind: str, known_to: str | Sequence[int], *values: Any
) -> Event:
    return dict(zip(keys(kind), (int(turn), seat, kind, *values, known_to), strict=True))


def _roll(board: World, state: State) -> list[Event]:
    """Return the roll for the new turn; without a board there is none."""
    if not board.board:
        return []
    return [_event(state.turn, int(state.seat), "roll", "all", int(state.roll))]


def _place(board: World, state: State, seat: int) -> tuple[list[int] | None, str | None]:
    """Return coordinates and room of a pawn; without a board the coordinates are None."""
    spot = int(state.spot[seat])
    room = ROOMS[board.room_of[spot]] if spot >= N_CORRIDOR else None
    return list(graph().nodes[spot]["xy"]) if board.board else None, room


def _describe_suggestion(
    event: Callable[..., Event], board: World, before: State, action: int, after: State
) -> list[Event]:
    """Return a suggestion, its answerer, and the shown card if there is no choice."""
    seat, answerer, players = int(before.seat), int(after.answerer), int(board.players)
    others = [(seat + step) % players for step in range(1, players)]
    called = sorted(other for other in others if before.spot[other] != after.spot[other])
    unable = others[: others.index(answerer)] if answerer >= 0 else others
    by = answerer if answerer >= 0 else None
    cards = names(after.cards)
    events = [
        event("suggestion", "all", cards, called[0] if called else None, action),
        event("refute", "all", unable, by),
    ]
    if by is not None:
        matching = int(before.hand[by] & after.cards)
        if matching.bit_count() == 1:
            shown = REVEAL + matching.bit_length() - 1
            events.append(_describe_card(event, seat, by, shown))
    return events


def _describe_card(event: Callable[..., Event], seat: int, by: int, action: int) -> Event:
    return event("show", sorted((seat, by)), by, CARDS[action - REVEAL], action)

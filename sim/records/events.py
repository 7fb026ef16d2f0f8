"""Effects of an action as events in the words of the field: the lines of a game record.

The events follow from the true state before and after an action, so that the writer of a record
(`sim.records.record`) and its reader (`sim.records.replay`) cannot differ about them.

An event is a dict for JSON with the keys ``turn`` (0 for the deal), ``seat`` (whose turn it is,
whose hand is dealt, None for nobody's), ``event``, those that `EVENTS` lists for it, and
``known_to``: "all", or the seats that know of it.  What a seat decides and what all see of it are
two events where they differ:

* Nobody announces which room it walks to: ``move``, ``walk`` and ``stay`` are known to the seat,
  ``reach`` to all.
* A wrong accusation is known to the accuser, or where it is heard to all; its ``verdict`` is
  known to all.
* A ``belief`` is there only if the record is to hold beliefs: before a decision what the seat that
  decides believes, if that has changed.  A record's own state machine does not know of it.
* A ``thought`` says how long a person took for the decision that follows, or for the only card
  that it had to show.  That is no doing of the state machine either.
* That a card is shown (``refute``) is known to all, which one (``show``) to asker and answerer.  An
  answerer's only card has an ``action`` like a card that it chose, since the asker must not see
  which of the two it was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
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
    "walk": ("xy", "action"),  # to that very square, where movement is free
    "stay": ("action",),
    "reach": ("xy", "room"),  # where the pawn then stands; room: null in the corridor
    "passage": ("xy", "room", "action"),
    "suggestion": ("cards", "called", "action"),  # called: seat whose pawn was moved here, or null
    "refute": ("unable", "by"),  # seats that passed; who shows a card, null if nobody can
    "show": ("by", "card", "action"),
    "accusation": ("cards", "action"),
    "verdict": ("right",),
    "pass": ("action",),  # ends the turn without an accusation
    # what a seat goes by: kind of belief, chances of the 21 cards to be in the envelope, and null
    # or, of evidence tables, cards of the columns, owners of the rows and entries, by category
    "belief": ("evidence", "envelope", "tables"),
    # the seat of a person, the event that it decided on, and how long it took
    "thought": ("by", "kind", "seconds"),
    # the last line; winner: seat, or null; check: see `sim.records.record`
    "end": ("winner", "turns", "envelope", "digest", "check"),
}
"""The keys that an event has beside ``turn``, ``seat``, ``event`` and ``known_to``."""

BESIDE = ("belief", "thought")
"""Events that stand beside the game: no action leads to them."""

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
"""Fields of the state that a digest covers: all that does not depend on who plays how."""


def keys(kind: str) -> tuple[str, ...]:
    """Return the keys of an event of ``kind`` in their order."""
    return ("turn", "seat", "event", *EVENTS[kind], "known_to")


def opening(board: World, state: State) -> list[Event]:
    """Return deal and first roll of the game that ``state`` begins; ``board`` is a `WORLD`."""
    events = [
        _event(0, seat, "deal", [seat], names(state.hand[seat])) for seat in range(board.players)
    ]
    events.append(_event(0, None, "face_up", "all", names(state.face_up)))
    events.append(_event(0, None, "envelope", [], names(state.envelope)))
    return events + _roll(board, state)


def describe_action(board: World, before: State, action: int, after: State) -> list[Event]:
    """Return what ``action`` did, from the true states before and after, next roll included.

    The end of the game is not among it: see `ending`.
    """
    events = _describe(board, before, int(action), after)
    if after.phase != OVER and after.turn > before.turn:
        events += _roll(board, after)
    return events


def describe_belief(state: State, seat: int, belief: Mapping[str, Any]) -> Event:
    """Return the event that ``seat`` believes ``belief`` (`sim.player.Player.believes`)."""
    return _event(state.turn, seat, "belief", [seat], *(belief[key] for key in EVENTS["belief"]))


def describe_thought(state: State, by: int, kind: str, seconds: float) -> Event:
    """Return the event that the person in seat ``by`` took ``seconds`` to decide on a ``kind``."""
    return _event(state.turn, int(state.seat), "thought", [by], by, kind, round(seconds, 2))


def ending(state: State, check: str) -> Event:
    """Return the last event of the game that is over in ``state``."""
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
    """Return the roll for the turn that begins; without a board nobody rolls."""
    if not board.board:
        return []
    return [_event(state.turn, int(state.seat), "roll", "all", int(state.roll))]


def _describe(board: World, before: State, action: int, after: State) -> list[Event]:
    turn, seat = int(before.turn), int(before.seat)
    if ASK <= action < ACCUSE:
        return _describe_suggestion(board, before, action, after)
    if ACCUSE <= action < REVEAL:
        return _describe_accusation(board, before, action, after)
    if REVEAL <= action < PASS:
        return [_describe_card(before, int(before.answerer), action)]
    if action == PASS and before.phase == END:
        return [_event(turn, seat, "pass", "all", action)]
    if action == PASSAGE:
        return [_event(turn, seat, "passage", "all", *_place(board, after, seat), action)]
    if action >= WALK:
        chosen = _event(
            turn, seat, "walk", [seat], list(graph().nodes[action - WALK]["xy"]), action
        )
    elif action == PASS:
        chosen = _event(turn, seat, "stay", [seat], action)
    else:
        chosen = _event(turn, seat, "move", [seat], ROOMS[action - MOVE], action)
    return [chosen, _event(turn, seat, "reach", "all", *_place(board, after, seat))]


def _place(board: World, state: State, seat: int) -> tuple[list[int] | None, str | None]:
    """Return coordinates and room of a pawn; without a board a place has no coordinates."""
    spot = int(state.spot[seat])
    room = ROOMS[board.room_of[spot]] if spot >= N_CORRIDOR else None
    return list(graph().nodes[spot]["xy"]) if board.board else None, room


def _describe_suggestion(board: World, before: State, action: int, after: State) -> list[Event]:
    """Return a suggestion, who can answer it, and the card if there is no choice."""
    turn, seat = int(before.turn), int(before.seat)
    answerer = int(after.answerer)
    called = [
        other
        for other in range(board.players)
        if other != seat and before.spot[other] != after.spot[other]
    ]
    asked = [(seat + step) % int(board.players) for step in range(1, board.players)]
    unable = asked[: asked.index(answerer)] if answerer >= 0 else asked
    by = answerer if answerer >= 0 else None
    events = [
        _event(
            turn,
            seat,
            "suggestion",
            "all",
            names(after.cards),
            called[0] if called else None,
            action,
        ),
        _event(turn, seat, "refute", "all", unable, by),
    ]
    if by is not None:
        matching = int(before.hand[by] & after.cards)
        if matching.bit_count() == 1:
            events.append(_describe_card(before, by, REVEAL + matching.bit_length() - 1))
    return events


def _describe_card(before: State, by: int, action: int) -> Event:
    seat = int(before.seat)
    return _event(before.turn, seat, "show", sorted((seat, by)), by, CARDS[action - REVEAL], action)


def _describe_accusation(board: World, before: State, action: int, after: State) -> list[Event]:
    turn, seat = int(before.turn), int(before.seat)
    pair, room = divmod(action - ACCUSE, len(ROOMS))
    suspect, weapon = divmod(pair, len(WEAPONS))
    cards = [SUSPECTS[suspect], WEAPONS[weapon], ROOMS[room]]
    right = bool(after.winner == seat)
    return [
        _event(turn, seat, "accusation", "all" if right or board.heard else [seat], cards, action),
        _event(turn, seat, "verdict", "all", right),
    ]

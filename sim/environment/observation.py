"""Observation vector of an agent of `sim.environment.aec`.

It contains no hidden information: its sources are a view (`sim.view.seen_by`) and the suggestions
as the seat saw them (`sim.view.as_seen`), never the state.  Seats are numbered from the observer in
the order of play: 0 is itself, 1 plays next, so one network can play every seat.
`docs/environment.md` documents the fields.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import lowest
from mcts.kernel.compile import jit
from mcts.kernel.fixed import FixedTypes
from sim.board import MAX_ROLL, N_ROOMS, N_SPOTS, graph
from sim.cards import CATEGORY_MASK, N_CARDS, SUSPECTS
from sim.rules import MIN_PLAYERS
from sim.state import ACCUSED, MAX_PLAYERS, OVER, SHOW

HISTORY = 64
"""Suggestions in an observation, latest first; four heuristic players make about 30 per game."""

_MANY = np.iinfo(np.int32).max
_COLUMNS, _ROWS = 24, 25
_OTHER = MAX_PLAYERS - 1
_COLUMNS_OF_HISTORY = 6

FIELDS = (
    # name, shape, least, greatest
    ("players", (), MIN_PLAYERS, MAX_PLAYERS),
    ("seat", (), 0, _OTHER),
    ("phase", (), 0, OVER),
    ("turn", (), 0, _MANY),
    ("turn_cap", (), 1, _MANY),
    ("turn_of", (), 0, _OTHER),
    ("roll", (), 0, MAX_ROLL),
    ("winner", (), -1, _OTHER),
    ("hand", (N_CARDS,), 0, 1),
    ("face_up", (N_CARDS,), 0, 1),
    ("shown_to_me", (MAX_PLAYERS, N_CARDS), 0, 1),
    ("shown_by_me", (MAX_PLAYERS, N_CARDS), 0, 1),
    ("question", (3,), -1, N_CARDS - 1),
    ("suspect", (MAX_PLAYERS,), -1, len(SUSPECTS) - 1),
    ("hand_size", (MAX_PLAYERS,), 0, N_CARDS),
    ("spot", (MAX_PLAYERS,), -1, N_SPOTS - 1),
    ("room", (MAX_PLAYERS,), -1, N_ROOMS - 1),
    ("column", (MAX_PLAYERS,), -1, _COLUMNS - 1),
    ("row", (MAX_PLAYERS,), -1, _ROWS - 1),
    ("summoned", (MAX_PLAYERS,), 0, 1),
    ("out", (MAX_PLAYERS,), 0, 1),
    ("suggestions", (MAX_PLAYERS,), 0, _MANY),
    ("history", (HISTORY, _COLUMNS_OF_HISTORY), -1, N_CARDS - 1),
    ("accused", (MAX_PLAYERS, 3), -1, N_CARDS - 1),
)

OBSERVATION_LAYOUT = np.dtype([(name, np.int32, shape) for name, shape, _, _ in FIELDS])
"""The fields of an observation: ``observation.view(OBSERVATION_LAYOUT)[0]["hand"]``."""

SIZE = OBSERVATION_LAYOUT.itemsize // 4

_RECORDS = np.dtype((np.record, OBSERVATION_LAYOUT))
_XY = np.array([graph().nodes[spot]["xy"] for spot in range(N_SPOTS)], np.int64)


def bounds() -> tuple[np.ndarray, np.ndarray]:
    """Return the lower and upper bounds of observations, each (SIZE,) int32."""
    least, greatest = np.zeros(1, OBSERVATION_LAYOUT), np.zeros(1, OBSERVATION_LAYOUT)
    for name, _, low, high in FIELDS:
        least[name], greatest[name] = low, high
    return least.view(np.int32), greatest.view(np.int32)


def observe(worlds: np.ndarray, views: np.ndarray, events: np.ndarray, seat: int) -> np.ndarray:
    """Return the observation (SIZE,) int32 of ``seat`` with the view ``views[0]``.

    ``events``: all events as this seat saw them, plain rows of `sim.view.Log`.
    """
    made = np.zeros(1, _RECORDS)
    _FILL.call(worlds, views.view(np.ndarray), events, seat, _XY, made)
    return made.view(np.int32)


@jit
def _fill(
    worlds: np.ndarray,
    views: np.ndarray,
    events: np.ndarray,
    seat: int,
    xy: np.ndarray,
    made: np.ndarray,
) -> None:
    """Fill the blank ``made[0]`` for ``seat`` from its view and events."""
    world, view, seen = worlds[0], views[0], made[0]
    players = world.players
    seen.players = players
    seen.seat = seat
    seen.phase = view.phase
    seen.turn = view.turn
    seen.turn_cap = world.turn_cap
    seen.turn_of = (view.seat - seat) % players
    seen.roll = view.roll
    seen.winner = (view.winner - seat) % players if view.winner >= 0 else -1
    for card in range(N_CARDS):
        seen.hand[card] = view.hand[seat] >> card & 1
        seen.face_up[card] = view.face_up >> card & 1
    for kind, inside in enumerate(CATEGORY_MASK):
        seen.question[kind] = lowest(view.cards & inside) if view.phase == SHOW else -1
    for place in range(MAX_PLAYERS):
        seen.suspect[place] = -1
        if place < players:
            _fill_place(world, view, seat, place, xy, seen)
        else:
            seen.spot[place] = seen.room[place] = -1
            seen.column[place] = seen.row[place] = -1
            for kind in range(len(CATEGORY_MASK)):
                seen.accused[place, kind] = -1
    for suspect in range(len(SUSPECTS)):
        if world.seat_of[suspect] >= 0:
            seen.suspect[(world.seat_of[suspect] - seat) % players] = suspect
    _fill_suggestions(players, events, seat, seen)


@jit
def _fill_place(world, view, seat: int, place: int, xy: np.ndarray, seen) -> None:
    """Fill the fields of the player ``place`` seats after ``seat``."""
    other = (seat + place) % world.players
    spot = view.spot[other]
    seen.hand_size[place] = world.hand_sizes[other]
    seen.spot[place] = spot
    seen.room[place] = world.room_of[spot]
    seen.column[place] = xy[spot, 0]
    seen.row[place] = xy[spot, 1]
    seen.summoned[place] = view.summoned[other]
    seen.out[place] = view.out[other]
    seen.suggestions[place] = view.suggestions[other]
    for kind, inside in enumerate(CATEGORY_MASK):
        accused = view.heard[other] & inside
        seen.accused[place, kind] = lowest(accused) if accused else -1
    for card in range(N_CARDS):
        seen.shown_by_me[place, card] = view.has_shown[seat, other] >> card & 1


@jit
def _fill_suggestions(players: int, events: np.ndarray, seat: int, seen) -> None:
    """Fill the latest suggestions, and all cards shown to ``seat``."""
    for row in range(HISTORY):
        for column in range(_COLUMNS_OF_HISTORY):
            seen.history[row, column] = -1
    row = -1
    for i in range(len(events) - 1, -1, -1):
        event = events[i]
        if event.answerer == ACCUSED:
            continue
        row += 1
        by = (event.answerer - seat) % players if event.answerer >= 0 else -1
        if event.asker == seat and event.card >= 0:
            seen.shown_to_me[by, event.card] = 1
        if row < HISTORY:
            seen.history[row, 0] = (event.asker - seat) % players
            for kind, inside in enumerate(CATEGORY_MASK):
                seen.history[row, 1 + kind] = lowest(event.cards & inside)
            seen.history[row, 4] = by
            seen.history[row, 5] = event.card


_FILL = FixedTypes(_fill)

"""What a seat is told, as numbers: the vector that an agent of `sim.env.environment` observes.

The vector holds what the seat may know and nothing else: it is made from a view
(`sim.view.view_of`) and from the suggestions as this seat saw them (`sim.view.as_seen`), never from
the state.  Seats are counted from the observer, in the order of play: 0 is itself, 1 plays next.
So one network can play every seat.  `docs/environment.md` says what each field means.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import lowest
from sim.board import MAX_ROLL, N_ROOMS, N_SPOTS, graph
from sim.cards import CATEGORY_MASK, N_CARDS, SUSPECTS
from sim.rules import MIN_PLAYERS, Rules, world
from sim.state import MAX_PLAYERS, OVER, SHOW, STATE
from sim.view import Log

HISTORY = 64
"""Suggestions in an observation, latest first; four heuristic players make some 30 in a game."""

_MANY = np.iinfo(np.int32).max
_COLUMNS, _ROWS = 24, 25
_OTHER = MAX_PLAYERS - 1

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
    ("history", (HISTORY, 6), -1, N_CARDS - 1),
)

LAYOUT = np.dtype([(name, np.int32, shape) for name, shape, _, _ in FIELDS])
"""The fields of an observation: ``observation.view(LAYOUT)[0]["hand"]``."""

SIZE = LAYOUT.itemsize // 4

_XY = np.array([graph().nodes[spot]["xy"] for spot in range(N_SPOTS)])
_CARDS = np.arange(N_CARDS)


def bounds() -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the greatest observation, each (SIZE,) int32."""
    least, greatest = np.zeros(1, LAYOUT), np.zeros(1, LAYOUT)
    for name, _, low, high in FIELDS:
        least[name], greatest[name] = low, high
    return least.view(np.int32), greatest.view(np.int32)


def _bits(masks: np.ndarray | np.int64) -> np.ndarray:
    """Return sets of cards as zeros and ones, with a last axis of `N_CARDS`."""
    return np.asarray(masks)[..., None] >> _CARDS & 1


class Notes:
    """What one seat observes of a game under way, beside its view: the suggestions so far.

    Attributes
    ----------
    log : all suggestions, as this seat saw them
    """

    def __init__(self, rules: Rules, seat: int) -> None:
        players = rules.players
        self.log = Log()
        self._board = world(rules)[0]
        self._seat, self._players = seat, players
        self._order = (seat + np.arange(players)) % players
        self._history = np.full((HISTORY, 6), -1, np.int32)
        self._shown = np.zeros((MAX_PLAYERS, N_CARDS), np.int32)
        self._fixed = np.zeros(1, LAYOUT)
        fixed = self._fixed[0]
        for field in ("suspect", "spot", "room", "column", "row"):
            fixed[field] = -1  # of seats that nobody sits in
        fixed["players"], fixed["seat"] = players, seat
        fixed["turn_cap"] = rules.turn_cap
        suspects = [SUSPECTS.index(rules.suspects[other]) for other in self._order]
        fixed["suspect"][:players] = suspects
        fixed["hand_size"][:players] = np.array(rules.hand_sizes)[self._order]

    def _from_here(self, seat: int) -> int:
        """Return ``seat`` as counted from the observer, -1 for nobody."""
        return (seat - self._seat) % self._players if seat >= 0 else -1

    def note(self, event: tuple[int, int, int, int]) -> None:
        """Take in a suggestion (asker, cards, answerer, card) as `as_seen` by this seat."""
        self.log.append(event)
        asker, cards, answerer, card = event
        by = self._from_here(answerer)
        self._history[1:] = self._history[:-1]
        self._history[0] = (self._from_here(asker), *_three(cards), by, card)
        if asker == self._seat and card >= 0:
            self._shown[by, card] = 1

    def observation(self, view: np.recarray) -> np.ndarray:
        """Return the observation (SIZE,) int32 at a ``view`` of the seat, from `view_of`."""
        view = view.view(STATE, np.ndarray)[0]  # a record's fields take twenty times as long
        made = self._fixed.copy()
        seen, players, order = made[0], self._players, self._order
        for field in ("phase", "turn", "roll"):
            seen[field] = view[field]
        seen["turn_of"] = self._from_here(int(view["seat"]))
        seen["winner"] = self._from_here(int(view["winner"]))
        seen["hand"] = _bits(view["hand"][self._seat])
        seen["face_up"] = _bits(view["face_up"])
        seen["shown_to_me"] = self._shown
        seen["shown_by_me"][:players] = _bits(view["has_shown"][self._seat, order])
        seen["question"] = _three(int(view["cards"])) if view["phase"] == SHOW else -1
        spots = view["spot"][order]
        seen["spot"][:players] = spots
        seen["room"][:players] = self._board["room_of"][spots]
        seen["column"][:players], seen["row"][:players] = _XY[spots].T
        for field in ("summoned", "out", "suggestions"):
            seen[field][:players] = view[field][order]
        seen["history"] = self._history
        return made.view(np.int32)


def _three(cards: int) -> tuple[int, ...]:
    """Return the suspect, weapon and room of a suggestion as card numbers."""
    return tuple(lowest(cards & kind) for kind in CATEGORY_MASK)

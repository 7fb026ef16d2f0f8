"""View of one seat: the public part of a state, its hand, and its log of suggestions.

A planner receives only a view.  A view has the layout of a state; everything hidden from the seat
is blank: other hands, the envelope, the knowledge of other seats, and the key that determines deal
and dice.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.fixed import FixedTypes
from sim.board import N_ROOMS
from sim.knowledge import begin, learn, open_public, witness
from sim.state import EVENT, MAX_PLAYERS, STATES, State, World, empty


def view_of(state: State, seat: int) -> np.recarray:
    """Return the view of ``seat`` on ``state``, an array of one `STATE`."""
    seen = empty()
    _show(state, seat, seen.view(np.ndarray))
    return seen


@jit
def copy_open(source: np.record, into: np.record) -> None:
    """Copy the public fields that change: turn, pawns, players out, suggestion counts.

    Both arguments are records with these fields of `STATE`.
    """
    into.phase = source.phase
    into.turn = source.turn
    into.seat = source.seat
    into.roll = source.roll
    into.asked = source.asked
    for seat in range(MAX_PLAYERS):
        into.spot[seat] = source.spot[seat]
        into.summoned[seat] = source.summoned[seat]
        into.out[seat] = source.out[seat]
        into.heard[seat] = source.heard[seat]
        into.last_room[seat] = source.last_room[seat]
        into.suggestions[seat] = source.suggestions[seat]
        for room in range(N_ROOMS):
            into.named[seat, room] = source.named[seat, room]
        for what in range(3):
            into.walked[seat, what] = source.walked[seat, what]


@jit
def _show(state: State, seat: int, views: np.ndarray) -> None:
    """Write the view of ``seat`` on ``state`` into the blank ``views[0]``."""
    seen = views[0]
    copy_open(state, seen)
    seen.winner = state.winner
    seen.cards = state.cards
    seen.answerer = state.answerer
    seen.face_up = state.face_up
    for player in range(MAX_PLAYERS):
        seen.has_shown[seat, player] = state.has_shown[seat, player]
    seen.hand[seat] = state.hand[seat]


@jit
def _show_first(states: np.ndarray, seat: int, views: np.ndarray) -> None:
    _show(states[0], seat, views)


_SHOW = FixedTypes(_show_first)


def seen_by(states: np.ndarray, seat: int) -> np.ndarray:
    """Return the view of ``seat`` on ``states[0]``, twenty times as fast as `view_of`.

    Argument and result are arrays of `STATES`.
    """
    views = np.zeros(1, STATES)
    _SHOW.call(states, seat, views)
    return views


class Log:
    """The suggestions of one game with their answers, in order, as one observer sees them.

    Attributes
    ----------
    events : recarray of `sim.state.EVENT`, the used part of a growing array
    rows : the same as a plain array, which Python passes to kernels twenty times as fast
    """

    def __init__(self) -> None:
        self._room = np.zeros(64, np.dtype((np.record, EVENT)))
        self._used = 0

    def __len__(self) -> int:
        """Return the number of events."""
        return self._used

    @property
    def events(self) -> np.recarray:
        """The events so far, oldest first (a NumPy view: copy to keep)."""
        return self.rows.view(np.recarray)

    @property
    def rows(self) -> np.ndarray:
        """The events as a plain array (also a NumPy view)."""
        return self._room[: self._used]

    def append(self, event: tuple[int, int, int, int]) -> None:
        """Add (asker, cards, answerer, card)."""
        if self._used == len(self._room):
            self._room = np.concatenate([self._room, np.zeros_like(self._room)])
        self._room[self._used] = event
        self._used += 1


def as_seen(event: tuple[int, int, int, int], seat: int) -> tuple[int, int, int, int]:
    """Return ``event`` as ``seat`` sees it: with the card only if it asked or answered."""
    asker, cards, answerer, _ = event
    return event if seat in (asker, answerer) else (asker, cards, answerer, -1)


@jit
def replay_evidence(world: World, s: State, seat: int, events: np.recarray) -> None:
    """Recompute the knowledge of ``seat``, and public knowledge if kept, from ``events``."""
    begin(world, s, seat)
    open_public(world, s)
    for i in range(len(events)):
        event = events[i]
        witness(world, s, event.asker, event.cards, event.answerer)
        learn(world, s, seat, event.asker, event.cards, event.answerer, event.card)

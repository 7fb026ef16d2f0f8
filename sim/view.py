"""View of one seat: the public part of a state, its own hand, and its log of suggestions.

A planner is handed a view and nothing else.  A view has the layout of a state, with everything
blank that the seat cannot know: other hands, the envelope, what other seats have learnt, and the
key from which deal and dice could be computed.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.fixed import FixedTypes
from sim.board import N_ROOMS
from sim.knowledge import begin, learn, open_public, witness
from sim.state import EVENT, MAX_PLAYERS, STATES, State, World, empty


def view_of(state: State, seat: int) -> np.recarray:
    """Return what ``seat`` sees of ``state``, as an array of one `STATE`."""
    seen = empty()
    _show(state, seat, seen.view(np.ndarray))
    return seen


@jit
def copy_open(source: np.record, into: np.record) -> None:
    """Copy what lies open and changes: the turn, the pawns, who is out, suggestions by number.

    Both are records with these fields of `STATE`.
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
    """Write what ``seat`` sees of ``state`` into the blank ``views[0]``."""
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
    """Do what `_show` does, with an array."""
    _show(states[0], seat, views)


_SHOW = FixedTypes(_show_first)


def seen_by(states: np.ndarray, seat: int) -> np.ndarray:
    """Return what ``seat`` sees of ``states[0]``, as `view_of` does, in a twentieth of the time.

    ``states`` is an array of `STATES`, and so is what is returned.
    """
    views = np.zeros(1, STATES)
    _SHOW.call(states, seat, views)
    return views


class Log:
    """The suggestions of one game with their answers, in order, as one seat (or nobody) sees them.

    Attributes
    ----------
    events : recarray of `sim.state.EVENT`, the part in use of a growing array
    rows : the same as a plain array, which kernels take from Python twenty times as fast
    """

    def __init__(self) -> None:
        self._room = np.zeros(64, np.dtype((np.record, EVENT)))
        self._used = 0

    def __len__(self) -> int:
        """Return how many events there are."""
        return self._used

    @property
    def events(self) -> np.recarray:
        """The events so far, oldest first (a view: copy it to keep it)."""
        return self.rows.view(np.recarray)

    @property
    def rows(self) -> np.ndarray:
        """The events as a plain array, likewise."""
        return self._room[: self._used]

    def append(self, event: tuple[int, int, int, int]) -> None:
        """Add (asker, cards, answerer, card)."""
        if self._used == len(self._room):
            self._room = np.concatenate([self._room, np.zeros_like(self._room)])
        self._room[self._used] = event
        self._used += 1


def as_seen(event: tuple[int, int, int, int], seat: int) -> tuple[int, int, int, int]:
    """Return ``event`` as ``seat`` sees it: the card only if it asked or answered."""
    asker, cards, answerer, _ = event
    return event if seat in (asker, answerer) else (asker, cards, answerer, -1)


@jit
def replay_evidence(world: World, s: State, seat: int, events: np.recarray) -> None:
    """Recompute what ``seat`` has learnt in ``s`` from ``events``, which it has seen.

    With it goes what everybody knows, where a seat of ``s`` keeps it.
    """
    begin(world, s, seat)
    open_public(world, s)
    for i in range(len(events)):
        event = events[i]
        witness(world, s, event.asker, event.cards, event.answerer)
        learn(world, s, seat, event.asker, event.cards, event.answerer, event.card)

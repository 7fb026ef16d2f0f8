"""A game in steps: that of the referee, but it stands still before every decision.

`sim.referee.play` runs a game to its end and asks the players.  Here the driver of the
game asks, when it likes, and may be given the action of a seat from outside: a table at which
people sit, a game that is watched move by move, one that goes on after the program was killed.
With the same players it is the same game, move by move.

    game = SteppedGame(rules, players, seed, number)
    while not game.over:
        for event in game.act(game.decide()):
            ...

Events are those of `sim.records.events`, with who knows of them; all of them make the record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.game import apply, decider
from sim.legal import legal
from sim.player import IllegalAction, Player
from sim.records.events import Event, describe_action, describe_thought, ending, opening
from sim.records.record import checksum, header, line
from sim.referee import Deal, open_game
from sim.rules import Rules, world
from sim.state import EXTERNAL, N_ACTIONS, OVER, SHOW, empty
from sim.view import as_seen, view_of


@dataclass(frozen=True)
class Past:
    """A game as far as it has come, to be gone on with: its deal need not be that of its number.

    Attributes ``deal``: as `sim.referee.Deal`; ``moves``: pairs of an action and the roll of the
    turn in which it leaves the game.
    """

    deal: tuple[Any, ...]
    moves: tuple[tuple[int, int], ...]


class Person(Player):
    """A player whose decisions come from outside, through `SteppedGame.act`."""

    picks_cards = True


class SteppedGame:
    """Game ``game`` of the run ``seed`` among ``seats``, before its next decision.

    Attributes
    ----------
    rules, seats, seed, game : as given
    events : what has happened so far, in order
    actions : all decisions so far
    """

    def __init__(
        self, rules: Rules, seats: Sequence[Player], seed: int, game: int, past: Past | None = None
    ) -> None:
        """Deal, or go on from a ``past``, whose dice alone are then not those of the game's number.

        Raises ValueError as `sim.referee.open_game`, and if a move of the past is not legal.
        """
        deal = None if past is None else Deal(*past.deal)
        states, self._memory, self._outsiders = open_game(rules, seats, seed, game, deal)
        self.rules, self.seats, self.seed, self.game = rules, tuple(seats), int(seed), int(game)
        self.actions: list[int] = []
        self.events: list[Event] = []
        self._board, self._state, self._before = world(rules)[0], states[0], empty()
        self._lines = [line(header(rules, seats, self.seed, self.game))]
        self._note(opening(self._board, self._state))
        for action, roll in () if past is None else past.moves:
            self.act(action, roll=roll)

    @property
    def over(self) -> bool:
        """The game is over."""
        return bool(self._state.phase == OVER)

    @property
    def decider(self) -> int:
        """The seat that must decide now."""
        return int(decider(self._state))

    @property
    def shows(self) -> bool:
        """The decision at hand is which card to show."""
        return bool(self._state.phase == SHOW)

    def choices(self) -> list[int]:
        """Return the legal actions of the seat that must decide, in order of number."""
        options = np.empty(N_ACTIONS, np.int64)
        return options[: legal(self._board, self._state, options)].tolist()

    def view(self, seat: int) -> np.recarray:
        """Return what ``seat`` sees now (`sim.view.view_of`)."""
        return view_of(self._state, seat)

    def decide(self) -> int:
        """Ask the occupant of the seat that must decide; to be followed by `act`.

        Consumes the randomness of that seat's decision, and may search for long.
        """
        seat, state = self.decider, self._state
        inside = state.showing[seat] if self.shows else state.policy[seat]
        if inside == EXTERNAL:
            return int(self.seats[seat].decide(view_of(state, seat)))
        return self._memory.act(self._board, state)

    def act(
        self, action: int, seconds: float | None = None, roll: int | None = None
    ) -> list[Event]:
        """Do ``action`` for the seat that must decide, a person if that took ``seconds``; return
        what happened.  The roll of the turn is then ``roll``, if that is given.

        IllegalAction if the rules do not allow it here; nothing is changed.
        """
        state = self._state
        if self.over or action not in self.choices():
            raise IllegalAction(f"seat {self.decider} chose action {action}")
        self._before[0] = state
        apply(self._board, state, action)
        state.roll = state.roll if roll is None else roll
        self.actions.append(action)
        for suggestion in state.event[: state.events].tolist():
            for seat in self._outsiders:
                self.seats[seat].see(as_seen(tuple(suggestion), seat))
        state.events = 0
        events = describe_action(self._board, self._before[0], action, state)
        if seconds is not None:
            before, kind = self._before[0], events[0]["event"]
            thought = describe_thought(before, int(decider(before)), kind, seconds)
            self._lines.append(line(thought))
        self._note(events)
        if self.over:
            end = ending(state, checksum(self._lines))
            self._note([end])
            events.append(end)
        return events

    def note_showing(self, seat: int, seconds: float) -> None:
        """Write into the record how long a person took to show its only card; not after the end."""
        if not self.over:
            self._lines.append(line(describe_thought(self._state, seat, "show", seconds)))

    def record(self) -> str:
        """Return the record so far, whole once the game is over (`sim.records.record`)."""
        return "".join(f"{line}\n" for line in self._lines)

    def _note(self, events: Sequence[Event]) -> None:
        self.events += events
        self._lines += map(line, events)

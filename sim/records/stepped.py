"""A game in steps: the game of the referee, paused before every decision.

`sim.referee.play` runs a game to its end and calls the players.  Here the driver calls them, at any
time, and can supply the actions of external seats: for tables with people, for games watched move
by move, for games resumed after a restart.  With the same players the game is the same.

    game = SteppedGame(rules, players, seed, number)
    while not game.over:
        for event in game.act(game.decide()):
            ...

All events (`sim.records.events`) together are the record.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim.game import apply, decider
from sim.legal import legal
from sim.player import IllegalAction, Player
from sim.records.events import Event, describe_action, describe_thought, ending, opening
from sim.records.record import checksum, header, line
from sim.referee import open_game
from sim.rules import Rules, world
from sim.state import EXTERNAL, N_ACTIONS, OVER, SHOW, empty
from sim.view import as_seen, view_of


class Person(Player):
    """A player whose decisions are supplied through `SteppedGame.act`."""

    picks_cards = True


class SteppedGame:
    """Game ``game`` of run ``seed`` among ``seats``, paused before its next decision.

    Attributes
    ----------
    rules, seats, seed, game : as given
    events : all events so far, in order
    actions : all decisions so far
    """

    def __init__(self, rules: Rules, seats: Sequence[Player], seed: int, game: int) -> None:
        """Deal; raises ValueError like `sim.referee.open_game`."""
        states, self._memory, self._outsiders = open_game(rules, seats, seed, game)
        self.rules, self.seats, self.seed, self.game = rules, tuple(seats), int(seed), int(game)
        self.actions: list[int] = []
        self.events: list[Event] = []
        self._board, self._state, self._before = world(rules)[0], states[0], empty()
        self._lines = [line(header(rules, seats, self.seed, self.game))]
        self._note(opening(self._board, self._state))

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self._state.phase == OVER)

    @property
    def decider(self) -> int:
        """The seat to move."""
        return int(decider(self._state))

    @property
    def shows(self) -> bool:
        """Whether the current decision is which card to show."""
        return bool(self._state.phase == SHOW)

    def choices(self) -> list[int]:
        """Return the legal actions of the seat to move, ascending."""
        options = np.empty(N_ACTIONS, np.int64)
        return options[: legal(self._board, self._state, options)].tolist()

    def view(self, seat: int) -> np.recarray:
        """Return the view of ``seat`` (`sim.view.view_of`)."""
        return view_of(self._state, seat)

    def decide(self) -> int:
        """Return the decision of the player to move; call `act` with it next.

        Consumes the randomness of the decision, and may search for a long time.
        """
        seat, state = self.decider, self._state
        inside = state.showing[seat] if self.shows else state.policy[seat]
        if inside == EXTERNAL:
            return int(self.seats[seat].decide(view_of(state, seat)))
        return self._memory.act(self._board, state)

    def act(self, action: int, seconds: float | None = None) -> list[Event]:
        """Apply ``action`` for the seat to move; return its events.

        ``seconds``: thinking time of a person.

        Raises IllegalAction, without any change, if the action is illegal.
        """
        state = self._state
        if self.over or action not in self.choices():
            raise IllegalAction(f"seat {self.decider} chose action {action}")
        self._before[0] = state
        apply(self._board, state, action)
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
        """Record the time a person took to show a single card, unless the game is over."""
        if not self.over:
            self._lines.append(line(describe_thought(self._state, seat, "show", seconds)))

    def record(self) -> str:
        """Return the record so far, complete after the game (`sim.records.record`)."""
        return "".join(f"{line}\n" for line in self._lines)

    def _note(self, events: Sequence[Event]) -> None:
        self.events += events
        self._lines += map(line, events)

"""A game under way at a table: what has happened, what has been shown, who is asked for what.

Events of the game are shown one after another, at the table's pace.  What has not been shown yet is
told to nobody, and nobody is asked before all is shown.

Somebody who can show one card alone is asked to, like somebody who has a choice: else the others
could tell by the time that passes.  The game has gone on by then, so what follows is *held* until
the card is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.web.tables.moves import MOVES, Move, Moves
from experiments.web.tables.setup import Setup
from mcts.kernel.errors import SleuthError
from sim.cards import CARDS
from sim.player import IllegalAction
from sim.records.events import Event
from sim.records.record import knows
from sim.records.stepped import Person, SteppedGame
from sim.state import REVEAL


class NotNow(SleuthError, ValueError):
    """An action was not asked for: it is somebody else's turn, or it came too late or twice."""


@dataclass(frozen=True)
class Prompt:
    """What a person is asked for.

    Attributes
    ----------
    number : of this question among all to this seat: how many decisions there were in all would
        tell whether somebody had a choice of cards to show
    seat : who is asked
    shows : whether it is which card to show
    choices : legal actions
    """

    number: int
    seat: int
    shows: bool
    choices: tuple[int, ...]


class Table:
    """The game of ``setup``, with its moves in ``folder``; those that are there are made again.

    Attributes
    ----------
    setup, game : what was set up, and the game
    shown : events that have been shown
    """

    def __init__(self, setup: Setup, folder: Path) -> None:
        """Begin the game or go on with it; raises OSError and ValueError as `Moves`."""
        self.setup = setup
        self.game = SteppedGame(setup.made_rules(), setup.made_players(), setup.seed, setup.game)
        self.shown = 0
        self._held: Prompt | None = None
        self._hold_at = -1
        self._answered = [0] * len(self.game.seats)
        self._moves = Moves(folder / MOVES)
        for move in self._moves.read:
            self._again(move)

    @property
    def over(self) -> bool:
        """Whether the game is over and all of it has been shown."""
        return self.game.over and self.shown == len(self.game.events)

    @property
    def waiting(self) -> bool:
        """Whether all has been shown that may be by now."""
        return self.shown == (self._hold_at if self._held else len(self.game.events))

    def show_next(self) -> Event:
        """Show one more event, and return it."""
        assert not self.waiting
        self.shown += 1
        return self.game.events[self.shown - 1]

    def known_to(self, seat: int | None) -> list[Event]:
        """Return the events shown that ``seat`` knows of; None: that all know of."""
        return [event for event in self.game.events[: self.shown] if sees(event, seat)]

    @property
    def prompt(self) -> Prompt | None:
        """What a person is asked for now; None if nobody is, or not before more is shown."""
        if not self.waiting:
            return None
        if self._held:
            return self._held
        if not self.setup.people or self.game.over:
            return None
        seat = self.game.decider
        if not isinstance(self.game.seats[seat], Person):
            return None
        return self._question(seat, self.game.shows, self.game.choices())

    def answer(self, seat: int, number: int, action: int) -> None:
        """Take the answer of the person in ``seat`` to the prompt ``number``.

        Raises
        ------
        NotNow
            If that was not asked, or is answered already; nothing is changed.
        IllegalAction
            If the rules do not allow it; nothing is changed.
        OSError
            If it cannot be written down; nothing is changed.
        """
        prompt = self.prompt
        if prompt is None or (prompt.seat, prompt.number) != (seat, number):
            raise NotNow("this was not asked, or has been answered already")
        if action not in prompt.choices:
            raise IllegalAction(f"seat {seat} chose action {action}")
        if self._held:
            self._moves.append(Move(seat, None), lasting=True)
            self._release()
        else:
            self.act(action)

    def act(self, action: int) -> None:
        """Do ``action`` for the seat that must decide, and write it down before.

        Raises
        ------
        IllegalAction, OSError
            As `answer`; nothing is changed.
        """
        seat = self.game.decider
        player = self.game.seats[seat]
        move = Move(seat, action, player.decisions, player.simulations, player.search_seconds)
        # A compiled policy chooses among what is legal.
        if player.policy is None and action not in self.game.choices():
            raise IllegalAction(f"seat {seat} chose action {action}")
        self._moves.append(move, lasting=isinstance(player, Person))
        self._do(seat, action)

    def close(self) -> None:
        """Close the file of its moves."""
        self._moves.close()

    def _do(self, seat: int, action: int) -> None:
        before = len(self.game.events)
        self._answered[seat] += 1
        for number, event in enumerate(self.game.act(action), before):
            if event["event"] == "show" and action < REVEAL:
                self._hold(number, event)

    def _hold(self, number: int, event: Event) -> None:
        """Ask a person for the only card that it can show, before event ``number`` is shown."""
        seat = event["by"]
        if isinstance(self.game.seats[seat], Person):
            card = REVEAL + CARDS.index(event["card"])
            self._held, self._hold_at = self._question(seat, True, [card]), number

    def _release(self) -> None:
        self._answered[self._held.seat] += 1
        self._held, self._hold_at = None, -1

    def _question(self, seat: int, shows: bool, choices: Sequence[int]) -> Prompt:
        return Prompt(self._answered[seat], seat, shows, tuple(choices))

    def _again(self, move: Move) -> None:
        """Make a move that was made before, and show what was shown for it."""
        whose = self._held.seat if self._held else None if self.game.over else self.game.decider
        if move.seat != whose or (move.action is None) != (self._held is not None):
            raise ValueError(f"seat {move.seat} does what it was not asked for")
        if move.action is None:
            self._release()
        else:
            player = self.game.seats[move.seat]
            if player.policy is not None and self.game.decide() != move.action:
                raise ValueError(f"seat {move.seat} decides otherwise than it did")
            self._do(move.seat, move.action)
            player.decisions, player.simulations = move.decisions, move.simulations
            player.search_seconds = move.search_seconds
        self.shown = self._hold_at if self._held else len(self.game.events)


def sees(event: Event, seat: int | None) -> bool:
    """Tell whether ``seat`` knows of ``event``; None stands for who sits nowhere."""
    return event["known_to"] == "all" if seat is None else knows(event, seat)

"""A game at a table: its moves on disk, the events shown, the question to a person.

Events are shown one after another, at the table's pace.  An event reaches viewers only when it is
shown, and people are asked only after all events are shown.

A person with a single matching card is asked to show it, as with several cards: otherwise the time
would reveal the difference.  The game has continued by then, so the following events are held back
until the card is shown.

Moves are lines of JSON, one per decision, written before the decision is shown.  A line that a
killed server or a full disk left incomplete was never shown, and is dropped.  The moves reproduce
the game: deal and dice follow from its number, compiled players decide again, and for the others
the line has their choice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from experiments.web.tables.setup import Setup
from mcts.kernel.errors import SleuthError
from sim.cards import CARDS
from sim.player import IllegalAction
from sim.records.events import Event
from sim.records.record import knows
from sim.records.stepped import Person, SteppedGame
from sim.state import REVEAL

MOVES = "moves.jsonl"
"""The file in the folder of a table."""


@dataclass(frozen=True)
class Move:
    """A decision, or a person's showing of its only matching card."""

    seat: int
    action: int | None  # None if a card was shown without a choice
    decisions: int = 0  # this and the next two: the player's searches so far
    simulations: int = 0
    search_seconds: float = 0.0
    thought: float | None = None  # seconds that a person took, if known


class Moves:
    """The moves of a table in the file ``path``, created if missing.

    Attributes ``recorded``: moves that were in the file; ``resumed``: whether the file existed.
    """

    def __init__(self, path: Path) -> None:
        """Open the file; raises OSError, or ValueError for another kind of file."""
        self.recorded: list[Move] = []
        whole, self.resumed = 0, path.exists()
        if self.resumed:
            content = path.read_bytes()
            whole = content.rfind(b"\n") + 1
            for line in content[:whole].splitlines():
                try:
                    self.recorded.append(Move(**json.loads(line)))
                except (TypeError, ValueError):
                    raise ValueError(f"{path}: not the moves of a table") from None
        self._file, self._whole = path.open("ab", buffering=0), whole
        self._cut()

    def append(self, move: Move, lasting: bool) -> None:
        """Write ``move``; it survives the end of the process, with ``lasting`` of the machine.

        Raises OSError if that fails; the file then has no part of it.
        """
        self._cut()  # remains of an earlier error
        line = json.dumps(asdict(move)).encode() + b"\n"
        try:
            left = memoryview(line)
            while left:
                left = left[self._file.write(left) :]
            if lasting:
                os.fsync(self._file.fileno())
        except OSError:
            with suppress(OSError):
                self._cut()
            raise
        self._whole += len(line)

    def _cut(self) -> None:
        """Drop everything after the last complete line."""
        if self._file.seek(0, os.SEEK_END) != self._whole:
            self._file.truncate(self._whole)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class NotNow(SleuthError, ValueError):
    """An answer to no open question: another seat's turn, too late, or repeated."""


@dataclass(frozen=True)
class Prompt:
    """A question to the person in ``seat``; ``shows``: whether it asks for a card to show.

    ``number`` counts the questions to this seat: a count of all decisions would reveal whether
    another seat had a choice of cards.
    """

    number: int
    seat: int
    shows: bool
    choices: tuple[int, ...]


class Table:
    """The game of ``setup``, with its moves in ``folder``; recorded moves are replayed.

    Attributes
    ----------
    setup, game : the arguments, and the game
    shown : number of events shown
    resumed : whether it was opened before, so that the age of its question is unknown
    """

    def __init__(self, setup: Setup, folder: Path) -> None:
        """Begin or resume the game; raises OSError and ValueError as `Moves`."""
        if setup.seed is None:
            raise ValueError("the setup of a table needs a seed")
        self.setup = setup
        rules, players = setup.build_rules(), setup.build_players()
        self.game = SteppedGame(rules, players, setup.seed, setup.game)
        self.shown = 0
        self._forced: Prompt | None = None
        self._forced_at = -1
        self._answers = [0] * len(self.game.seats)
        self._moves = Moves(folder / MOVES)
        self.resumed = self._moves.resumed
        for move in self._moves.recorded:
            self._repeat(move)

    @property
    def over(self) -> bool:
        """Whether the game is over and completely shown."""
        return self.game.over and self.shown == len(self.game.events)

    @property
    def waiting(self) -> bool:
        """Whether all events that may be shown are shown."""
        return self.shown == (self._forced_at if self._forced else len(self.game.events))

    def show_next(self) -> Event:
        """Show one more event, and return it."""
        assert not self.waiting
        self.shown += 1
        return self.game.events[self.shown - 1]

    def known_to(self, seat: int | None) -> list[Event]:
        """Return the shown events that ``seat`` knows; None: the public ones."""
        return [event for event in self.game.events[: self.shown] if sees(event, seat)]

    @property
    def prompt(self) -> Prompt | None:
        """The open question to a person, once all events are shown; otherwise None."""
        if not self.waiting:
            return None
        if self._forced:
            return self._forced
        if not self.setup.people or self.game.over:
            return None
        seat = self.game.decider
        if not isinstance(self.game.seats[seat], Person):
            return None
        return self._ask(seat, self.game.shows, self.game.choices())

    def answer(self, seat: int, number: int, action: int, seconds: float | None = None) -> None:
        """Accept the answer of the person in ``seat`` to prompt ``number``, given in ``seconds``.

        Raises NotNow if that question is not open or is answered already, IllegalAction if the
        rules do not allow the action, and OSError if it cannot be saved; all without any change.
        """
        prompt = self.prompt
        if prompt is None or (prompt.seat, prompt.number) != (seat, number):
            raise NotNow("this was not asked, or has been answered already")
        if action not in prompt.choices:
            raise IllegalAction(f"seat {seat} chose action {action}")
        if self._forced:
            self._moves.append(Move(seat, None, thought=seconds), lasting=True)
            self._release(seat, seconds)
        else:
            self.act(action, seconds)

    def act(self, action: int, seconds: float | None = None) -> None:
        """Write and then do ``action`` of the seat to decide, as `SteppedGame.act`.

        Raises IllegalAction, OSError as `answer`, without any change.
        """
        seat = self.game.decider
        player = self.game.seats[seat]
        move = Move(
            seat, action, player.decisions, player.simulations, player.search_seconds, seconds
        )
        # A compiled policy chooses among legal actions.
        if player.policy is None and action not in self.game.choices():
            raise IllegalAction(f"seat {seat} chose action {action}")
        self._moves.append(move, lasting=isinstance(player, Person))
        self._do(seat, action, seconds)

    def close(self) -> None:
        """Close the file of the moves."""
        self._moves.close()

    def _do(self, seat: int, action: int, seconds: float | None) -> None:
        before = len(self.game.events)
        self._answers[seat] += 1
        for number, event in enumerate(self.game.act(action, seconds), before):
            if event["event"] == "show" and action < REVEAL:
                self._force(number, event)

    def _force(self, number: int, event: Event) -> None:
        """Ask a person for its only matching card before event ``number``."""
        seat = event["by"]
        if isinstance(self.game.seats[seat], Person):
            card = REVEAL + CARDS.index(event["card"])
            self._forced, self._forced_at = self._ask(seat, True, [card]), number

    def _release(self, seat: int, seconds: float | None) -> None:
        if seconds is not None:
            self.game.note_showing(seat, seconds)
        self._answers[seat] += 1
        self._forced, self._forced_at = None, -1

    def _ask(self, seat: int, shows: bool, choices: Sequence[int]) -> Prompt:
        return Prompt(self._answers[seat], seat, shows, tuple(choices))

    def _repeat(self, move: Move) -> None:
        """Replay a recorded move, and show its events."""
        expected = (
            self._forced.seat if self._forced else None if self.game.over else self.game.decider
        )
        if move.seat != expected or (move.action is None) != (self._forced is not None):
            raise ValueError(f"seat {move.seat} moves out of turn")
        if move.action is None:
            self._release(move.seat, move.thought)
        else:
            player = self.game.seats[move.seat]
            if player.policy is not None and self.game.decide() != move.action:
                raise ValueError(f"seat {move.seat} decides differently than recorded")
            self._do(move.seat, move.action, move.thought)
            player.decisions, player.simulations = move.decisions, move.simulations
            player.search_seconds = move.search_seconds
        self.shown = self._forced_at if self._forced else len(self.game.events)


def sees(event: Event, seat: int | None) -> bool:
    """Return whether ``seat`` knows ``event``; None is a viewer without a seat."""
    return event["known_to"] == "all" if seat is None else knows(event, seat)

"""Which games are played, by whom, and in what portions.

Game *k* is named by the run's seed and its own index alone: deal and dice are the same whoever
plays it, however many workers there are and in whatever order games end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mcts.kernel.plugins import named

PORTION_SECONDS = 0.15
"""Work aimed at in one task: enough to make its 0.5 ms of overhead small, short enough for
progress, Ctrl-C and a killed worker."""

FIRST_PORTION = 100
LARGEST_PORTION = 20_000


@dataclass(frozen=True)
class Match:
    """What is needed to play any game of a run; plain data, sent to the workers once.

    Attributes
    ----------
    rules : arguments of `sim.rules.preset`
    player, opponent : specifications as `sim.players.make` takes them
    players : number of seats
    focal_seats : seats that ``player`` takes in turn
    seed : of the run
    records : the first so many games are written down
    """

    rules: dict[str, Any]
    player: dict[str, Any]
    opponent: dict[str, Any]
    players: int
    focal_seats: tuple[int, ...]
    seed: int
    records: int = 0

    def focal_seat(self, game: int) -> int:
        """Return the seat of the measured player in ``game``."""
        return self.focal_seats[game % len(self.focal_seats)]

    @property
    def compiled(self) -> bool:
        """Whether all seats are policies, which the arena plays without the referee."""
        outside = named("sleuth.players")
        seats = (self.player, self.opponent)
        return not any("search" in each or each["name"] in outside for each in seats)

    def seats(self, focal_seat: int) -> list[dict[str, Any]]:
        """Return the specification of who sits in each seat."""
        seats = [self.opponent] * self.players
        seats[focal_seat] = self.player
        return seats


def label(specification: dict[str, Any]) -> str:
    """Return the name of a player in results."""
    return specification.get("label") or specification["name"]


class Portions:
    """Hands out games in order, in portions whose size follows the time they took.

    The size changes nothing in the results, since every game stands for itself.

    Parameters
    ----------
    games : how many to hand out
    compiled : whether they are fast
    numbers : (games,) which ones; by default the first
    """

    def __init__(self, games: int, compiled: bool, numbers: Sequence[int] | None = None) -> None:
        self._games = games
        self._numbers = range(games) if numbers is None else numbers
        self._next = 0
        self._size = FIRST_PORTION if compiled else 1
        self._largest = LARGEST_PORTION if compiled else 1

    def __iter__(self) -> Iterator[Sequence[int]]:
        return self

    def __next__(self) -> Sequence[int]:
        if self._next >= self._games:
            raise StopIteration
        first = self._next
        self._next = min(first + self._size, self._games)
        return self._numbers[first : self._next]

    def took(self, games: int, seconds: float) -> None:
        """Learn from a finished portion how many games make up `PORTION_SECONDS`."""
        aim = int(games * PORTION_SECONDS / max(seconds, 1e-6))
        # At most fourfold at a time: a worker's first portion also loads the compiled code.
        self._size = max(1, min(aim, 4 * self._size, self._largest))

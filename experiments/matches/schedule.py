"""The schedule: games to play, their players, and portions of them.

Game *k* is determined by the run's seed and its index alone: deal and dice are the same for any
players, any number of workers and any order of completion.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Any, Self

import numpy as np

from mcts.kernel.plugins import entry_points

PORTION_SECONDS = 0.15
"""Target duration of a task: long compared with its 0.5 ms of overhead, short enough for progress,
Ctrl-C and worker deaths."""

POLL_SECONDS = 0.25
"""Longest wait for results before returning to the caller."""

MAX_ENTERED = 10
"""Maximum players of a round robin; more would have too many tables to balance."""

FIRST_PORTION = BLOCK = 100
LARGEST_PORTION = 20_000


POLICY = "sim.seat.Settings"
"""The ``_target_`` of a compiled policy."""

SAME = ("seed", "rules", "seating", "opponents")
"""Fields that must agree for game *k* of two matches to be the same game."""


@dataclass(frozen=True)
class Seating:
    """Seats of the players in each game.

    Attributes ``line_ups``: player numbers at the table, by place; ``shifts``: rotations of the
    seats that a line-up passes through before the next line-up.
    """

    line_ups: tuple[tuple[int, ...], ...]
    shifts: tuple[int, ...]

    @classmethod
    def one(cls, players: int, seats: Sequence[int]) -> Self:
        """Return player 0 in each of ``seats`` in turn, and player 1 in all others."""
        return cls(((0, *[1] * (players - 1)),), tuple(seats))

    @classmethod
    def rest(cls, players: int, seats: Sequence[int]) -> Self:
        """Return player 1 in each of ``seats`` in turn, and player 0 in all others."""
        return cls(((1, *[0] * (players - 1)),), tuple(seats))

    @classmethod
    def among(cls, players: int, seats: Sequence[int]) -> Self:
        """Return player 0 in each of ``seats`` in turn, then players 1, 2, ... in all orders."""
        return cls(tuple((0, *order) for order in permutations(range(1, players))), tuple(seats))

    @classmethod
    def robin(cls, players: int, entered: int) -> Self:
        """Return all tables of ``entered`` players, each seated equally often.

        If there are more players than seats, all combinations sit; if fewer, each sits as often as
        fits, and then in all combinations of the rest.  Each table comes in every order, and each
        order starts at every seat.
        """
        often, rest = divmod(players, entered)
        tables = [sorted((*range(entered),) * often + more) for more in _spread(entered, rest)]
        orders = [
            sorted({(table[0], *order) for order in permutations(table[1:])}) for table in tables
        ]
        # All tables in one order, then all in the next, so that few games are balanced too.
        deepest = max(map(len, orders))
        line_ups = [table[depth % len(table)] for depth in range(deepest) for table in orders]
        return cls(tuple(line_ups), tuple(range(players)))

    @cached_property
    def table(self) -> np.ndarray:
        """(period, seats) player in each seat of game 0, 1, ..., after which it repeats."""
        return np.array([np.roll(places, by) for places in self.line_ups for by in self.shifts])

    @cached_property
    def kinds(self) -> tuple[np.ndarray, np.ndarray]:
        """(kinds, seats) distinct rows of `table`, and (period,) index of each row's kind."""
        kinds, kind = np.unique(self.table, axis=0, return_inverse=True)
        return kinds, kind.reshape(-1)  # NumPy 2.0 alone returns a column

    def at(self, games: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return the players of ``games``, (games, seats)."""
        return self.table[np.asarray(games, np.int64) % len(self.table)]


def is_policy(entrant: Mapping[str, Any]) -> bool:
    """Return whether ``entrant`` is a compiled policy, which plays inside the state machine."""
    target = entrant.get("_target_")
    if target is not None:
        return target == POLICY
    return "search" not in entrant and entrant["name"] not in entry_points("sleuth.players")


@dataclass(frozen=True)
class Match:
    """All that is needed to play any game of a match; plain data, sent to each worker once.

    Attributes
    ----------
    name : in the results, unique in the run
    rules : arguments of `sim.rules.preset`
    entrants : the players, each as for `sim.players.registry.make`, with its own label
    seating : their seats by game
    measured : index of the entrant that the match measures; None in a round robin
    seed : of deals, dice and the players' randomness
    records : number of first games to record
    beliefs : whether these records hold the beliefs of players that have one
    details : kinds of further rows, from `experiments.matches.details.KINDS`
    """

    name: str
    rules: dict[str, Any]
    entrants: tuple[dict[str, Any], ...]
    seating: Seating
    measured: int | None
    seed: int
    records: int = 0
    details: tuple[str, ...] = ()
    beliefs: bool = False

    @property
    def players(self) -> int:
        """The number of seats."""
        return len(self.seating.line_ups[0])

    @property
    def labels(self) -> list[str]:
        """The entrants' names in results."""
        return [label(entrant) for entrant in self.entrants]

    @property
    def seats(self) -> int:
        """The number of seats of the measured entrant in each game."""
        return self.seating.line_ups[0].count(self.measured)

    @property
    def compiled(self) -> bool:
        """Whether all seats are compiled policies, which the arena plays without the referee."""
        return all(map(is_policy, self.entrants))

    @property
    def threads(self) -> int:
        """Threads that one game keeps busy, over all processes."""
        busy = (
            search["threads"] * (search["workers"] if search["mode"] == "root" else 1)
            for search in self._searches()
        )
        return max(busy, default=1)

    @property
    def rooted(self) -> bool:
        """Whether a player searches in Ray actors, which reserve their own cores."""
        return any(search["mode"] == "root" for search in self._searches())

    @property
    def oversubscribes(self) -> bool:
        """Whether a player may use more threads than there are cores."""
        return any(search["oversubscribe"] for search in self._searches())

    def _searches(self) -> list[dict[str, Any]]:
        return [entrant["search"] for entrant in self.entrants if "search" in entrant]

    def wins_of(self, winner: np.ndarray, entrant: int | None) -> np.ndarray:
        """Return (games,) bool, whether ``entrant`` won game 0, 1, ..., given the winners' seats.

        None, for no single player, wins none.
        """
        who = self.seating.at(np.arange(len(winner)))
        return (winner >= 0) & (who[np.arange(len(winner)), winner] == entrant)

    def sat(self, games: int, entrant: int) -> np.ndarray:
        """Return (games,) the number of seats of ``entrant`` in game 0, 1, ..."""
        return (self.seating.at(np.arange(games)) == entrant).sum(axis=1)


def _spread(entered: int, seats: int) -> Iterator[tuple[int, ...]]:
    """Yield all choices of ``seats`` players, keeping seatings and meetings balanced."""
    left = list(combinations(range(entered), seats))
    sat = np.zeros(entered, int)
    met = np.zeros((entered, entered), int)

    def often(chosen: tuple[int, ...]) -> tuple[int, int]:
        return int(sat[list(chosen)].sum()), int(met[np.ix_(chosen, chosen)].sum())

    while left:
        chosen = min(left, key=often)
        left.remove(chosen)
        sat[list(chosen)] += 1
        met[np.ix_(chosen, chosen)] += 1
        yield chosen


def label(specification: Mapping[str, Any]) -> str:
    """Return the name of a player in results."""
    return specification.get("label") or specification["name"]


def control_of(matches: Sequence[Match], number: int) -> int | None:
    """Return the match that ``number`` is compared with: the first of its kind, or None if itself.

    Matches are of one kind if they have equally many measured seats and the same opponents.
    """
    mine = matches[number]
    if mine.measured is None:
        return None
    first = next(
        i
        for i, match in enumerate(matches)
        if match.measured is not None
        and match.seating == mine.seating
        and _bare(match.entrants[1:]) == _bare(mine.entrants[1:])
    )
    return None if first == number else first


def _bare(entrants: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return ``entrants`` without their names."""
    return [{**entrant, "label": None} for entrant in entrants]


class Schedule:
    """Hands out the games of several matches in turn, in portions sized by their duration.

    The match with the fewest games comes next, so that matches compared on the same games keep
    pace.  Portion size does not affect results, since games are independent.  Before its games are
    handed out a block is claimed, and left out if another process has it.

    ``matches``: to be played; ``games``: of each; ``missing``: returns, given a match and a range
    (first, end), its games that have not been played; ``claim``: returns, given a match, a block
    and its number of games, how many of them are not to be played, from its first on; None if all.
    """

    def __init__(
        self,
        matches: Sequence[Match],
        games: Sequence[int],
        missing: Callable[[int, int, int], np.ndarray] = lambda _, first, end: np.arange(
            first, end
        ),
        claim: Callable[[int, int, int], int | None] = lambda *_: 0,
    ) -> None:
        self._end, self._missing, self._claim = list(games), missing, claim
        self._block = [block_size(match) for match in matches]
        self._largest = [LARGEST_PORTION if match.compiled else 1 for match in matches]
        self._size = [min(FIRST_PORTION, limit) for limit in self._largest]
        self._claimed = [np.empty(0, np.int64) for _ in matches]
        self._next = [0] * len(matches)  # block to claim

    def take(self) -> tuple[int, np.ndarray] | None:
        """Return the number of a match and its next games, None if no more can be claimed."""
        while ready := [(game, i) for i in range(len(self._end)) if (game := self._first(i)) >= 0]:
            _, match = min(ready)
            while len(self._claimed[match]) < self._size[match] and self._extend(match):
                pass
            if len(found := self._claimed[match]):
                size = self._size[match]
                self._claimed[match] = found[size:]
                return match, found[:size]
        return None

    def _first(self, match: int) -> int:
        """Return the next game of ``match`` to hand out or to claim; -1 if none is left."""
        if len(self._claimed[match]):
            return int(self._claimed[match][0])
        size = self._block[match]
        while (first := self._next[match] * size) < self._end[match]:
            if len(left := self._missing(match, first, min(first + size, self._end[match]))):
                return int(left[0])
            self._next[match] += 1
        return -1

    def _extend(self, match: int) -> bool:
        """Claim the next block of ``match``; return whether there was one."""
        size, block = self._block[match], self._next[match]
        first, end = block * size, min((block + 1) * size, self._end[match])
        if first >= end:
            return False
        self._next[match] += 1
        if not len(self._missing(match, first, end)):
            return True
        if (there := self._claim(match, block, end - first)) is not None:
            left = self._missing(match, first + there, end)
            self._claimed[match] = np.concatenate([self._claimed[match], left])
        return True

    def took(self, match: int, games: int, seconds: float) -> None:
        """Adapt the number of games in a portion to `PORTION_SECONDS`, from a finished one."""
        aim = int(games * PORTION_SECONDS / max(seconds, 1e-6))
        # At most fourfold each time: a worker's first portion also loads the compiled code.
        self._size[match] = max(1, min(aim, 4 * self._size[match], self._largest[match]))

    def close(self, match: int) -> None:
        """Hand out no more games of ``match``."""
        self._claimed[match], self._end[match] = self._claimed[match][:0], 0


def block_size(match: Match) -> int:
    """Return the number of games that a process claims at a time: some ten milliseconds, or one."""
    return BLOCK if match.compiled else 1

"""The schedule: games to play, their players, and portions of them.

Game *k* is named by the run's seed and its own index alone: deal and dice are the same whatever the
plays it, however many workers there are and in whatever order games end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Any

import numpy as np

from mcts.kernel.plugins import entry_points

PORTION_SECONDS = 0.15
"""Work aimed at in one task: enough to make its 0.5 ms of overhead small, short enough for
progress, Ctrl-C and a killed worker."""

POLL_SECONDS = 0.25
"""Longest wait for results before control returns to the caller."""

MOST_ENTERED = 10
"""Players of a round robin; the tables of more are too many to be balanced in a lifetime."""

FIRST_PORTION = 100
LARGEST_PORTION = 20_000


POLICY = "sim.seat.Settings"
"""The ``_target_`` of a compiled policy."""

SAME = ("seed", "rules", "seating", "opponents")
"""What makes game *k* of two matches the same game."""


@dataclass(frozen=True)
class Seating:
    """Seats of the players in each game.

    Attributes ``line_ups``: numbers of the players at the table, by place; ``shifts``: seats by
    which the places of a line-up are shifted in turn, before the next line-up.
    """

    line_ups: tuple[tuple[int, ...], ...]
    shifts: tuple[int, ...]

    @classmethod
    def one(cls, players: int, seats: Sequence[int]) -> Seating:
        """Return player 0 in ``seats`` in turn, and player 1 in all others."""
        return cls(((0, *[1] * (players - 1)),), tuple(seats))

    @classmethod
    def rest(cls, players: int, seats: Sequence[int]) -> Seating:
        """Return player 1 in ``seats`` in turn, and player 0 in all others."""
        return cls(((1, *[0] * (players - 1)),), tuple(seats))

    @classmethod
    def among(cls, players: int, seats: Sequence[int]) -> Seating:
        """Return player 0 in ``seats`` in turn, and players 1, 2, ... in all orders behind it."""
        return cls(tuple((0, *order) for order in permutations(range(1, players))), tuple(seats))

    @classmethod
    def robin(cls, players: int, entered: int) -> Seating:
        """Return all tables of ``entered`` players, each seated as often as any other.

        More players than seats sit in all combinations; fewer, each as often as fits and then in
        all combinations of the rest.  Each table comes in every order around it, and each order
        begins at every seat.
        """
        often, rest = divmod(players, entered)
        tables = [sorted((*range(entered),) * often + more) for more in _spread(entered, rest)]
        orders = [
            sorted({(table[0], *order) for order in permutations(table[1:])}) for table in tables
        ]
        # All tables in one order, then all in the next, so that few games are balanced as well.
        deepest = max(map(len, orders))
        line_ups = [table[depth % len(table)] for depth in range(deepest) for table in orders]
        return cls(tuple(line_ups), tuple(range(players)))

    @cached_property
    def table(self) -> np.ndarray:
        """(period, seats) player in each seat of game 0, 1, ..., after which it begins again."""
        return np.array([np.roll(places, by) for places in self.line_ups for by in self.shifts])

    @cached_property
    def kinds(self) -> tuple[np.ndarray, np.ndarray]:
        """(kinds, seats) different rows of `table`, and (period,) which of them each row is."""
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
    """All that it takes to play any game of a match; plain data, sent to the workers once.

    Attributes
    ----------
    name : in the results of the run, unlike any other there
    rules : arguments of `sim.rules.preset`
    entrants : the players, each as `sim.players.registry.make` takes it, with a label of its own
    seating : where they sit
    measured : number of the entrant that the match is about; None in a round robin
    seed : of deals, dice and the players' chance
    records : the first so many games are written down
    beliefs : whether these records hold what players with a belief believe
    details : rows that are written beside those of games, of `experiments.matches.details.KINDS`
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
        """The seats that the measured entrant has in each game."""
        return self.seating.line_ups[0].count(self.measured)

    @property
    def compiled(self) -> bool:
        """Whether all seats are policies, which the arena plays without the referee."""
        return all(map(is_policy, self.entrants))

    @property
    def threads(self) -> int:
        """Threads that one game keeps busy, in whatever processes."""
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
        """Return (games,) bool whether ``entrant`` won game 0, 1, ..., given the winners' seats.

        None, which stands for no single player, wins none.
        """
        who = self.seating.at(np.arange(len(winner)))
        return (winner >= 0) & (who[np.arange(len(winner)), winner] == entrant)

    def sat(self, games: int, entrant: int) -> np.ndarray:
        """Return (games,) how many seats ``entrant`` has in game 0, 1, ..."""
        return (self.seating.at(np.arange(games)) == entrant).sum(axis=1)


def _spread(entered: int, seats: int) -> Iterator[tuple[int, ...]]:
    """Yield all choices of ``seats`` players, those that sat and met least next.

    So each player has sat about as often as any other after any number of them.
    """
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
    """Return the match with which ``number`` is compared: the first of its kind, if it is another.

    Of its kind are those with as many measured seats and the same opponents.
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
    """Return what ``entrants`` are, whatever they are called."""
    return [{**entrant, "label": None} for entrant in entrants]


class Schedule:
    """Hands out the games of several matches in turn, in portions whose size follows their time.

    The match with the fewest games so far comes next, so that those which are to be compared on the
    same games keep step.  The size of portions changes nothing in the results, since every game
    stands for itself.  ``matches``: to be played; ``missing``: by match, the games that are to be
    played: some, then from one on before another.
    """

    def __init__(self, matches: Sequence[Match], missing: Sequence[tuple[np.ndarray, int, int]]):
        self._gaps = [gaps for gaps, _, _ in missing]
        self._next = [first for _, first, _ in missing]
        self._end = [end for _, _, end in missing]
        self._largest = [LARGEST_PORTION if match.compiled else 1 for match in matches]
        self._size = [min(FIRST_PORTION, most) for most in self._largest]

    def take(self) -> tuple[int, np.ndarray] | None:
        """Return the number of a match and its next games, or None if all are handed out."""
        ready = [i for i, end in enumerate(self._end) if len(self._gaps[i]) or self._next[i] < end]
        if not ready:
            return None
        match = min(ready, key=self._first)
        size, gaps = self._size[match], self._gaps[match]
        if len(gaps):
            self._gaps[match] = gaps[size:]
            return match, gaps[:size]
        first = self._next[match]
        self._next[match] = min(first + size, self._end[match])
        return match, np.arange(first, self._next[match])

    def _first(self, match: int) -> int:
        gaps = self._gaps[match]
        return int(gaps[0]) if len(gaps) else self._next[match]

    def took(self, match: int, games: int, seconds: float) -> None:
        """Learn from a finished portion how many games make up `PORTION_SECONDS`."""
        aim = int(games * PORTION_SECONDS / max(seconds, 1e-6))
        # At most fourfold at a time: a worker's first portion also loads the compiled code.
        self._size[match] = max(1, min(aim, 4 * self._size[match], self._largest[match]))

    def close(self, match: int) -> None:
        """Hand out no more games of ``match``."""
        self._gaps[match], self._end[match] = self._gaps[match][:0], self._next[match]

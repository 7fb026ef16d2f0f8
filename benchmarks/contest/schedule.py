"""The order of the tables: every permutation once before any repeats, drawn by a seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from experiments.settings.commandline import Refusal

MOST_ENTRIES = 12
"""More would make millions of permutations."""


@dataclass(frozen=True)
class Schedule:
    """Games among entries; tables of different numbers of players take turns.

    Attributes
    ----------
    names : the entries
    numbers : numbers of players at a table, each with its ``games``
    focus : the entry at every table, or None
    seed : of the order of the permutations
    """

    names: Sequence[str]
    numbers: tuple[int, ...]
    games: int
    focus: str | None
    seed: int

    def __post_init__(self) -> None:
        if self.focus is not None and self.focus not in self.names:
            raise Refusal(f"focus={self.focus}: choose one of {', '.join(self.names)}")
        if not self.numbers or max(self.numbers) > len(self.names) > 0 or not self.names:
            raise Refusal(
                f"numbers={[*self.numbers]}: {len(self.names)} entries play; give numbers from 3 "
                "to that"
            )
        if len(self.names) > MOST_ENTRIES:
            raise Refusal(f"{len(self.names)} entries, of at most {MOST_ENTRIES}: omit some")

    @property
    def units(self) -> int:
        """The number of all games."""
        return self.games * len(self.numbers)

    def seats(self, unit: int) -> tuple[str, ...]:
        """Return the players of game ``unit``, in order of play."""
        number, which = unit % len(self.numbers), unit // len(self.numbers)
        tables = self._tables[self.numbers[number]]
        again, place = divmod(which, len(tables))
        order = random.Random(f"{self.seed} {self.numbers[number]} {again}")
        return order.sample(tables, len(tables))[place]

    @cached_property
    def _tables(self) -> dict[int, list[tuple[str, ...]]]:
        return {
            players: [
                seated
                for seated in permutations(self.names, players)
                if self.focus is None or self.focus in seated
            ]
            for players in self.numbers
        }

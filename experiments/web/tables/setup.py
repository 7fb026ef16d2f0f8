"""What a table is set up with: rules, who sits where, which game it is, how fast it goes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from sim.player import Player
from sim.players.registry import make
from sim.records.stepped import Person
from sim.rules import Rules, preset

PERSON = "person"
"""The name of a seat's settings where somebody sits."""

LONGEST_NAME = 24
SLOWEST = 60.0


@dataclass(frozen=True)
class Setup:
    """A table, before its game begins; ValueError with one sentence on what cannot be.

    Attributes
    ----------
    rules : arguments of `sim.rules.preset`
    seats : by seat, settings of a player as `sim.players.registry.make` takes them, or of a person:
        ``name: person`` and a ``label``, which is a pseudonym
    seed, game : which game it is
    pace : seconds between two events
    hints : whether people may see the exact probabilities
    study : whether the game is kept among those of a study
    """

    rules: Mapping[str, Any]
    seats: tuple[Mapping[str, Any], ...]
    seed: int
    game: int
    pace: float = 1.0
    hints: bool = True
    study: bool = False

    def __post_init__(self) -> None:
        if len(self.seats) != self.made_rules().players:
            raise ValueError(f"{self.made_rules().players} seats, but {len(self.seats)} players")
        if not 0.0 <= self.pace <= SLOWEST:
            raise ValueError(f"pace must be from 0 to {SLOWEST:g} seconds, got {self.pace}")
        names = [seat["label"] for seat in self.seats if seat["name"] == PERSON]
        for name in names:
            if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
                raise ValueError(f"a name has 1 to {LONGEST_NAME} signs that can be printed")
            if names.count(name) > 1:
                raise ValueError(f"two people are called {name}: give one of them another name")

    def made_rules(self) -> Rules:
        """Return the rules."""
        return preset(**self.rules)

    def made_players(self) -> list[Player]:
        """Return a new player for each seat."""
        rules = self.made_rules()
        return [
            Person(seat["label"]) if seat["name"] == PERSON else make(seat, rules)
            for seat in self.seats
        ]

    @property
    def people(self) -> list[int]:
        """Seats in which somebody sits."""
        return [number for number, seat in enumerate(self.seats) if seat["name"] == PERSON]

    def text(self) -> str:
        """Return it as a line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> Setup:
        """Return what `text` wrote; ValueError if it is something else."""
        given = json.loads(text)
        if not isinstance(given, dict) or set(given) != {part.name for part in fields(cls)}:
            raise ValueError("not the setup of a table")
        return cls(**{**given, "seats": tuple(given["seats"])})


def names(players: Sequence[Player]) -> list[str]:
    """Return what the players are called, by seat."""
    return [player.name for player in players]

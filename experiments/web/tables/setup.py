"""Settings of a table: rules, occupants of the seats, seed and number of the game, pace."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from experiments.web.tables.allowed import check_player
from sim.player import Player
from sim.players.registry import make
from sim.records.stepped import Person
from sim.rules import Rules, preset

PERSON = "person"
"""The name of a person in the settings of a seat."""

LONGEST_NAME = 24
SLOWEST = 60.0

_EARLIER = {"study", "series", "counted", "past"}
"""Settings of tables of earlier versions, which are ignored."""


@dataclass(frozen=True)
class Setup:
    """Settings of a table; ValueError with one sentence if they are invalid.

    ``seats``: settings of a player for `sim.players.registry.make`, or of a person: ``name:
    person`` and a ``label``, which is a pseudonym.
    """

    rules: Mapping[str, Any]  # arguments of `sim.rules.preset`
    seats: tuple[Mapping[str, Any], ...]
    seed: int | None = None  # None: draw one
    game: int = 0
    pace: float = 1.0  # seconds between two events
    hints: bool = True  # people may see the exact probabilities

    def __post_init__(self) -> None:
        players = self.build_rules().players
        if len(self.seats) != players:
            raise ValueError(f"{players} seats, but {len(self.seats)} players")
        if not 0.0 <= self.pace <= SLOWEST:
            raise ValueError(f"pace must be from 0 to {SLOWEST:g} seconds, got {self.pace}")
        for seat in self.seats:
            if seat["name"] != PERSON:
                check_player(seat)  # the folder of a table may be untrusted
        names = [self.seats[seat]["label"] for seat in self.people]
        for name in names:
            if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
                raise ValueError(f"a name has 1 to {LONGEST_NAME} printable characters")
            if names.count(name) > 1:
                raise ValueError(f"two people are called {name}: rename one")

    def build_rules(self) -> Rules:
        """Return the rules; tables older than this switch have secret accusations."""
        older = {"accusations": "secret"} if "accuse" in self.rules else {}
        return preset(**{**older, **self.rules})

    def build_players(self) -> list[Player]:
        """Return a new player per seat."""
        rules = self.build_rules()
        return [
            Person(seat["label"]) if seat["name"] == PERSON else make(seat, rules)
            for seat in self.seats
        ]

    @property
    def people(self) -> list[int]:
        """Seats of people."""
        return [number for number, seat in enumerate(self.seats) if seat["name"] == PERSON]

    @property
    def labels(self) -> list[str]:
        """Names of the players, by seat."""
        return [seat.get("label") or seat["name"] for seat in self.seats]

    def to_json(self) -> str:
        """Return the settings as a line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the settings that `to_json` wrote; ValueError, LookupError or TypeError for
        anything else.
        """
        given, known = json.loads(text), {part.name for part in fields(cls)}
        if not isinstance(given, dict) or not given.keys() <= known | _EARLIER:
            raise ValueError("not the setup of a table")
        ours = {name: given[name] for name in given.keys() & known}
        return cls(**{**ours, "seats": tuple(given["seats"])})

"""Studies by link: the participants, their numbers and their progress.

    FOLDER/people.jsonl     a line per participant, and per table of theirs

All participants open the same link.  At the start each gets the next number and a personal link,
whose token leads back to their page; the file has only hashes of tokens.  The first game is for
practice and is not filed.  The file only grows, so that numbers stay unique.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from experiments.settings.commandline import Refusal
from experiments.web.settings import Search
from experiments.web.shares import PEOPLE as NEW_PEOPLE
from experiments.web.shares import Crowded
from experiments.web.tables.registry import Entry, Registry, hash_token
from experiments.web.tables.requests import Name, Pace, compose_player, compose_rules
from experiments.web.tables.setup import PERSON, Setup
from sim.rules import SEATS

PEOPLE = "people.jsonl"
MOST_PEOPLE = 100_000
MOST_GAMES = 50


class Preset(BaseModel):
    """The settings in the link of a study, as ``/study?name=pilot&games=5``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$")]  # as in `Setup`
    games: Annotated[int, Field(ge=1, le=MOST_GAMES)] = 5
    players: Annotated[int, Field(ge=min(SEATS), le=max(SEATS))] = 4
    rules: Name = "ledford"
    against: Name = "swift"
    simulations: Annotated[int, Field(ge=1)] | None = None
    hints: bool = False
    pace: Pace = 1.0

    @classmethod
    def from_query(cls, query: str, limits: Search) -> Preset:
        """Return the preset of a link; ValueError with one sentence if it is invalid."""
        pairs = parse_qsl(query, keep_blank_values=True)
        for key, _ in pairs:
            if key not in _MEANT:
                raise ValueError(f"a study has no {key!r}: it has {', '.join(_MEANT)}")
            if sum(other == key for other, _ in pairs) > 1:
                raise ValueError(f"{key} is given twice")
        try:
            preset = cls(**dict[str, Any](pairs))
        except ValidationError as fault:
            key = str(fault.errors()[0]["loc"][0])
            value = dict(pairs).get(key)
            given = f"{key}={value} is not" if value is not None else f"{key} is missing: give"
            raise ValueError(f"{given} {_MEANT[key]}") from None
        preset.set_up(1, 0, limits)  # refuses rules and players that do not fit
        return preset

    def set_up(self, number: int, game: int, limits: Search) -> Setup:
        """Return the table of person ``number`` for ``game`` (0: practice), with a seat that
        changes.  ValueError with one sentence if rules and players do not fit.
        """
        budget = [] if self.simulations is None else [f"budget.simulations={self.simulations}"]
        seats = [compose_player(self.against, budget, limits)] * self.players
        seats[game % self.players] = {"name": PERSON, "label": pseudonym(number)}
        return Setup(
            rules=compose_rules(self.rules, self.players),
            seats=tuple(seats),
            pace=self.pace,
            hints=self.hints,
            study=True,
            series=self.name,
            counted=game > 0,
        )


_MEANT = {
    "name": "the name of the study: letters, digits, - and _, at most 40",
    "games": f"a number of games from 1 to {MOST_GAMES}",
    "players": f"a number of players from {min(SEATS)} to {max(SEATS)}",
    "rules": "the name of a rule set",
    "against": "the name of a player",
    "simulations": "a number of simulations per decision",
    "hints": "yes or no",
    "pace": "a number of seconds between two events",
}


@dataclass
class Participant:
    """A participant of a study."""

    number: int  # unique among all studies of the folder
    preset: Preset
    tables: list[str] = field(default_factory=list)  # in order


class Progress(NamedTuple):
    """Progress of a participant: counted games that are over, practice over, current game."""

    done: int
    practised: bool
    current: Entry | None


def pseudonym(number: int) -> str:
    """Return the pseudonym of person ``number``."""
    return f"P{number:02d}"


class Studies:
    """The participants of all studies in the folder of ``registry``."""

    def __init__(self, registry: Registry) -> None:
        """Read the participants; raises `Refusal` if the file is invalid."""
        self._registry, self._path = registry, registry.folder / PEOPLE
        self._people: dict[str, Participant] = {}
        self._given = 0
        self._making = asyncio.Lock()
        try:
            for line in _read(self._path):
                self._take(**line)
        except (OSError, ValueError, LookupError, TypeError) as fault:
            raise Refusal(f"{self._path}: not a file of participants ({fault})") from None

    def _take(
        self, digest: str, number: int = 0, preset: Any = None, table: str | None = None
    ) -> None:
        """Add a line of the file."""
        if table is not None:
            self._people[digest].tables.append(table)
        else:
            self._given = max(self._given, number)
            self._people[digest] = Participant(number, Preset(**preset))

    def begin(self, preset: Preset) -> str:
        """Give a new participant the next number; return their token.

        Raises Crowded if there are too many participants, or too many of this address today.
        Raises OSError if the file is not writable.
        """
        if self._given >= MOST_PEOPLE:
            raise Crowded(f"{MOST_PEOPLE:,} people have taken part, the limit")
        self._registry.shares.spend(NEW_PEOPLE)
        token, number = secrets.token_urlsafe(16), self._given + 1
        about: dict[str, Any] = {"digest": hash_token(token), "number": number}
        about["preset"] = preset.model_dump()
        _append(self._path, about)
        self._take(**about)
        return token

    def find(self, token: str) -> Participant | None:
        """Return the participant with ``token``, their own or that of a seat of theirs, or None."""
        return self._people.get(hash_token(token.partition(".")[0]))

    async def progress(self, person: Participant) -> Progress:
        """Return the progress of a participant."""
        entries = [self._registry.entries.get(table) for table in person.tables]
        there = [entry for entry in entries if entry]
        for entry in there:
            await self._registry.settle(entry)
        over = [entry.setup.counted for entry in there if entry.over]
        current = there[-1] if there and there[-1].playable else None
        return Progress(sum(over), False in over, current)

    async def go_on(self, token: str, limits: Search) -> str | None:
        """Return the token of the participant's current seat; None after the last game.

        Raises KeyError if ``token`` is unknown.  Raises Crowded, ValueError, OSError, Refusal as
        `Registry.make`.
        """
        async with self._making:
            person = self._people[hash_token(token)]
            progress = await self.progress(person)
            if progress.current is None:
                if progress.done >= person.preset.games:
                    return None
                game = progress.done + 1 if progress.practised else 0
                setup = person.preset.set_up(person.number, game, limits)
                (seat,) = setup.people
                name = {seat: f"{token}.{len(person.tables)}"}
                entry, _ = await self._registry.make(setup, name)
                digest = hash_token(token)
                _append(self._path, {"digest": digest, "table": entry.id})
                self._take(digest, table=entry.id)
            return f"{token}.{len(person.tables) - 1}"


def _read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file, without one that a killed server left incomplete."""
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        with suppress(json.JSONDecodeError):
            yield json.loads(line)


def _append(path: Path, about: dict[str, Any]) -> None:
    with path.open("ab") as file:
        file.write(b"\n" + json.dumps(about).encode())  # an incomplete line stays separate
        file.flush()
        os.fsync(file.fileno())

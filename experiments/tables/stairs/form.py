"""The form of a table of steps: a staircase from one set-up to another, or a curve.

A *column* is a player against certain opponents in one seat or in the rest, a *line* is a way to
play all columns, and where they meet is a cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from omegaconf import MISSING, OmegaConf

from experiments.settings.commandline import Refusal
from experiments.tables.forms import PER_SIMULATIONS, Cell, Entrant, Table, columns

CUMULATIVE, ALONE, ADDED, APART = "cumulative", "alone", "added", "apart"
WAYS = (CUMULATIVE, ALONE, ADDED, APART)
"""How the settings of steps are put together (`Steps.ways`)."""

BUDGET = "player.budget.simulations"
"""The setting along which a curve is drawn."""


@dataclass
class Steps(Table):
    """Columns and lines, each cell a run of its own with games of its own.

    Each line is held against another on the same games, the one *before* it.

    Attributes
    ----------
    steps : ``NAME+SETTING=VALUE+...``, in order; settings as in `Table.variants`, or of a player:
        ``player.KEY=VALUE``, ``opponent.KEY=VALUE``.  Besides them a step may have ``about=WORDS``,
        ``games=NUMBER`` a cell, and ``of=LABEL``: it stands in the columns of that player alone,
        and in the others its settings belong to the next step, as far as they have them
    base : name of the line without any step
    ways : which lines there are: ``cumulative``, the base and then the steps up to each, before it
        the step above; ``alone``, each step by itself, before it the base; ``added``, all steps but
        this one, before it all; ``apart``, each step by itself without a base, before it the one
        above
    """

    steps: list[str] = MISSING
    base: str = "base"
    ways: list[str] = field(
        default_factory=lambda: [CUMULATIVE, ALONE], metadata={"each": {"choices": WAYS}}
    )

    @property
    def cells(self) -> list[Cell]:
        """The cells, column by column."""
        return [cell for column in columns(self) for _, cell in in_column(self, column)]

    def hours(self, games: int | None, simulations: int | None, cores: int) -> float:
        """Return about how long it takes on so many ``cores``, as `Table.hours`."""
        seconds = 0.0
        for column in columns(self):
            for line, _ in in_column(self, column):
                own = line.settings.get(BUDGET)
                budget = int(own) if own else simulations or self.simulations or PER_SIMULATIONS
                share = 1.0 if self.compiled else budget / PER_SIMULATIONS
                seconds += (games or line.games or self.games) * self.seconds * share
        return seconds / cores / 3600

    @staticmethod
    def check(path: str, node: Any) -> None:
        """Refuse steps that cannot be read or told apart, and ways that miss what they need."""
        Table.check(path, node)
        steps = [Step.read(entry, f"{path}.steps") for entry in node.steps]
        names = [step.name for step in steps]
        for name in names:
            if names.count(name) > 1 or name == node.base:
                raise Refusal(f"{path}.steps: {name} stands there twice")
        if ADDED in node.ways and CUMULATIVE not in node.ways:
            raise Refusal(f"{path}.ways: {ADDED} is held against the last {CUMULATIVE} step")


@dataclass(frozen=True)
class Step:
    """A change of settings.

    Attributes
    ----------
    about : in words
    settings : by key
    games : a cell; None: as many as the table says
    of : label of the player that it concerns; None: all
    """

    name: str
    about: str
    settings: Mapping[str, str]
    games: int | None = None
    of: str | None = None

    @classmethod
    def read(cls, entry: str, key: str = "steps") -> Step:
        """Return the step that is written so.

        Raises
        ------
        Refusal
            If a part is no setting, or the games are no number.
        """
        name, *parts = (part.strip() for part in entry.split("+"))
        found = dict.fromkeys(("about", "games", "of"))
        settings = {}
        for part in parts:
            setting, equals, value = part.partition("=")
            if not equals:
                raise Refusal(f"{key}: {part} in {name} is no setting: write SETTING=VALUE")
            (found if setting in found else settings)[setting] = value
        games = found["games"]
        if games is not None and not (games.isascii() and games.isdigit() and int(games) >= 4):
            raise Refusal(f"{key}: games={games} in {name}: must be a number, at least 4")
        return cls(name, found["about"] or "", settings, games and int(games), found["of"])


@dataclass(frozen=True)
class Line:
    """A line of a column.

    Attributes
    ----------
    way : one of `WAYS`
    step : its name, or that of the base
    settings : by key, in place of the table's
    games : a cell; None: as many as the table says
    before : the line that it is held against
    """

    way: str
    step: str
    about: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    games: int | None = None
    before: Line | None = None

    @property
    def called(self) -> str:
        """Its name among the lines."""
        return f"{self.step}, {self.way}" if self.way in (ALONE, ADDED) else self.step


def in_column(table: Steps, column: Cell) -> list[tuple[Line, Cell]]:
    """Return the lines of a ``column`` with their cells, in order."""
    return [
        (line, replace(column, variant=line.called, settings=_settings(column, line)))
        for line in _lines(table, column.player)
    ]


def _settings(column: Cell, line: Line) -> tuple[str, ...]:
    settings = dict(one.split("=", 1) for one in column.settings) | dict(line.settings)
    return tuple(f"{key}={value}" for key, value in settings.items())


def _lines(table: Steps, player: Entrant) -> Iterator[Line]:
    steps = _concerning(table, player)
    base = before = Line(CUMULATIVE, table.base)
    if CUMULATIVE in table.ways or ALONE in table.ways:
        yield base
    whole: dict[str, str] = {}
    for step in steps:
        whole |= step.settings
        if CUMULATIVE in table.ways:
            before = Line(CUMULATIVE, step.name, step.about, dict(whole), step.games, before)
            yield before
    last = before
    if ALONE in table.ways:
        for step in steps:
            yield Line(ALONE, step.name, step.about, step.settings, step.games, base)
    if ADDED in table.ways:
        for left in steps:
            rest: dict[str, str] = {}
            for step in steps:
                rest |= {} if step is left else step.settings
            yield Line(ADDED, left.name, left.about, rest, left.games, last)
    if APART in table.ways:
        above = None
        for step in steps:
            above = Line(APART, step.name, step.about, step.settings, step.games, above)
            yield above


def _has(player: Entrant, key: str) -> bool:
    """Tell whether ``key`` is a setting of ``player``, or of no player."""
    prefix, _, path = key.partition(".")
    if prefix != "player":
        return True
    return OmegaConf.select(player.settings, path, default=MISSING) != MISSING


def _concerning(table: Steps, player: Entrant) -> list[Step]:
    """Return the steps of a column; those of other players are in the next of its own."""
    found: list[Step] = []
    waiting: dict[str, str] = {}
    for step in map(Step.read, table.steps):
        if step.of not in (None, player.label):
            waiting |= {key: value for key, value in step.settings.items() if _has(player, key)}
        else:
            found.append(replace(step, settings={**waiting, **step.settings}))
            waiting = {}
    if waiting and found:
        found[-1] = replace(found[-1], settings={**found[-1].settings, **waiting})
    return found

"""The schema of an ablation: a staircase of switches from one set-up to another, or a curve.

A *set-up* is a player against certain opponents in one seat or in the rest, a *line* a way to play
all set-ups.  Each pair of them is a cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from omegaconf import MISSING, OmegaConf

from experiments.settings import limits
from experiments.settings.commandline import Refusal
from experiments.tables.schema import PER_SIMULATIONS, Cell, Entrant, Table, expand

CUMULATIVE, ALONE, ADDED, APART = "cumulative", "alone", "added", "apart"
WAYS = (CUMULATIVE, ALONE, ADDED, APART)
"""Ways to combine the settings of steps (`Ablation.ways`)."""

BUDGET = "player.budget.simulations"
"""The setting along which a curve is drawn."""


@dataclass
class Ablation(Table):
    """Set-ups and lines, each cell a run of its own with games of its own.

    Each line is compared with another on the same games, its *reference*.

    Attributes
    ----------
    steps : ``NAME+SETTING=VALUE+...``, in order; settings as in `Table.variants`, or of a player:
        ``player.KEY=VALUE``, ``opponent.KEY=VALUE``.  Besides them a step may have ``about=WORDS``,
        ``games=NUMBER`` per cell, and ``of=LABEL``: it stands in the set-ups of that player alone,
        and in the others its settings belong to the next step, as far as they have them
    base : name of the line without any step
    ways : the lines: ``cumulative``, the base and then all steps up to each, compared with the step
        above; ``alone``, each step by itself, compared with the base; ``added``, all steps but this
        one, compared with all of them; ``apart``, each step by itself without a base, compared with
        the one above
    shares : by layout the share of the games that its cells get, all by default: with several
        planners at a table a game takes several times as long
    """

    steps: list[str] = MISSING
    base: str = "base"
    ways: list[str] = field(
        default_factory=lambda: [CUMULATIVE, ALONE], metadata={"each": {"choices": WAYS}}
    )
    shares: dict[str, float] = field(default_factory=dict, metadata=limits.DATA)

    def games_of(self, setup: Cell, line: Line) -> int:
        """Return the games of the cell of a set-up and a line."""
        return math.ceil((line.games or self.games) * self.shares.get(setup.layout, 1.0))

    @property
    def cells(self) -> list[Cell]:
        """The cells, set-up by set-up."""
        return [cell for setup in expand(self) for _, cell in lines_of(self, setup)]

    def hours(self, games: int | None, simulations: int | None, cores: int) -> float:
        """Return the estimated hours that it takes, as `Table.hours`."""
        seconds = 0.0
        for setup in expand(self):
            for line, _ in lines_of(self, setup):
                own = line.settings.get(BUDGET)
                budget = int(own) if own else simulations or self.simulations or PER_SIMULATIONS
                share = 1.0 if self.compiled else budget / PER_SIMULATIONS
                seconds += (games or self.games_of(setup, line)) * self.seconds * share
        return seconds / cores / 3600

    @staticmethod
    def check(path: str, node: Any) -> None:
        """Refuse steps that are malformed or ambiguous, and ways that lack their reference."""
        Table.check(path, node)
        for layout, share in node.shares.items():
            if layout not in node.layouts or not 0 < share <= 1:
                raise Refusal(
                    f"{path}.shares.{layout}={share}: must be above 0 and at most 1, of one of its "
                    f"layouts: {', '.join(node.layouts)}"
                )
        steps = [Step.read(entry, f"{path}.steps") for entry in node.steps]
        names = [node.base, *(step.name for step in steps)]
        for name in names:
            if names.count(name) > 1:
                raise Refusal(f"{path}.steps: {name} stands there twice")
        if ADDED in node.ways and CUMULATIVE not in node.ways:
            raise Refusal(f"{path}.ways: {ADDED} is compared with the last {CUMULATIVE} step")


@dataclass(frozen=True)
class Step:
    """A change of settings.

    Attributes
    ----------
    about : in words
    settings : by key
    games : per cell; None: as many as the table says
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

        Raises Refusal if a part is no setting, or the games are no number.
        """
        name, *parts = (part.strip() for part in entry.split("+"))
        settings: dict[str, str] = {}
        for part in parts:
            setting, equals, value = part.partition("=")
            if not equals:
                raise Refusal(f"{key}: {part} in {name} is no setting: write SETTING=VALUE")
            settings[setting] = value
        about, games, of = (settings.pop(own, None) for own in ("about", "games", "of"))
        if games is not None and not (games.isascii() and games.isdigit() and int(games) >= 4):
            raise Refusal(f"{key}: games={games} in {name}: must be a number, at least 4")
        return cls(name, about or "", settings, None if games is None else int(games), of)


@dataclass(frozen=True)
class Line:
    """A line of a set-up.

    Attributes
    ----------
    way : one of `WAYS`
    step : its name, or that of the base
    settings : by key, in place of the table's
    games : per cell; None: as many as the table says
    reference : the line with which it is compared
    """

    way: str
    step: str
    about: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    games: int | None = None
    reference: Line | None = None

    @property
    def label(self) -> str:
        """Its name among the lines."""
        return f"{self.step}, {self.way}" if self.way in (ALONE, ADDED) else self.step


def lines_of(table: Ablation, setup: Cell) -> list[tuple[Line, Cell]]:
    """Return the lines of a set-up with their cells, in order."""
    return [
        (line, replace(setup, variant=line.label, settings=_merge(setup, line)))
        for line in _lines(table, setup.player)
    ]


def _merge(setup: Cell, line: Line) -> tuple[str, ...]:
    """Return the settings of a cell; those of its line come last."""
    settings: dict[str, str] = {}
    for one in setup.settings:
        key, _, value = one.partition("=")
        settings[key] = value
    return tuple(f"{key}={value}" for key, value in (settings | dict(line.settings)).items())


def _lines(table: Ablation, player: Entrant) -> Iterator[Line]:
    steps = _steps_of(table, player)
    base = last = Line(CUMULATIVE, table.base)
    if CUMULATIVE in table.ways or ALONE in table.ways:
        yield base
    if CUMULATIVE in table.ways:
        merged: dict[str, str] = {}
        for step in steps:
            merged = merged | dict(step.settings)
            last = Line(CUMULATIVE, step.name, step.about, merged, step.games, last)
            yield last
    if ALONE in table.ways:
        for step in steps:
            yield Line(ALONE, step.name, step.about, step.settings, step.games, base)
    if ADDED in table.ways:
        for left_out in steps:
            rest: dict[str, str] = {}
            for step in steps:
                rest |= {} if step is left_out else step.settings
            yield Line(ADDED, left_out.name, left_out.about, rest, left_out.games, last)
    if APART in table.ways:
        above = None
        for step in steps:
            above = Line(APART, step.name, step.about, step.settings, step.games, above)
            yield above


def _has(player: Entrant, key: str) -> bool:
    """Return whether ``key`` is a setting of ``player``, or of no player."""
    prefix, _, path = key.partition(".")
    if prefix != "player":
        return True
    return OmegaConf.select(player.settings, path, default=MISSING) != MISSING


def _steps_of(table: Ablation, player: Entrant) -> list[Step]:
    """Return the steps of ``player``; those of other players are part of its next one."""
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

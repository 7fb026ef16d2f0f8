"""Ablations: tables whose cells have parents, a staircase of switches or a curve.

A *set-up* is a player against given opponents in one seat or in the rest; a *line* is a way to play
all set-ups.  Each pair of them is a cell, whose parent is the cell of the line's reference.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from omegaconf import MISSING, OmegaConf

from experiments.settings import limits
from experiments.settings.commandline import Refusal
from experiments.tables.schema import (
    ADDED,
    ALONE,
    APART,
    CUMULATIVE,
    WAYS,
    Cell,
    Entrant,
    Line,
    Table,
    expand,
)


@dataclass
class Ablation(Table):
    """Set-ups and lines; each cell is a run of its own.

    Each line is compared with its *reference* on the same games.

    ``steps``: ``NAME+SETTING=VALUE+...``, in order; settings as in `Table.variants`, or of a
    player: ``player.KEY=VALUE``, ``opponent.KEY=VALUE``. A step may also have ``about=WORDS``,
    ``games=NUMBER`` per cell, and ``of=LABEL``, which limits it to the set-ups of that player; in
    the others its settings join the next step, as far as the players have them; ``base``: name of
    the line without steps; ``ways``: the lines: ``cumulative``, the base and then all steps up to
    each, compared with the step above; ``alone``, each step by itself, compared with the base;
    ``added``, all steps but this one, compared with all of them; ``apart``, each step by itself
    without a base, compared with the one above; ``shares``: by layout the share of the games that
    its cells play, by default all: a game with several planners takes several times as long.
    """

    steps: list[str] = MISSING
    base: str = "base"
    ways: list[str] = field(
        default_factory=lambda: [CUMULATIVE, ALONE], metadata={"each": {"choices": WAYS}}
    )
    shares: dict[str, float] = field(default_factory=dict, metadata=limits.DATA)

    @property
    def cells(self) -> list[Cell]:
        """The cells, set-up by set-up."""
        return [cell for setup in expand(self) for cell in _of_setup(self, setup)]

    def games_of(self, cell: Cell) -> int:
        """Return the games of a cell."""
        games = cell.line and cell.line.games
        return math.ceil((games or self.games) * self.shares.get(cell.layout, 1.0))

    @staticmethod
    def check(path: str, node: Any) -> None:
        """Refuse malformed or ambiguous steps, and ways without their reference."""
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
                raise Refusal(f"{path}.steps: {name} is listed twice")
        if ADDED in node.ways and CUMULATIVE not in node.ways:
            raise Refusal(f"{path}.ways: {ADDED} is compared with the last {CUMULATIVE} step")


@dataclass(frozen=True)
class Step:
    """A change of settings.

    ``about``: a short description; ``settings``: by key; ``games``: per cell; None: as in the
    table; ``of``: label of the only player that it concerns; None: all.
    """

    name: str
    about: str
    settings: Mapping[str, str]
    games: int | None = None
    of: str | None = None

    @classmethod
    def read(cls, entry: str, key: str = "steps") -> Self:
        """Return the step that ``entry`` describes.

        Raises Refusal if a part is not a setting, or the games are not a number.
        """
        name, *parts = (part.strip() for part in entry.split("+"))
        settings: dict[str, str] = {}
        for part in parts:
            setting, equals, value = part.partition("=")
            if not equals:
                raise Refusal(f"{key}: {part} in {name} is not a setting: write SETTING=VALUE")
            settings[setting] = value
        about, games, of = (settings.pop(own, None) for own in ("about", "games", "of"))
        if games is not None and not (games.isascii() and games.isdigit() and int(games) >= 4):
            raise Refusal(f"{key}: games={games} in {name}: must be a number, at least 4")
        return cls(name, about or "", settings, None if games is None else int(games), of)


def _of_setup(table: Ablation, setup: Cell) -> Iterator[Cell]:
    """Yield the cells of a set-up; the settings of their lines come last."""
    usual = {key: value for key, _, value in (one.partition("=") for one in setup.settings)}
    for line in _lines(table, setup.player):
        settings = tuple(f"{key}={value}" for key, value in (usual | {**line.settings}).items())
        yield replace(setup, variant=line.label, settings=settings, line=line)


def _lines(table: Ablation, player: Entrant) -> Iterator[Line]:
    steps = _steps_of(table, player)

    def line(way: str, step: Step, settings: Mapping[str, str], reference: Line | None) -> Line:
        return Line(way, step.name, step.about, settings, step.games, reference)

    def merge(chosen: Sequence[Step]) -> dict[str, str]:
        return {key: value for step in chosen for key, value in step.settings.items()}

    base = last = Line(CUMULATIVE, table.base)
    if CUMULATIVE in table.ways or ALONE in table.ways:
        yield base
    if CUMULATIVE in table.ways:
        for number, step in enumerate(steps, 1):
            last = line(CUMULATIVE, step, merge(steps[:number]), last)
            yield last
    if ALONE in table.ways:
        yield from (line(ALONE, step, step.settings, base) for step in steps)
    if ADDED in table.ways:
        for out in steps:
            yield line(ADDED, out, merge([step for step in steps if step is not out]), last)
    above = None
    for step in steps if APART in table.ways else ():
        above = line(APART, step, step.settings, above)
        yield above


def _steps_of(table: Ablation, player: Entrant) -> list[Step]:
    """Return the steps of ``player``; those of other players join its next step."""
    found: list[Step] = []
    waiting: dict[str, str] = {}
    for step in map(Step.read, table.steps):
        if step.of not in (None, player.label):
            for key, value in step.settings.items():
                prefix, _, path = key.partition(".")
                settings = player.settings if prefix == "player" else None
                if not settings or OmegaConf.select(settings, path, default=MISSING) != MISSING:
                    waiting[key] = value
        else:
            found.append(replace(step, settings={**waiting, **step.settings}))
            waiting = {}
    if waiting and found:
        found[-1] = replace(found[-1], settings={**found[-1].settings, **waiting})
    return found

"""The schemas of tables in ``conf/table``, and the cells that they describe.

`experiments.tables.matches` makes their matches, `experiments.tables.steps` the cells of an
ablation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from omegaconf import MISSING, DictConfig

from experiments.settings import config, limits
from experiments.settings.commandline import Refusal
from experiments.settings.limits import GAMES, as_option, between, file_name, one_of
from mcts.options import Budget

PER_SIMULATIONS = 1000
"""Simulations per decision of `Table.seconds`, if the table has a budget."""

EVERYBODY = "everybody."
"""Prefix of a variant's setting that applies to all players with that setting."""

AND = " and "
"""Separator of the players of a mixed line-up."""

AGAINST = " against "
"""Separator of player and opponents in `Table.pairs`."""

PRESET = "preset"
"""The `Table.model` that keeps each planner's own model."""

ROBIN = "robin"
"""The layout of a field: all players at one table, one cell per variant."""

LAYOUTS = ("one", "rest", ROBIN)
"""Values of ``match.layout`` that a cell may have."""

CUMULATIVE, ALONE, ADDED, APART = "cumulative", "alone", "added", "apart"
WAYS = (CUMULATIVE, ALONE, ADDED, APART)
"""Ways to combine the settings of steps (`experiments.tables.steps.Ablation.ways`)."""

BUDGET = "player.budget.simulations"
"""The setting on the x axis of a curve."""


@dataclass
class Table:
    """Cells that form one run, with their number of games and budget.

    Players are written as in ``match.players``: a preset with changes, ``best+budget.nodes=1``.
    Their name in the table is the value of ``+label=``, or else preset and values, ``best_1``.

    Attributes
    ----------
    about : a short description
    players : the measured players, each against all `opponents`; the first to meet given opponents
        is the control of the others
    controls : labels of further controls, for all others but the first; in a field those from
        which differences are shown
    opponents : players of the other seats, all of one kind; or one of each kind, in all orders, as
        in ``closure and random``; empty in a field
    model : the planners' model of the others: null for their true settings (greedy as swift); a
        player; or `PRESET`
    own_model : labels of planners that keep the model of their preset
    mirror : whether a player meets opponents of its own name
    alike : whether it meets only those
    layouts : ``one`` player against the rest or the ``rest`` against one, as ``match.layout``; or
        `ROBIN` alone
    variants : ways to play each cell, ``NAME+SETTING=VALUE``; a non-empty name is appended to that
        of the match; a setting of all players is ``NAME+everybody.SETTING=VALUE``
    pairs : further cells, ``PLAYER against OPPONENTS``, in one seat and below the others
    by : the grouping of cells: ``player`` or ``opponent``
    settings : of all cells
    games : per cell
    simulations : per decision; null if the cells or the clock set them
    seconds : core seconds per game, mean over the cells, measured at `PER_SIMULATIONS` if there are
        `simulations`
    seed : of deals and dice; not 7 for the strength of `best`, which was tuned on 7
    run : folder of the run, which several tables may share; null: the table's name
    details : rows to write in addition to those of games
    compiled : whether all players are policies, which play thousands of games in seconds
    beside : ablations whose cells appear with these in a paper's table
    axis : a setting of players on the x axis of wins, with a line per kind of opponents, or null
    published : figures of a paper (`experiments.tables.published`), or null
    matrix : label of the player whose differences from the others are shown by variant and
        opponents (`experiments.tables.matrix`), or null
    name : the name of the YAML file, which does not contain it
    """

    about: str = MISSING
    players: list[str] = MISSING
    opponents: list[str] = MISSING
    games: int = between(4, GAMES)
    simulations: int | None = as_option(Budget, "simulations")
    seconds: float = between(0, 86_400)
    controls: list[str] = field(default_factory=list)
    model: str | None = None
    own_model: list[str] = field(default_factory=list)
    mirror: bool = True
    alike: bool = False
    layouts: list[str] = field(
        default_factory=lambda: ["one"], metadata={"each": {"choices": LAYOUTS}}
    )
    variants: list[str] = field(default_factory=lambda: [""])
    pairs: list[str] = field(default_factory=list)
    by: str = one_of("player", "opponent", default="player")
    settings: list[str] = field(default_factory=list)
    seed: int = limits.seed(20261)
    run: str | None = file_name(None)
    details: list[str] = field(default_factory=list)
    compiled: bool = False
    beside: list[str] = field(default_factory=list)
    axis: str | None = None
    published: Any = field(default=None, metadata=limits.DATA)
    matrix: str | None = None
    name: str = ""

    @property
    def cells(self) -> list[Cell]:
        """The cells, in the order of their lines."""
        return list(expand(self))

    @property
    def robin(self) -> bool:
        """Whether it is a field, whose cells are round robins."""
        return ROBIN in self.layouts

    @property
    def folder(self) -> str:
        """The folder of the run."""
        return self.run or self.name

    @staticmethod
    def check(path: str, node: Any) -> None:
        """Refuse a field with more than round robins, and unknown controls or matrix players."""
        labels = [Entrant.read(entry).label for entry in node.players]
        if node.matrix is not None and node.matrix not in labels:
            raise Refusal(f"{path}.matrix: {node.matrix} is not one of the players")
        if ROBIN not in node.layouts:
            return
        for control in node.controls:
            if control not in labels:
                raise Refusal(f"{path}.controls: {control} is not one of the players")
        if len(node.layouts) > 1 or node.opponents or node.pairs:
            raise Refusal(f"{path}: a round robin needs opponents=[] and layouts=[robin]")

    def games_of(self, cell: Cell) -> int:
        """Return the games of a cell."""
        return self.games

    def hours(self, games: int | None, simulations: int | None, cores: int) -> float:
        """Return the estimated hours on ``cores`` cores.

        ``games`` per cell and ``simulations`` per decision replace the table's unless None.
        """
        weighed = sum(
            (games or self.games_of(cell)) * self._cost(cell, simulations) for cell in self.cells
        )
        return weighed * self.seconds / PER_SIMULATIONS / cores / 3600

    def _cost(self, cell: Cell, simulations: int | None) -> int:
        """Return the simulations per decision that determine the cost of a game of ``cell``."""
        own = cell.line and cell.line.settings.get(BUDGET)
        if self.compiled or (not own and self.simulations is None):
            return PER_SIMULATIONS
        return int(own or simulations or self.simulations or PER_SIMULATIONS)


@dataclass
class Computed:
    """A table without games (`experiments.tables.computed`).

    Attributes
    ----------
    about : a short description
    compute : dotted name of the function that maps a seed and the number of timings to figures, by
        line and column
    repeats : number of timings, whose median counts
    seed : of random draws
    seconds : run time of all of it
    published : as in `Table`
    name : the name of the YAML file, which does not contain it
    """

    about: str = MISSING
    compute: str = MISSING
    repeats: int = between(1, 1000)
    seed: int = limits.seed(20261)
    seconds: float = between(0, 86_400)
    published: Any = field(default=None, metadata=limits.DATA)
    name: str = ""

    @property
    def folder(self) -> str:
        """The folder of the figures."""
        return self.name


@dataclass(frozen=True)
class Entrant:
    """A player of a table: a preset of ``conf/player``, changes to it, and its label."""

    preset: str
    changes: tuple[str, ...]
    label: str

    @classmethod
    def read(cls, entry: str) -> Entrant:
        """Return the player that ``entry`` of a table describes."""
        preset, *changes = entry.split("+")
        labels = [change[6:] for change in changes if change.startswith("label=")]
        others = tuple(change for change in changes if not change.startswith("label="))
        values = (change.rpartition("=")[2] for change in others)
        return cls(preset, others, labels[-1] if labels else "_".join((preset, *values)))

    @property
    def settings(self) -> DictConfig:
        """The settings of its preset."""
        return preset_settings(self.preset)


@dataclass(frozen=True)
class Line:
    """A line of an ablation: one way to play each set-up.

    Attributes
    ----------
    way : one of `WAYS`
    step : its name, or that of the base
    settings : by key, replacing the table's
    games : per cell; None: as in the table
    reference : the line that it is compared with
    """

    way: str
    step: str
    about: str = ""
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)
    games: int | None = None
    reference: Line | None = None

    @property
    def label(self) -> str:
        """The unique name of the line."""
        return f"{self.step}, {self.way}" if self.way in (ALONE, ADDED) else self.step


@dataclass(frozen=True)
class Cell:
    """One player against given opponents, in one seat or in all but one; or a round robin.

    Attributes
    ----------
    player : the measured player; the first of a round robin
    opponents : one for all seats, or several, one of each; the others of a round robin
    layout : as ``match.layout``
    variant : appended to the match's name, where players and layout do not make it unique
    settings : of `experiments.compare`, without those of the players
    line : of an ablation, which contains the cell
    """

    player: Entrant
    opponents: tuple[Entrant, ...]
    layout: str = "one"
    variant: str = ""
    settings: tuple[str, ...] = ()
    line: Line | None = None

    @property
    def setup(self) -> tuple[Entrant, tuple[Entrant, ...], str]:
        """Players, opponents and layout, which the lines of an ablation share."""
        return self.player, self.opponents, self.layout

    @property
    def choices(self) -> tuple[str, ...]:
        """Its names in ``only=``: player, opponents, layout and variant, or way and step instead of
        the variant; of a round robin only the variant."""
        if self.layout == ROBIN:
            return (self.variant,)
        last = (self.line.way, self.line.step) if self.line else (self.variant,)
        opponents = AND.join(one.label for one in self.opponents)
        return self.player.label, opponents, self.layout, *last


def expand(table: Table) -> Iterator[Cell]:
    """Yield the cells of players, opponents, layouts and variants, then those of pairs."""
    players = [Entrant.read(entry) for entry in table.players]
    if table.robin:
        for name, settings in _variants(table):
            yield Cell(players[0], tuple(players[1:]), ROBIN, name, settings)
        return
    opponents = [_read_opponents(entry) for entry in table.opponents]
    pairs = (
        ((player, opponent) for opponent in opponents for player in players)
        if table.by == "opponent"
        else ((player, opponent) for player in players for opponent in opponents)
    )
    for player, opponent in pairs:
        met = player.label in [one.label for one in opponent]
        if table.mirror if met else not table.alike:
            for layout in table.layouts:
                for name, settings in _variants(table):
                    yield Cell(player, opponent, layout, name, settings)
    for entry in table.pairs:
        one, _, others = entry.partition(AGAINST)
        yield Cell(Entrant.read(one), _read_opponents(others), settings=tuple(table.settings))


def _read_opponents(entry: str) -> tuple[Entrant, ...]:
    return tuple(map(Entrant.read, entry.split(AND)))


def _variants(table: Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    for variant in table.variants:
        name, *changes = variant.split("+")
        yield name, (*table.settings, *changes)


@cache
def preset_settings(name: str) -> Any:
    """Return the settings of the preset ``name`` of ``conf/player``; do not modify them."""
    return config.compose("compare", [f"player={name}"]).player

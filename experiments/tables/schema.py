"""The schemas of tables in ``conf/table``, and the cells that they describe.

The matches of cells are made in `experiments.tables.matches`, the cells of an ablation in
`experiments.tables.steps`.
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
"""Simulations per decision that `Table.seconds` is for, where the table has a budget."""

EVERYBODY = "everybody."
"""Prefix of a variant's setting that holds for all players with that setting."""

AND = " and "
"""Between the players of a mixed company."""

AGAINST = " against "
"""Between player and opponents of `Table.pairs`."""

PRESET = "preset"
"""The `Table.model` that leaves each planner the one of its preset."""

ROBIN = "robin"
"""The layout of a field: all players at one table, and a cell per variant."""

LAYOUTS = ("one", "rest", ROBIN)
"""Values of ``match.layout`` that a cell may have."""

CUMULATIVE, ALONE, ADDED, APART = "cumulative", "alone", "added", "apart"
WAYS = (CUMULATIVE, ALONE, ADDED, APART)
"""Ways to combine the settings of steps (`experiments.tables.steps.Ablation.ways`)."""

BUDGET = "player.budget.simulations"
"""The setting along which a curve is drawn."""


@dataclass
class Table:
    """Cells that are one run, how often they are played and with what budget.

    Players are written as in ``match.players``: a preset with changes, ``best+budget.nodes=1``.
    Their name in the table is the value of ``+label=``, or else preset and values, ``best_1``.

    Attributes
    ----------
    about : a few words on what it shows
    players : whose wins count, each against all `opponents`; the first that meets certain
        opponents is the control of the others
    controls : labels of further players that are controls, of all others but the first; in a field
        those from which differences are shown
    opponents : players of the other seats, all of a kind; or one of each kind, in all orders, as in
        ``closure and random``; none in a field
    model : the planners' model of the others: null for their true settings (greedy as swift); a
        player; or `PRESET`
    own_model : labels of planners that keep the model of their preset all the same
    mirror : whether a player meets opponents of its own name
    alike : whether it meets no others
    layouts : ``one`` player against the rest or the ``rest`` against one, as ``match.layout``; or
        `ROBIN` alone
    variants : ways to play each cell, ``NAME+SETTING=VALUE``; a name that is not empty follows that
        of the match; a setting of all players is ``NAME+everybody.SETTING=VALUE``
    pairs : further cells, ``PLAYER against OPPONENTS``, in one seat and below the others
    by : whose cells stand together: ``player`` or ``opponent``
    settings : of all cells
    games : of each cell
    simulations : of each decision; null where the cells or the clock fix it
    seconds : that a game keeps a core busy, mean over the cells, at `PER_SIMULATIONS` if there are
        `simulations`; measured
    seed : of deals and dice; not 7 where `best` plays for its strength, which was tuned on 7
    run : folder of the run, which several tables may share; null: the table's name
    details : rows that are written beside those of games
    compiled : whether all players are policies, of which thousands of games take seconds
    beside : ablations of which cells stand beside these in a paper's table
    axis : a setting of players along which wins are drawn, a line for each kind of opponents; null:
        none
    published : figures of a paper (`experiments.tables.published`); null: none
    matrix : label of the player whose differences from the others are shown by variant and
        opponents (`experiments.tables.matrix`); null: none
    name : not in the YAML, but its name
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
        """True for a field, whose cells are round robins."""
        return ROBIN in self.layouts

    @property
    def folder(self) -> str:
        """The folder of the run."""
        return self.run or self.name

    @staticmethod
    def check(path: str, node: Any) -> None:
        """Refuse a field that is more than one, and a control or a matrix's player that is none."""
        labels = [Entrant.read(entry).label for entry in node.players]
        if node.matrix is not None and node.matrix not in labels:
            raise Refusal(f"{path}.matrix: {node.matrix} is none of the players")
        if ROBIN not in node.layouts:
            return
        for control in node.controls:
            if control not in labels:
                raise Refusal(f"{path}.controls: {control} is none of the players")
        if len(node.layouts) > 1 or node.opponents or node.pairs:
            raise Refusal(f"{path}: a round robin has players alone: opponents=[], layouts=[robin]")

    def games_of(self, cell: Cell) -> int:
        """Return the games of a cell."""
        return self.games

    def hours(self, games: int | None, simulations: int | None, cores: int) -> float:
        """Return the estimated hours that it takes on so many ``cores``.

        ``games``, ``simulations``: per cell and per decision, in place of the usual; None for
        those.
        """
        weighed = sum(
            (games or self.games_of(cell)) * self._cost(cell, simulations) for cell in self.cells
        )
        return weighed * self.seconds / PER_SIMULATIONS / cores / 3600

    def _cost(self, cell: Cell, simulations: int | None) -> int:
        """Return the simulations of a decision that a game of ``cell`` is as dear as."""
        own = cell.line and cell.line.settings.get(BUDGET)
        if self.compiled or (not own and self.simulations is None):
            return PER_SIMULATIONS
        return int(own or simulations or self.simulations or PER_SIMULATIONS)


@dataclass
class Computed:
    """A table without games (`experiments.tables.computed`).

    Attributes
    ----------
    about : a few words on what it shows
    compute : dotted name of the function that computes its figures from a seed and the number of
        times that a duration is measured, by line and column
    repeats : how often a duration is measured, of which the median counts
    seed : of what is drawn
    seconds : that all of it takes
    published : as in `Table`
    name : not in the YAML, but its name
    """

    about: str = MISSING
    compute: str = MISSING
    repeats: int = between(1, 1000)
    seed: int = limits.seed(20261)
    seconds: float = between(0, 86_400)
    published: Any = field(default=None, metadata=limits.DATA)
    name: str = ""


@dataclass(frozen=True)
class Entrant:
    """A player of a table: a preset of ``conf/player``, changes to it, and its label."""

    preset: str
    changes: tuple[str, ...]
    label: str

    @classmethod
    def read(cls, entry: str) -> Entrant:
        """Return the player that is written so in a table."""
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
    """A line of an ablation: a way to play each set-up.

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
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)
    games: int | None = None
    reference: Line | None = None

    @property
    def label(self) -> str:
        """Its name among the lines."""
        return f"{self.step}, {self.way}" if self.way in (ALONE, ADDED) else self.step


@dataclass(frozen=True)
class Cell:
    """One player against certain opponents, in one seat or in all but one; or a round robin.

    Attributes
    ----------
    player : whose wins count; the first of a round robin
    opponents : one, of whose kind all are; or several, one of each; the others of a round robin
    layout : as ``match.layout``
    variant : follows the name of the match, where players and layout do not make it unique
    settings : of `experiments.compare`, beside those of the players
    line : of an ablation, in which it stands
    """

    player: Entrant
    opponents: tuple[Entrant, ...]
    layout: str = "one"
    variant: str = ""
    settings: tuple[str, ...] = ()
    line: Line | None = None

    @property
    def setup(self) -> tuple[Entrant, tuple[Entrant, ...], str]:
        """Players, opponents and layout: all that the lines of an ablation have in common."""
        return self.player, self.opponents, self.layout

    @property
    def choices(self) -> tuple[str, ...]:
        """Its names in ``only=``: player, opponents, layout, variant, or way and step in place of
        that; of a round robin the variant alone."""
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
    opponents = [_read_company(entry) for entry in table.opponents]
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
        one, _, company = entry.partition(AGAINST)
        yield Cell(Entrant.read(one), _read_company(company), settings=tuple(table.settings))


def _read_company(entry: str) -> tuple[Entrant, ...]:
    return tuple(map(Entrant.read, entry.split(AND)))


def _variants(table: Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    for variant in table.variants:
        name, *changes = variant.split("+")
        yield name, (*table.settings, *changes)


@cache
def preset_settings(name: str) -> Any:
    """Return the settings of the preset ``name`` of ``conf/player``; not to be changed."""
    return config.compose("compare", [f"player={name}"]).player

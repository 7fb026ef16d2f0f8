"""What a table is: the schemas of its YAML, and the cells that it has.

Which matches they are is in `experiments.tables.cells`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from omegaconf import MISSING, DictConfig

from experiments.settings import config, limits
from experiments.settings.commandline import Refusal
from experiments.settings.limits import GAMES, as_option, between, named, one_of
from mcts.options import Budget

PER_SIMULATIONS = 1000
"""The simulations a decision that `Table.seconds` is for, where the table has a budget."""

EVERYBODY = "everybody."
"""Before a setting of a variant: it is of all players at the table that have it."""

AND = " and "
"""Between the players of a mixed company."""

PRESET = "preset"
"""The `Table.model` that leaves each planner the one of its preset."""


ROBIN = "robin"
"""The layout of a field: all players at one table, and a cell a variant."""

LAYOUTS = ("one", "rest", ROBIN)
"""Those of ``match.layout`` that a cell may have."""


@dataclass
class Table:
    """Cells that are one run, and how often and with what budget they are played.

    Players are written as in ``match.players``: a preset with changes, ``best+budget.nodes=1``;
    their name in the table is that, or what ``+label=`` gives.

    Attributes
    ----------
    about : what it shows, in a few words
    players : whose games are won or lost, each against all `opponents`; the first of them that
        meets certain opponents is the control of the others
    controls : labels of further players that are controls, of all others but the first; in a field
        those from whom the others' differences are told
    opponents : who sits in the other seats, of a kind; or one of each, in all orders, written as in
        ``closure and random``; nobody in a field
    model : what planners take the others for: null, for what they are, with all their switches
        (greedy by swift); a player; or `PRESET`
    own_model : labels of planners that keep their preset's model all the same
    mirror : whether a player meets opponents of its own name
    alike : whether it meets no others
    layouts : ``one`` player against the rest or the ``rest`` against one, as ``match.layout``; or
        `ROBIN` alone
    variants : ways to play each cell, ``NAME+SETTING=VALUE``; the name, unless it is empty, goes
        behind that of the match; a setting `EVERYBODY` has is ``NAME+everybody.SETTING=VALUE``
    more : players that meet the opponents in one seat alone, below the others
    by : whose cells stand together: ``player`` or ``opponent``
    settings : of all cells
    games : a cell, unless told otherwise
    simulations : a decision, unless told otherwise; null where the cells or the clock fix it
    seconds : that a core is busy with a game, mean over the cells, at `PER_SIMULATIONS` if there
        are `simulations`; measured
    seed : of deals and dice; not 7 where `best` plays for its strength, which was tuned on 7
    run : folder of the run, which several tables may share; null: the table's name
    details : rows that are written beside those of games
    compiled : whether all players are policies, of which thousands of games take seconds
    beside : tables of steps of which cells stand beside these, of the tables of a paper
    axis : a setting of players along which wins are drawn, a line for each kind of opponents; null:
        they are not
    name : not in the YAML, which is called so
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
    more: list[str] = field(default_factory=list)
    by: str = one_of("player", "opponent", default="player")
    settings: list[str] = field(default_factory=list)
    seed: int = limits.seed(20261)
    run: str | None = named(None)
    details: list[str] = field(default_factory=list)
    compiled: bool = False
    beside: list[str] = field(default_factory=list)
    axis: str | None = None
    name: str = ""

    @property
    def cells(self) -> list[Cell]:
        """The cells, in the order of their lines."""
        return columns(self)

    @property
    def robin(self) -> bool:
        """Whether it is a field: its cells are round robins."""
        return ROBIN in self.layouts

    @staticmethod
    def check(path: str, node: Any) -> None:
        """Refuse a field that is more than one, or has a control that does not play in it."""
        if ROBIN not in node.layouts:
            return
        labels = [Entrant.read(entry).label for entry in node.players]
        for control in node.controls:
            if control not in labels:
                raise Refusal(f"{path}.controls: {control} is none of the players")
        if len(node.layouts) > 1 or node.opponents or node.more:
            raise Refusal(f"{path}: a round robin has players alone: opponents=[], layouts=[robin]")

    @property
    def folder(self) -> str:
        """The folder of the run."""
        return self.run or self.name

    def hours(self, games: int | None, simulations: int | None, cores: int) -> float:
        """Return about how long it takes on so many ``cores``.

        Parameters
        ----------
        games, simulations : a cell and a decision, in place of the usual; None for those
        """
        budget = simulations or self.simulations
        seconds = self.seconds * (budget / PER_SIMULATIONS if self.simulations else 1)
        return (games or self.games) * len(self.cells) * seconds / cores / 3600


@dataclass
class Computed:
    """A table that plays no games (`experiments.tables.computed`).

    Attributes
    ----------
    about : what it shows, in a few words
    repeats : how often a time is taken, of which the median counts
    seed : of what is drawn
    seconds : that all of it takes about
    name : not in the YAML, which is called so
    """

    about: str = MISSING
    repeats: int = between(1, 1000)
    seed: int = limits.seed(20261)
    seconds: float = between(0, 86_400)
    name: str = ""


@dataclass(frozen=True)
class Entrant:
    """A player of a table: a preset of ``conf/player``, changes to it, and its name."""

    preset: str
    changes: tuple[str, ...]
    label: str

    @classmethod
    def read(cls, entry: str) -> Entrant:
        """Return the player that is written so in a table."""
        preset, *changes = entry.split("+")
        labels = [change[6:] for change in changes if change.startswith("label=")]
        others = tuple(change for change in changes if not change.startswith("label="))
        return cls(preset, others, labels[-1] if labels else entry)

    @property
    def settings(self) -> DictConfig:
        """The settings of its preset."""
        return _preset(self.preset)


@dataclass(frozen=True)
class Cell:
    """One player against certain opponents, in one seat or in all but one; or a round robin.

    Attributes
    ----------
    player : whose games are won or lost; the first of a round robin
    opponents : one, of whose kind all are; or several, one of each; the others of a round robin
    layout : as ``match.layout``
    variant : behind the name of the match, where players and layout do not tell it from another
    settings : of `experiments.compare`, beside those of the players
    """

    player: Entrant
    opponents: tuple[Entrant, ...]
    layout: str = "one"
    variant: str = ""
    settings: tuple[str, ...] = ()

    @property
    def called(self) -> str:
        """What it is chosen by: its player's name, or the variant of a round robin."""
        return self.variant if self.layout == ROBIN else self.player.label


def columns(table: Table) -> list[Cell]:
    """Return the cells that players, opponents, layouts and variants make, in order."""
    return list(_cells(table))


def _cells(table: Table) -> Iterator[Cell]:
    players = [Entrant.read(entry) for entry in table.players]
    if table.robin:
        for name, settings in _variants(table):
            yield Cell(players[0], tuple(players[1:]), ROBIN, name, settings)
        return
    opponents = [tuple(map(Entrant.read, entry.split(AND))) for entry in table.opponents]
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
    for entry in table.more:
        for opponent in opponents:
            yield Cell(Entrant.read(entry), opponent, settings=tuple(table.settings))


def _variants(table: Table) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield name and settings of each variant."""
    for variant in table.variants:
        name, *changes = variant.split("+")
        yield name, (*table.settings, *changes)


@cache
def _preset(name: str) -> Any:
    return config.composed("compare", [f"player={name}"]).player

"""The list of evidence, ``docs/evidence.yaml``: published results and their sources."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from omegaconf import MISSING, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from experiments.matches.row_provenance import MATCHES_FILE
from experiments.provenance.files import read_json, read_yaml, reading
from experiments.settings.commandline import Refusal
from experiments.tables import catalog
from experiments.tables.schema import Computed, Table
from mcts.limits import did_you_mean

TARGET = "_target_"
"""Key of a player's class of settings."""

ROOT = Path(__file__).resolve().parents[2]
"""The checkout."""

LIST = "docs/evidence.yaml"
UNTRACED = "docs/untraced.yaml"
RESULTS = "docs/results"
ROWS = "docs/results/rows"
IMAGES = "docs/images"

TABLE, RUN, STUDY = "table", "run", "study"
"""Kinds of evidence: a table of `experiments.tables`, a run of matches, a study's rows."""

EVERY_PLAYER = "sim.players.*"
GAME = ("sim.arena", "sim.referee")
"""Modules that play a match, in addition to those of its players."""


@dataclass(frozen=True)
class Study:
    """A command whose rows are no matches.

    ``shown``: module that shows its rows: ``show(rows)``, and, if it has pictures,
    ``draw_kept(rows, folder)``; ``modules``: that play it, apart from those named by a result
    (`Item.sources`); ``units``: setting for the amount to measure: less gives the same rows, fewer
    of them; None if nothing can be measured again.
    """

    shown: str
    modules: tuple[str, ...]
    units: str | None = None


STUDIES = {
    "beliefs": Study(
        "experiments.beliefs.report",
        ("experiments.beliefs.accuracy", "experiments.beliefs.asked", "sim.seat"),
        "games",
    ),
    "contest": Study(
        "benchmarks.contest.report", ("benchmarks.contest.client", "benchmarks.contest.table")
    ),
    "episodes": Study(
        "experiments.episodes.report",
        ("experiments.episodes.models", "experiments.episodes.problems"),
        "episodes",
    ),
    "hunt": Study("experiments.hunt.search", ("experiments.hunt.search",)),
    "qlearning": Study(
        "benchmarks.qlearning.report", ("benchmarks.qlearning.learning", "sim.qlearning.rooms")
    ),
    "regret": Study("experiments.regret.__main__", ("experiments.regret.__main__",), "positions"),
    "strength": Study(
        "benchmarks.strength.report",
        (
            "benchmarks.strength.measures",
            "benchmarks.strength.virtual_workers",
            "benchmarks.strength.ways",
        ),
        "count",
    ),
}
"""By command."""


@dataclass
class Item:
    """One line of the list.

    Attributes
    ----------
    command : command line after ``python -m``, of `experiments` if no package is named; null:
        ``tables NAME``
    played : the same in the syntax of the version that played its rows; null: as ``command``
    games, simulations, seed : of a table, overriding its own
    sources : modules that play it in addition to those of its kind (`Evidence.modules`)
    pictures : its picture files to the names in ``docs/images``
    unseeded : whether its rows are not reproducible: decisions have a time limit instead of a
        number of simulations, or two threads race on one tree
    """

    command: str | None = None
    played: str | None = None
    games: int | None = None
    simulations: int | None = None
    seed: int | None = None
    sources: list[str] = field(default_factory=list)
    pictures: dict[str, str] = field(default_factory=dict)
    unseeded: bool = False


@dataclass
class Listed:
    """The schema of the list: its lines by name, the most important first."""

    evidence: dict[str, Item] = MISSING


@dataclass
class Untraced:
    """Claims without rows, recorded so that no digit changes unnoticed.

    ``pages``: checksum of each page of results without rows; ``claims``: by page the intervals, as
    written.
    """

    pages: dict[str, str] = field(default_factory=dict)
    claims: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Evidence:
    """A line of the list with its name, and the location of its rows below ``root``."""

    name: str
    item: Item
    root: Path = ROOT

    @cached_property
    def table(self) -> Table | Computed | None:
        """The table of that name without published figures, None if it is a run or a study."""
        return None if self.item.command else catalog.outline(self.name)

    @property
    def kind(self) -> str:
        """`TABLE`, `RUN` or `STUDY`."""
        if not self.item.command:
            return TABLE
        return RUN if self.item.command.startswith("compare ") else STUDY

    @property
    def units(self) -> str | None:
        """Kind of rows that can be replayed, for instance ``games``; None if nothing can."""
        if self.item.unseeded:
            return None
        if self.kind == STUDY:
            return STUDIES[self.study].units
        return None if isinstance(self.table, Computed) else "games"

    @property
    def study(self) -> str:
        """The name of the command, without its package and its settings."""
        return str(self.item.command).partition(" ")[0].rpartition(".")[2]

    @property
    def modules(self) -> tuple[str, ...]:
        """Modules that may play it: of matches, those of every player."""
        if self.kind == STUDY:
            return (*STUDIES[self.study].modules, *self.item.sources)
        if isinstance(self.table, Computed):
            return (self.table.compute.rpartition(".")[0], *self.item.sources)
        return (*GAME, EVERY_PLAYER, *self.item.sources)

    def parts(self, rows: Path) -> dict[str, tuple[str, ...]]:
        """Return by match in ``rows`` the modules that play it, only those of its players.

        A match in its own folder has the folder's name; rows of no match are called ``""``.
        """
        found = {
            match["name"] if path.parent == rows else path.parent.name: (*GAME, *_players(match))
            for path in ([] if self.kind == STUDY else sorted(rows.rglob(MATCHES_FILE)))
            for match in read_json(path)["matches"]
        }
        return found or {"": self.modules}

    @property
    def in_cells(self) -> bool:
        """Whether it is a table of episodes, whose cells are played separately."""
        return str(self.item.command).startswith("episodes paper=")

    @property
    def seeded(self) -> bool:
        """Whether its rows depend only on a seed; the contest's server deals without one."""
        return not (self.item.unseeded or self.study == "contest")

    @property
    def asked(self) -> dict[str, Any]:
        """Settings that override a table's own, None for no override."""
        item = self.item
        return {"games": item.games, "simulations": item.simulations, "seed": item.seed}

    @property
    def command(self) -> str:
        """The command line that plays it, without the folder."""
        if self.item.command:
            inside = "" if self.item.command.startswith("benchmarks.") else "experiments."
            return f"python -m {inside}{self.item.command}"
        asked = "".join(f" {key}={value}" for key, value in self.asked.items() if value)
        return f"{catalog.COMMAND} {self.name}{asked}"

    @property
    def folder(self) -> str:
        """The name of the folder of its rows: tables may share one."""
        return self.table.folder if self.table else self.name

    @property
    def rows(self) -> Path:
        """The folder of its rows in the repository."""
        return self.root / ROWS / self.folder

    @property
    def page(self) -> Path:
        """Its page."""
        return self.root / RESULTS / f"{self.name}.md"


def read(root: Path = ROOT) -> list[Evidence]:
    """Return the list of the checkout ``root``; Refusal if it is missing or invalid."""
    listed = _read(Listed, root / LIST)
    return [Evidence(name, item, root) for name, item in listed.evidence.items()]


def read_untraced(root: Path = ROOT) -> Untraced:
    """Return the claims without rows of the checkout ``root``, as `read`."""
    return _read(Untraced, root / UNTRACED)


def _players(match: dict[str, Any]) -> list[str]:
    """Return the modules of the players of ``match``, and of those that observe its games."""
    players = {entrant[TARGET].rpartition(".")[0] for entrant in match["entrants"]}
    return sorted(players | ({"experiments.matches.details"} if match.get("details") else set()))


def _read(schema: type, path: Path) -> Any:
    if not path.exists():
        raise Refusal(f"there is no {path.name} in docs: run it in a checkout of the repository")
    with reading(path, "repair it"):
        try:
            merged: Any = OmegaConf.merge(OmegaConf.structured(schema), read_yaml(path))
            return OmegaConf.to_object(merged)
        except OmegaConfBaseException as fault:
            raise ValueError(str(fault).partition("\n")[0]) from None


def choose(found: list[Evidence], only: list[str] | None) -> list[Evidence]:
    """Return those named in ``only``, all by default; Refusal if a name is unknown."""
    names = [one.name for one in found]
    for name in only or ():
        if name not in names:
            raise Refusal(f"only={name}: {LIST} lists no such result{did_you_mean(name, names)}")
    return [one for one in found if only is None or one.name in only]

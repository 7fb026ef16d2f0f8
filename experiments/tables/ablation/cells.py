"""The cells of an ablation as matches, each in a folder of its own with the games played so far.

A folder is named after the match played in it.  So equal cells are played once, a step may come or
go without touching the others, and two processes may play different cells.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from experiments.matches.row_provenance import MATCHES_FILE
from experiments.matches.schedule import Match
from experiments.settings.presets import differing
from experiments.stats.comparisons import holm, mcnemar
from experiments.stats.intervals import Estimate, paired_difference
from experiments.tables import choice
from experiments.tables.ablation.schema import Ablation, Line, lines_of
from experiments.tables.figure import Figure
from experiments.tables.matches import FAST_COMPILED_GAMES, FAST_GAMES, matches
from experiments.tables.measured import Measured, common_wins, simulations_of
from experiments.tables.quantities import QUANTITIES
from experiments.tables.schema import Cell, expand
from experiments.texts import file_name
from sim.rules import Rules

_USUAL = asdict(Rules())

FAST_SHARE = 100
"""Divisor of the steps' own budgets in a trial."""


@dataclass(frozen=True)
class StepCell:
    """A cell of an ablation.

    Attributes
    ----------
    setup : its player and opponents
    line : in which it stands
    match : the match that is played
    games : wanted
    folder : of its run
    """

    setup: Cell
    line: Line
    match: Match
    games: int
    folder: Path

    @property
    def choices(self) -> tuple[str, ...]:
        """Its names in ``only=``: those of the set-up, way and step."""
        return *self.setup.choices, self.line.way, self.line.step

    @property
    def name(self) -> str:
        """The player and the opponents, as in ``swift against 3 heuristic``."""
        return self.match.name

    @property
    def run(self) -> Measured | None:
        """The games played so far; None without any."""
        return _read_run(self.folder)

    @property
    def played(self) -> int:
        """The number of games played so far."""
        return self.run.played.games if self.run else 0

    def figure(self, quantity: str) -> Figure | None:
        """Return a quantity of the measured player; None if nothing was played."""
        return QUANTITIES[quantity].of(self.run, self.name) if self.run else None

    def reference(self, cells: Sequence[StepCell]) -> StepCell | None:
        """Return the one of ``cells`` with which this is compared; None if there is none."""
        wanted = self.line.reference
        return next((one for one in cells if one.setup == self.setup and one.line is wanted), None)


def root_folder(table: Ablation, root: Path, fast: bool) -> Path:
    """Return the folder of the folders of all cells of ``table``, below ``root``."""
    return root / (table.folder + ("_fast" if fast else ""))


def cells_of(
    table: Ablation,
    root: Path,
    games: int | None = None,
    simulations: int | None = None,
    seed: int | None = None,
    fast: bool = False,
) -> list[StepCell]:
    """Return the cells of ``table``, set-up by set-up.

    ``root``: the folder of all tables; ``games``, ``simulations``, ``seed``: of all cells and
    decisions, in place of the usual; None for those; ``fast``: whether this is a trial.  Raises
    Refusal if the settings cannot be met.
    """
    trial = FAST_COMPILED_GAMES if table.compiled else FAST_GAMES
    places = [(setup, line) for setup in expand(table) for line, _ in lines_of(table, setup)]
    planned = matches(table, simulations, table.seed if seed is None else seed, fast)
    folder = root_folder(table, root, fast)
    found = []
    for (setup, line), match in zip(places, planned, strict=True):
        if fast and table.simulations is None:
            match = _with_less_budget(match)
        match = replace(match, name=match.name.removesuffix(f", {line.label}"))
        number = games or (trial if fast else table.games_of(setup, line))
        found.append(StepCell(setup, line, match, number, folder / folder_name(match)))
    return found


def _with_less_budget(match: Match) -> Match:
    """Return ``match`` with the measured player's budget for a trial."""
    player, *others = match.entrants
    budget = simulations_of(match)
    if budget is None:
        return match
    less = {**player["budget"], "simulations": max(1, budget // FAST_SHARE)}
    return replace(match, entrants=({**player, "budget": less}, *others))


def folder_name(match: Match) -> str:
    """Return a name made of what differs from presets: a new switch there changes no name."""
    rules = {key: value for key, value in match.rules.items() if value != _USUAL.get(key)}
    named = asdict(match) | {"rules": rules, "entrants": list(map(differing, match.entrants))}
    text = json.dumps(named, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{file_name(match.name.replace(' ', '_'))}-{digest[:10]}"


def choose(cells: Sequence[StepCell], only: Sequence[str] | None) -> list[StepCell]:
    """Return those of ``cells`` that are asked for; Refusal if there are none (`choice.choose`)."""
    return [cells[number] for number in choice.choose([one.choices for one in cells], only)]


@dataclass(frozen=True)
class Gain:
    """A cell beside its reference, paired by the number of the game: the same deal and dice.

    Attributes
    ----------
    difference : of the shares of games won
    games : that both have
    p : that both win equally often (`mcnemar`)
    p_holm : adjusted for all pairs of cells that are compared
    """

    difference: Estimate
    games: int
    p: float
    p_holm: float


def compare_all(cells: Sequence[StepCell]) -> list[Gain | None]:
    """Return what each of ``cells`` gains on its reference among them.

    None for cells without a game in common with it, or that are the same games.
    """
    common = [_find_common(cell, cell.reference(cells)) for cell in cells]
    p = {pair: mcnemar(*wins) for pair, *wins in filter(None, common)}
    adjusted = dict(zip(p, holm(np.array([*p.values()])).tolist(), strict=True))
    return [
        one and Gain(paired_difference(*one[1:]), len(one[1]), p[one[0]], adjusted[one[0]])
        for one in common
    ]


def _find_common(
    cell: StepCell, reference: StepCell | None
) -> tuple[frozenset[Path], np.ndarray, np.ndarray] | None:
    """Return the two cells, however ordered, and which common games the reference and it won."""
    if reference is None or cell.folder == reference.folder or not (cell.run and reference.run):
        return None
    without, won = common_wins((reference.run, reference.name), (cell.run, cell.name))
    return (frozenset((cell.folder, reference.folder)), without, won) if len(won) else None


@cache
def _read_run(folder: Path) -> Measured | None:
    if not (folder / MATCHES_FILE).exists():
        return None
    run = Measured(folder)
    return run if run.played.games else None


def forget_runs() -> None:
    """Forget the runs that were read, since more games have been played."""
    _read_run.cache_clear()

"""The cells of a table as matches, each with its folder and the games played so far.

The cells of a table share one run; each cell of an ablation has a folder named after its match.
Equal cells are therefore played once, steps can be added or removed without touching the others,
and two processes can play different cells.
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
from experiments.settings.commandline import Refusal
from experiments.settings.presets import differing
from experiments.stats.comparisons import holm, mcnemar
from experiments.stats.intervals import Estimate, paired_difference
from experiments.tables.figure import Figure
from experiments.tables.matches import FAST_COMPILED_GAMES, FAST_GAMES, matches
from experiments.tables.measured import Measured, common_wins, simulations_of
from experiments.tables.quantities import QUANTITIES
from experiments.tables.schema import Cell, Line, Table
from experiments.texts import file_name
from mcts.limits import did_you_mean
from sim.rules import Rules

_USUAL = asdict(Rules())

FAST_SHARE = 100
"""Divisor of the steps' own budgets in a trial run."""


@dataclass(frozen=True)
class PlannedCell:
    """A cell to play.

    Attributes
    ----------
    cell : the cell of the table
    match : its match
    games : the number of games wanted
    folder : folder of its run
    """

    cell: Cell
    match: Match
    games: int
    folder: Path

    @property
    def line(self) -> Line:
        """The line of an ablation that contains the cell."""
        assert self.cell.line is not None
        return self.cell.line

    @property
    def choices(self) -> tuple[str, ...]:
        """Its names in ``only=`` (`Cell.choices`)."""
        return self.cell.choices

    @property
    def name(self) -> str:
        """Player and opponents, as in ``swift against 3 heuristic``."""
        return self.match.name

    @property
    def title(self) -> str:
        """The name that is unique among the cells of its table."""
        return f"{self.name}, {self.cell.line.label}" if self.cell.line else self.name

    @property
    def begun(self) -> bool:
        """Whether the run exists."""
        return (self.folder / MATCHES_FILE).exists()

    @property
    def run(self) -> Measured | None:
        """The run with the games played so far; None without games."""
        return _read_run(self.folder)

    @property
    def played(self) -> int:
        """The number of games played so far."""
        return self.run.played.games if self.run else 0

    def figure(self, quantity: str) -> Figure | None:
        """Return a quantity of the measured player; None without games."""
        return QUANTITIES[quantity].of(self.run, self.name) if self.run else None

    def parent(self, cells: Sequence[PlannedCell]) -> PlannedCell | None:
        """Return the one of ``cells`` that this cell is compared with, or None."""
        for one in cells:
            if one.cell.setup == self.cell.setup and one.line is self.line.reference:
                return one
        return None


def folder_of(table: Table, root: Path, fast: bool) -> Path:
    """Return the folder of ``table`` below ``root``; ``fast``: that of a trial run."""
    return root / (table.folder + ("_fast" if fast else ""))


def cells_of(
    table: Table,
    root: Path,
    games: int | None = None,
    simulations: int | None = None,
    seed: int | None = None,
    fast: bool = False,
) -> list[PlannedCell]:
    """Return the cells of ``table``, in order.

    ``root`` is the folder of all tables.  ``games``, ``simulations`` and ``seed`` replace the
    table's values unless None.  ``fast`` marks a trial run.  Raises Refusal if the settings cannot
    be met.
    """
    trial = FAST_COMPILED_GAMES if table.compiled else FAST_GAMES
    planned = matches(table, simulations, table.seed if seed is None else seed, fast)
    folder, found = folder_of(table, root, fast), []
    for cell, match in zip(table.cells, planned, strict=True):
        number, place = games or (trial if fast else table.games_of(cell)), folder
        if cell.line:
            if fast and table.simulations is None:
                match = _with_less_budget(match)
            match = replace(match, name=match.name.removesuffix(f", {cell.line.label}"))
            place = folder / folder_name(match)
        found.append(PlannedCell(cell, match, number, place))
    return found


def _with_less_budget(match: Match) -> Match:
    """Return ``match`` with the measured player's budget for a trial run."""
    player, *others = match.entrants
    budget = simulations_of(match)
    if budget is None:
        return match
    less = {**player["budget"], "simulations": max(1, budget // FAST_SHARE)}
    return replace(match, entrants=({**player, "budget": less}, *others))


def folder_name(match: Match) -> str:
    """Return a name from the differences to presets, which a new switch there leaves unchanged."""
    rules = {key: value for key, value in match.rules.items() if value != _USUAL.get(key)}
    named = asdict(match) | {"rules": rules, "entrants": list(map(differing, match.entrants))}
    text = json.dumps(named, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{file_name(match.name.replace(' ', '_'))}-{digest[:10]}"


def choose(choices: Sequence[tuple[str, ...]], only: Sequence[str] | None) -> list[int]:
    """Return the indices of the requested cells; all of them if ``only`` is None.

    ``choices`` has the names of each cell by kind (`Cell.choices`).  A cell must match one name of
    each kind that is given; a name of two kinds counts as the first kind.  Raises Refusal if a name
    is unknown, or if no cell matches all kinds.
    """
    kinds = [dict.fromkeys(filter(None, names)) for names in zip(*choices, strict=True)]
    known = list(dict.fromkeys(name for kind in kinds for name in kind))
    wanted: dict[int, set[str]] = {}
    for name in only or ():
        kind = next((number for number, kind in enumerate(kinds) if name in kind), None)
        if kind is None:
            raise Refusal(
                f"only={name}: this table has {', '.join(known) or 'a single cell'}"
                f"{did_you_mean(name, known)}"
            )
        wanted.setdefault(kind, set()).add(name)
    chosen = [
        number
        for number, names in enumerate(choices)
        if all(names[kind] in asked for kind, asked in wanted.items())
    ]
    if not chosen:
        raise Refusal(f"only=[{','.join(only or ())}]: no cell matches all of these: name fewer")
    return chosen


@dataclass(frozen=True)
class Gain:
    """A cell minus its parent, paired by the game number: same deal and dice.

    Attributes
    ----------
    difference : of the shares of games won
    games : the number of common games
    p : for equal win rates (`mcnemar`)
    p_holm : with Holm's correction over all compared pairs of cells
    """

    difference: Estimate
    games: int
    p: float
    p_holm: float


def compare_all(cells: Sequence[PlannedCell]) -> list[Gain | None]:
    """Return the gain of each of ``cells`` on its parent among them.

    None for cells without common games, or with identical games.
    """
    common = [_find_common(cell, cell.parent(cells)) for cell in cells]
    p = {pair: mcnemar(*wins) for pair, *wins in filter(None, common)}
    adjusted = dict(zip(p, holm(np.array([*p.values()])).tolist(), strict=True))
    return [
        one and Gain(paired_difference(*one[1:]), len(one[1]), p[one[0]], adjusted[one[0]])
        for one in common
    ]


def _find_common(
    cell: PlannedCell, parent: PlannedCell | None
) -> tuple[frozenset[Path], np.ndarray, np.ndarray] | None:
    """Return the unordered folders, and which common games the parent and the cell won."""
    if parent is None or cell.folder == parent.folder or not (cell.run and parent.run):
        return None
    without, won = common_wins((parent.run, parent.name), (cell.run, cell.name))
    return (frozenset((cell.folder, parent.folder)), without, won) if len(won) else None


@cache
def _read_run(folder: Path) -> Measured | None:
    if not (folder / MATCHES_FILE).exists():
        return None
    run = Measured(folder)
    return run if run.played.games else None


def forget_runs() -> None:
    """Clear the cache of runs after more games were played."""
    _read_run.cache_clear()

"""The cells of a table as matches, each with its folder and the games played so far.

The cells of a table share one run; each cell of an ablation has a folder named after its match.
Equal cells are therefore played once, steps can be added or removed without touching the others,
and two processes can play different cells.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np

from experiments.matches.row_provenance import MATCHES_FILE
from experiments.matches.schedule import Match
from experiments.settings.commandline import Refusal
from experiments.settings.presets import differing
from experiments.stats.comparisons import Comparison, compare
from experiments.stats.intervals import paired_difference
from experiments.tables.figure import Figure
from experiments.tables.matches import matches
from experiments.tables.measured import Measured, common_wins
from experiments.tables.quantities import QUANTITIES
from experiments.tables.schema import Cell, Line, Table
from experiments.texts import file_name
from mcts.limits import did_you_mean
from sim.rules import Rules

_USUAL = asdict(Rules())


@dataclass(frozen=True)
class PlannedCell:
    """A ``cell`` of a table: its ``match``, the number of ``games`` wanted, its run's folder."""

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

    def parent(self, cells: Sequence[Self]) -> Self | None:
        """Return the one of ``cells`` that this cell is compared with, or None."""
        there = (one for one in cells if one.cell.setup == self.cell.setup)
        return next((one for one in there if one.line is self.line.reference), None)


def cells_of(
    table: Table,
    root: Path,
    games: int | None = None,
    simulations: int | None = None,
    seed: int | None = None,
) -> list[PlannedCell]:
    """Return the cells of ``table``, in order.

    ``root`` is the folder of all tables.  ``games``, ``simulations`` and ``seed`` replace the
    table's values unless None.  Raises Refusal if the settings cannot be met.
    """
    planned = matches(table, simulations, table.seed if seed is None else seed)
    folder, found = root / table.folder, []
    for cell, match in zip(table.cells, planned, strict=True):
        number, place = games or table.games_of(cell), folder
        if cell.line:
            match = replace(match, name=match.name.removesuffix(f", {cell.line.label}"))
            place = folder / folder_name(match)
        found.append(PlannedCell(cell, match, number, place))
    return found


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


def compare_all(cells: Sequence[PlannedCell]) -> list[Comparison | None]:
    """Return each of ``cells`` minus its parent among them, on the games with a common number.

    None for cells without common games, or with identical games.  Holm's correction covers all
    pairs of runs.
    """
    common = [_common_wins(cell, cell.parent(cells)) for cell in cells]
    by_pair = {runs: ("", "", without, won) for runs, without, won in filter(None, common)}
    found = dict(zip(by_pair, compare(list(by_pair.values())), strict=True))
    return [
        one and replace(found[one[0]], difference=paired_difference(*one[1:])) for one in common
    ]


def _common_wins(
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

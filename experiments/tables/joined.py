"""The run of a paper's table, joined with cells of ablations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.tables import catalog
from experiments.tables.cells import PlannedCell, cells_of
from experiments.tables.measured import Measured, simulations_of
from experiments.tables.schema import APART, CUMULATIVE, Table
from experiments.texts import span

FEWEST = 20
"""Fewest games of the cell that represents a curve, if any cell has so many."""


class Joined(Measured):
    """The run of ``table``, and cells of ablations under names of their own.

    The cell of a set-up is ``SET-UP, ABLATION``: the base of a staircase, or the cell that
    represents a curve.  The last cumulative step of a staircase is ``SET-UP, ABLATION, last``.
    Cells without games are missing.  ``root`` is the folder of
    all tables.
    """

    def __init__(self, table: Table, root: Path) -> None:
        super().__init__(root / table.folder)
        self.ablations: dict[str, list[PlannedCell]] = {}
        self.joined: dict[str, PlannedCell] = {}
        for name in table.beside:
            ablation = catalog.load_ablation(name)
            ways = [way for way in ablation.ways if way in (CUMULATIVE, APART)]
            cells = cells_of(replace(ablation, ways=ways), root)
            self.ablations[name] = cells
            for setup, (base, last) in _ends_by_setup(cells).items():
                self.joined |= {f"{setup}, {name}": base} if base else {}
                self.joined |= {f"{setup}, {name}, last": last} if last else {}

    def locate(self, match: str) -> tuple[Measured, str] | None:
        """Return the run of a cell and its name there, as `Measured.locate`."""
        cell = self.joined.get(match)
        return (cell.run, cell.name) if cell and cell.run else super().locate(match)

    def describe(self) -> list[str]:
        """Return a line per ablation: its command, games and budgets."""
        return [
            f"Beside them `{catalog.COMMAND} {name}`: {_describe(cells)}."
            for name, cells in self.ablations.items()
        ]


def _ends_by_setup(
    cells: Sequence[PlannedCell],
) -> dict[str, tuple[PlannedCell | None, PlannedCell | None]]:
    names = dict.fromkeys(cell.name for cell in cells)
    return {name: ends([cell for cell in cells if cell.name == name]) for name in names}


def _describe(cells: Sequence[PlannedCell]) -> str:
    """Return the games of an ablation: those of the cells of a curve, or of a staircase."""
    played = [cell for cell in cells if cell.played]
    if not played:
        return "not played yet"
    if played[0].line.way == APART:
        games = "; ".join(
            f"{cell.name}, {cell.played:,} games at {simulations_of(cell.match):,} simulations"
            for cell, _ in _ends_by_setup(played).values()
            if cell
        )
    else:
        budget = simulations_of(played[0].match)
        games = f"{span(cell.played for cell in played)} games per cell"
        games += f" at {budget:,} simulations" if budget else ""
    return f"{games}; seed {played[0].match.seed}"


def ends(cells: Sequence[PlannedCell]) -> tuple[PlannedCell | None, PlannedCell | None]:
    """Return base and last step of a staircase; of a curve the cell that represents it.

    This is the last cell with all its games, else the last with `FEWEST`, else the last with any.
    None without games.
    """
    played = [cell for cell in cells if cell.played]
    if cells[0].line.way == APART:
        complete = [cell for cell in played if cell.played >= cell.games]
        enough = [cell for cell in played if cell.played >= FEWEST]
        found = complete or enough or played
        return (found[-1] if found else None), None
    base, last = cells[0], cells[-1]
    return base if base.played else None, last if last.played else None

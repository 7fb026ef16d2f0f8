"""The page of a table from what lies in its folder: figures, the lines above them, pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.tables.report import Report, compare_published, computed_heading, heading, make
from experiments.tables.schema import Computed, Table

ASKED = ("games", "simulations", "seed")
"""Settings of a table in place of its own."""


@dataclass(frozen=True)
class Page:
    """Contents of the page of a table.

    Attributes
    ----------
    report : the table
    heading : the Markdown above it; raises `Refusal` if nothing was played
    draw : draws its pictures to a folder; there may be none
    """

    report: Report
    heading: Callable[[], list[str]]
    draw: Callable[[Path], None]


def read(table: Table | Computed, root: Path, asked: Mapping[str, Any], fast: bool) -> Page:
    """Return the page of ``table`` from what was played or computed so far.

    ``root``: the folder of all tables; ``asked``: `ASKED`, each a number, or None for the table's
    own; ``fast``: whether it is that of a trial.  Raises Refusal if there is nothing, or it cannot
    be read.
    """
    from experiments.tables.ablation.schema import Ablation

    if isinstance(table, Computed):
        return _of_figures(table, root, fast)
    if isinstance(table, Ablation):
        return _of_ablation(table, root, asked, fast)
    return _of_games(table, root, fast)


def _of_figures(table: Computed, root: Path, fast: bool) -> Page:
    from experiments.tables import computed

    run = computed.ComputedFigures(computed.folder(table, root, fast))
    title = f"{table.name}: {table.about}"
    report = compare_published(title, run, table.published, fast)
    return Page(report, lambda: computed_heading(table, run, fast), lambda _: None)


def _of_ablation(table: Any, root: Path, asked: Mapping[str, Any], fast: bool) -> Page:
    from experiments.tables.ablation import cells, plot, report

    found = cells.cells_of(table, root, **{key: asked.get(key) for key in ASKED}, fast=fast)
    made = report.make(table, found, fast)

    def draw(folder: Path) -> None:
        plot.draw(table, found, folder / f"{table.name}.png")

    return Page(made, lambda: report.heading(table, found, fast), draw)


def _of_games(table: Table, root: Path, fast: bool) -> Page:
    from experiments.tables.ablation.joined import Joined
    from experiments.tables.measured import Measured

    folder = root / (table.folder + ("_fast" if fast else ""))
    run = Joined(folder, table, root, fast) if table.beside else Measured(folder)
    report = make(table, run, fast)
    return Page(report, lambda: heading(table, run, fast), lambda to: _draw(table, run, to))


def _draw(table: Table, run: Any, folder: Path) -> None:
    """Draw the pictures for which ``run`` has enough games to ``folder``."""
    from experiments.tables import field, matrix, plot

    picture = folder / f"{table.name}.png"
    if table.published:
        plot.draw_published(table.published, table.name, run, picture)
    elif table.robin:
        plot.draw_ratings(field.standings(table, run), table.about, picture)
    elif table.matrix is not None:
        matrix.draw(table, run, picture)
    if table.axis is not None:
        by_setting = folder / f"{table.name}_{table.axis}.png"
        plot.draw_by_setting(table.axis, run, by_setting if table.published else picture)

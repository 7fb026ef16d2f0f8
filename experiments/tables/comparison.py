"""Our figures next to those of a paper: the table, and the picture of games won."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from experiments import plotting, tabular
from experiments.palette import REFERENCE
from experiments.tables.computed import ComputedFigures
from experiments.tables.figure import Figure
from experiments.tables.measured import Measured
from experiments.tables.published import Published, Row
from experiments.tables.quantities import QUANTITIES
from experiments.tables.report import Report
from experiments.tabular import Marked

DIFFERS = "≠"

_INTERVALS = "Intervals are of 95 %. "
_MARKS = (
    f"{DIFFERS} marks figures of ours whose interval is disjoint from that of the figure with "
    "which ours is compared."
)
_PARTS = ("value", "low", "high", "games")


def compare_published(title: str, run: Measured | ComputedFigures, paper: Published) -> Report:
    """Return a table of our figures next to those of ``paper``."""
    numbers: dict[str, int] = {}
    rows, records = [], []
    for row in paper.rows:
        ours = {column: _measure(run, row, column) for column in row.cells}
        records += [_record(paper, row, column, ours.get(column)) for column in ours or [""]]
        notes = sorted(numbers.setdefault(note, len(numbers) + 1) for note in row.notes)
        known = [row.published.get(source) for source in paper.sources]
        rows.append(
            [
                row.setup,
                row.quantity.name,
                *(figure and row.quantity.text(figure) for figure in known),
                *(_mark(paper, row, ours.get(column)) for column in paper.columns),
                ", ".join(map(str, notes)) or None,
            ]
        )
    heads = [tabular.words("set-up"), tabular.words("quantity")]
    heads += map(tabular.Column, (*paper.sources.values(), *paper.columns.values()))
    if numbers:
        heads.append(tabular.words("notes"))
    said = "" if isinstance(run, ComputedFigures) else _INTERVALS
    said += _MARKS if paper.sources else ""
    sentences = [*paper.about, *filter(None, [said])]
    sentences += [f"[{number}] {paper.notes[note]}" for note, number in numbers.items()]
    rows = [row[: len(heads)] for row in rows]
    return Report(tabular.Table(title, heads, rows, list(map(Marked, sentences))), records)


def _measure(run: Measured | ComputedFigures, row: Row, column: str) -> Figure | None:
    match, player = row.cells[column]
    if isinstance(run, ComputedFigures):
        return run.figure(match, player)
    return row.quantity.of(run, match, player)


def _mark(paper: Published, row: Row, figure: Figure | None) -> str | None:
    """Return our figure as text, marked if it differs from the published one."""
    if figure is None:
        return None
    known = paper.reference(row)
    differs = known is not None and figure.differs(known)
    return row.quantity.text(figure) + (f" {DIFFERS}" if differs else "")


def _record(paper: Published, row: Row, column: str, ours: Figure | None) -> dict[str, Any]:
    """Return a row of the CSV: our figure and the published ones."""

    def parts(prefix: str, figure: Figure | None) -> dict[str, Any]:
        return {prefix + key: figure and getattr(figure, key) for key in _PARTS}

    known = paper.reference(row)
    record: dict[str, Any] = {"setup": row.setup, "quantity": row.quantity.name}
    for source in paper.sources:
        record |= parts(f"{source}_", row.published.get(source))
    record["column"] = paper.columns.get(column, "")
    record["match"] = row.cells[column][0] if column else ""
    record |= parts("", ours)
    record["differs"] = ours.differs(known) if ours and known else None
    record["notes"] = " ".join(row.notes)
    return record


def draw(paper: Published, about: str, run: Measured, path: Path) -> None:
    """Draw the games won and those published in ``paper`` to ``path``, under the title ``about``.

    Draws nothing unless games of a published row were played.
    """
    rows: list[tuple[Row, Figure, dict[str, Figure]]] = []
    for row in paper.rows:
        measured = {column: _measure(run, row, column) for column in row.cells}
        ours = {column: figure for column, figure in measured.items() if figure}
        known = paper.reference(row)
        if row.quantity.name == QUANTITIES["won"].name and known and ours:  # of any seat
            rows.append((row, known, ours))
    if not rows:
        return
    columns = [column for column in paper.columns if any(column in ours for *_, ours in rows)]
    counts = [found.games for *_, ours in rows for found in ours.values() if found.games]
    games = " to ".join(f"{count:,}" for count in sorted({min(counts), max(counts)}))
    size = (plotting.WIDTH, 1.4 + 0.25 * len(rows))
    title = f"{about[:1].upper()}{about[1:]}; {games} games a mark, 95 %"
    with plotting.picture(path, title, size) as (figure, ((axes,),)):
        at = list(range(len(rows), 0, -1))
        middle, low, high = plotting.bounds([known.estimate for _, known, _ in rows])
        axes.barh(at, high - low, left=low, height=0.8, color="#dddddd", label="published")
        bottom, top = ([place + half for place in at] for half in (-0.4, 0.4))
        axes.vlines(middle, bottom, top, color=REFERENCE, linewidth=1)
        for series, column in enumerate(columns):
            shift = 0.2 * ((len(columns) - 1) / 2 - series)
            there = {
                place + shift: ours[column].estimate
                for place, (*_, ours) in zip(at, rows, strict=True)
                if column in ours
            }
            look = {"label": paper.columns[column], "markersize": 4, "capsize": 0}
            plotting.intervals(axes, [*there], [*there.values()], series, across=True, **look)
        axes.set_yticks(at, [row.setup for row, *_ in rows])
        axes.set(xlabel="games won", xlim=(0, 1))
        plotting.shares(axes.xaxis)
        plotting.legend_below(figure, axes, columns=len(columns) + 1)

"""Pages and pictures, made from the kept rows."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np

from benchmarks.evidence import state
from benchmarks.evidence.listing import RESULTS, RUN, STUDIES, Evidence
from benchmarks.evidence.state import FRESH, MISSING, State
from experiments import tabular
from experiments.provenance.files import SUMMARY, read_json, write_text
from experiments.runs import runfolder
from experiments.settings.commandline import Refusal
from experiments.tables import catalog, page
from experiments.tables.measured import Measured
from experiments.tables.page import Page
from experiments.tables.report import Report, above, describe_games, store, strength
from experiments.tables.schema import Computed
from experiments.tabular import Column, Table, words

MARK = "<!-- evidence -->"
"""Prefix of the line of a page that describes its rows."""

INDEX = f"{RESULTS}/list.md"

STUDIED = "Intervals are of 95 %."

_SHADE = 3 / 255
"""Invisible difference between the shades of two pixels."""

_PAGE = re.compile(rf"\n{MARK}[^\n]*\n")


def write(evidence: Evidence, folder: Path, images: Path) -> list[Path]:
    """Write page and CSV of ``evidence`` to ``folder``, its pictures to ``images``.

    Returns the files.  A page without rows is kept and gets a line that says so.
    """
    found = state.of(evidence)
    line = describe(found)
    if found.word == MISSING:
        if not evidence.page.exists():
            return []
        return [write_text(folder / evidence.page.name, mark(evidence.page.read_text(), line))]
    made = make(evidence, evidence.rows)
    files = store(evidence.name, made.report, made.heading(), folder)
    with tempfile.TemporaryDirectory() as place:
        drawn = Path(place)
        if evidence.item.pictures:
            made.draw(drawn)
        for name, image in evidence.item.pictures.items():
            if not (drawn / name).exists():
                raise Refusal(f"{evidence.name} draws no {name}")
            files.append(images / image)
            if not _look_alike(drawn / name, images / image):
                shutil.copyfile(drawn / name, images / image)
    write_text(files[0], mark(files[0].read_text(), line))
    return files


def _look_alike(picture: Path, other: Path) -> bool:
    """Return whether ``other`` exists and differs no more than between processors."""
    from matplotlib.image import imread

    if not other.exists():
        return False
    drawn, held = imread(picture), imread(other)
    return drawn.shape == held.shape and bool(np.abs(drawn - held).max() <= _SHADE)


def make(evidence: Evidence, rows: Path) -> Page:
    """Return the page of ``evidence`` from ``rows``: the kept ones, or others like them.

    Raises Refusal if they are missing or unreadable.
    """
    if evidence.table is not None:
        return page.read(catalog.load(evidence.name), rows.parent, evidence.asked)
    return _of_run(evidence, rows) if evidence.kind == RUN else _of_study(evidence, rows)


def _of_run(evidence: Evidence, rows: Path) -> Page:
    run = Measured(rows)

    def heading() -> list[str]:
        games = [tally.games for tally in run.played.tallies]
        sentence = describe_games(games, None, run.played.matches)
        return above(evidence.command, sentence, [runfolder.about(rows)])

    return Page(strength(evidence.name, run, ()), heading, lambda _: None)


def _of_study(evidence: Evidence, rows: Path) -> Page:
    module = import_module(STUDIES[evidence.study].shown)
    table, records = module.show(rows)
    named = replace(table, title=f"{evidence.name}: {table.title}")

    def heading() -> list[str]:
        return above(evidence.command, STUDIED, [read_json(rows / SUMMARY)["run"]])

    def draw(folder: Path) -> None:
        if evidence.item.pictures:
            module.draw_kept(rows, folder)

    return Page(Report(named, records), heading, draw)


def mark(text: str, line: str) -> str:
    """Return a page with the ``line`` on its rows as second line."""
    title, _, rest = _PAGE.sub("\n", text).partition("\n")
    return f"{title}\n{MARK}{line}\n{rest}"


def describe(found: State) -> str:
    """Return a page's statement about its rows."""
    if found.word == MISSING:
        return "**No rows were kept**: these figures stand until they are played again."
    assert found.seal is not None
    checked = found.seal.get("checked")
    again = ""
    if checked:
        ((unit, played),) = ((key, checked[key]) for key in {*checked} - {"commit", "machine"})
        units = "cases" if unit == "count" else unit
        again = (
            f" At commit {checked['commit'][:7]} {played} of their {units} were played again, and "
            "came out alike."
        )
    lacks = "" if found.word == FRESH else f"**{found.word.capitalize()}**: {found.why}. "
    return f"{lacks}The rows are in the repository.{again}"


def index(listed: Iterable[Evidence], cores: int) -> Table:
    """Return the list of evidence with its states."""
    lines = []
    for one in listed:
        found = state.of(one)
        lines.append([one.name, found.word, found.why or None, hours(one, cores)])
    columns = (
        words("evidence"),
        words("rows"),
        words("because"),
        Column("hours to play", lambda value: f"{value:.1f}"),
    )
    fresh = sum(line[1] == state.FRESH for line in lines)
    title = f"{len(lines)} results, {fresh} of them with rows of today's code"
    return Table(title, columns, lines)


def hours(evidence: Evidence, cores: int) -> float | None:
    """Return the hours of playing on ``cores`` cores, None if unknown."""
    table = evidence.table
    if table is None:
        return None
    if isinstance(table, Computed):
        return table.seconds / 3600
    return table.hours(evidence.item.games, evidence.item.simulations, cores)


def index_page(table: Table) -> str:
    """Return the page of the list."""
    head = f"# List of results\n\n{table.title} ([evidence](../evidence.md)).\n\n"
    grid = tabular.markdown(Table("", table.columns, table.rows))
    grid = re.sub(r"(?m)^\| (\w+)(?= \| (?!rows|missing))", r"| [\1](\1.md)", grid)
    return f"{head}{grid}".rstrip() + "\n"

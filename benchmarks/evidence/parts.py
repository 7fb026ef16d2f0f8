"""Parts of a result that can be played alone: a figure needs few of its games.

They are one name or two in ``only=`` of a table, one of ``match.players`` of a run, one cell of
episodes.
"""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import polars as pl
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.evidence import claims, paper
from benchmarks.evidence.listing import RUN, STUDY, Evidence
from experiments import tabular
from experiments.episodes.table import ROWS
from experiments.matches import lineups
from experiments.provenance.files import SUMMARY, read_json
from experiments.settings import config
from experiments.settings.arguments import quote_text
from experiments.tables.cells import PlannedCell, cells_of, choose
from experiments.tables.matches import matches
from experiments.tables.measured import simulations_of
from experiments.tables.schema import Table
from experiments.tables.steps import Ablation

Intervals = list[tuple[str, tuple[float, ...]]]
"""Intervals of a page in order, as `claims.numbers` has them."""

Found = Iterator[tuple[str, set[str], float]]
"""The setting that plays a part, as typed, the names of what is played, the share of all work."""

_PLAIN = re.compile(r"[A-Za-z][\w./+=-]*|[1-9]\d*")
"""A name that Hydra reads as itself."""


@dataclass(frozen=True)
class Part:
    """A share of a result that one command plays.

    Attributes
    ----------
    evidence : the result
    command : as `Evidence.command`
    names : of its matches; of an ablation the folders of its cells, of episodes the cells; None:
        all
    hours : that it takes on this machine; None if nobody knows
    """

    evidence: Evidence
    command: str
    names: set[str] | None
    hours: float | None

    @cached_property
    def kept(self) -> Intervals:
        """The intervals on the page made from the rows that are kept of this part alone."""
        with tempfile.TemporaryDirectory() as place:
            target = Path(place) / self.evidence.folder
            target.mkdir()
            for path in self.evidence.rows.iterdir():
                self._copy(path, target / path.name)
            return self.read(target)

    def _copy(self, path: Path, target: Path) -> None:
        """Copy of a file or folder of rows what belongs to this part."""
        if path.is_dir():
            if self.names is None or path.name in self.names:
                shutil.copytree(path, target)
        elif path.suffix == ".parquet" and self.names is not None:
            rows = pq.read_table(path)
            key = "cell" if "cell" in rows.column_names else "match"
            pq.write_table(rows.filter(pc.field(key).isin(sorted(self.names))), target)
        else:
            shutil.copyfile(path, target)

    def read(self, rows: Path) -> Intervals:
        """Return the intervals on the page made from ``rows`` of this part; Refusal if unreadable.

        The folder has the name of that of the result.
        """
        return list(claims.numbers(tabular.markdown(paper.make(self.evidence, rows).report.shown)))


def of(evidence: Evidence) -> list[Part]:
    """Return the parts of ``evidence``, which has rows; those of least work first, all of it last.

    Raises Refusal if its settings cannot be met.
    """
    table, hours = evidence.table, paper.hours(evidence, config.cores())
    found: Found = iter(())  # of what is computed or a study, all or nothing
    if isinstance(table, Ablation):
        found = _of_ablation(evidence, table)
    elif isinstance(table, Table):
        found = _of_table(evidence, table)
    elif evidence.kind == RUN:
        found = _of_run(evidence)
    elif evidence.in_cells:
        hours = float(_seconds(evidence)["seconds"].sum()) / 3600
        found = _of_episodes(evidence)
    elif evidence.kind == STUDY:
        hours = read_json(evidence.rows / SUMMARY)["seconds"] / 3600
    command = re.sub(r" only=\S+", "", evidence.command)
    made = [
        Part(evidence, f"{command} {setting}", names, hours and hours * share)
        for setting, names, share in sorted(found, key=lambda one: one[-1])
    ]
    return [*made, Part(evidence, evidence.command, None, hours)]


def _of_table(evidence: Evidence, table: Table) -> Found:
    seed = table.seed if evidence.asked["seed"] is None else evidence.asked["seed"]
    planned = matches(table, evidence.asked["simulations"], seed)
    choices = [cell.choices for cell in table.cells]
    for only in dict.fromkeys(asked for names in choices for asked in _pick(names)):
        names = {planned[number].name for number in choose(choices, only)}
        if len(names) < len(planned):
            yield _choose("only", *only), names, len(names) / len(planned)


def _pick(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield what of a cell's ``names`` is asked for together, as `Cell.choices`.

    They are what its player plays, what is played against its opponents, in all variants or its
    own; of a round robin the variant.
    """
    player, *company = names
    yield (player,)
    if company:
        opponents, _, variant = company
        yield (opponents,)
        if variant:
            yield opponents, variant


def _of_ablation(evidence: Evidence, table: Ablation) -> Found:
    cells = cells_of(table, evidence.rows.parent, **evidence.asked)
    choices = [cell.choices for cell in cells]
    for choice in dict.fromkeys(name for names in choices for name in filter(None, names)):
        chosen = [cells[number] for number in choose(choices, [choice])]
        names = {cell.folder.name for cell in chosen}
        yield _choose("only", choice), names, sum(map(_work, chosen)) / sum(map(_work, cells))


def _work(cell: PlannedCell) -> int:
    return cell.games * (simulations_of(cell.match) or 1)


def _of_run(evidence: Evidence) -> Found:
    overrides = shlex.split(evidence.command)[3:]
    settings = config.compose("compare", overrides)
    if settings.match.layout == "robin":  # all are needed
        return
    for entry in (players := settings.match.players or ()):
        one = [*overrides, f"match.players=[{quote_text(entry)}]"]
        planned = lineups.matches(config.compose("compare", one), one)
        yield _choose("match.players", entry), {match.name for match in planned}, 1 / len(players)


def _of_episodes(evidence: Evidence) -> Found:
    seconds = _seconds(evidence)
    for cell, own in seconds.iter_rows():
        yield _choose("only", cell), {cell}, own / seconds["seconds"].sum()


def _seconds(evidence: Evidence) -> pl.DataFrame:
    """Return the CPU seconds of each cell of episodes."""
    rows = pl.read_parquet(evidence.rows / ROWS.file)
    return rows.group_by("cell", maintain_order=True).agg(pl.col("seconds").sum())


def _choose(key: str, *names: str) -> str:
    """Return what is typed to set ``key`` to a list of ``names``."""
    if all(map(_PLAIN.fullmatch, names)):
        return f"{key}=[{','.join(names)}]"
    return shlex.quote(f"{key}=[{','.join(map(quote_text, names))}]")

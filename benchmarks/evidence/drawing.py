"""Claims drawn at random, and rebuilt from nothing but their commands.

A figure needs few of its result's games: a part that can be played alone is one name or two in
``only=`` of a table, one of ``match.players`` of a run, one cell of episodes.
"""

from __future__ import annotations

import hashlib
import math
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.compute as pc
import pyarrow.parquet as pq
from rich.console import Console

from benchmarks.evidence import claims, paper, playing, sources, state
from benchmarks.evidence.claims import ROWS, Claim
from benchmarks.evidence.listing import RUN, STUDY, Evidence
from experiments import tabular
from experiments.episodes import table as episodes
from experiments.matches import lineups
from experiments.provenance import provenance
from experiments.provenance.files import SUMMARY, read_json
from experiments.settings import config
from experiments.settings.arguments import quote_text
from experiments.settings.commandline import Refusal
from experiments.tables.cells import PlannedCell, cells_of, choose
from experiments.tables.matches import matches
from experiments.tables.measured import simulations_of
from experiments.tables.schema import Table
from experiments.tables.steps import Ablation

INDEX = "docs/drawn.csv"
NOT_PLAYED = "not played"

Intervals = list[tuple[str, tuple[float, ...]]]
"""Intervals of a page in order, in the form of `claims.numbers`."""

Found = Iterator[tuple[str, set[str], float]]
"""The setting that plays a part, as typed, the names of its matches, its share of all work."""

_PLAIN = re.compile(r"[A-Za-z][\w./+=-]*|[1-9]\d*")
"""A name that Hydra reads literally."""


@dataclass(frozen=True)
class Part:
    """A share of a result that one command plays.

    Attributes
    ----------
    evidence : the result
    command : as `Evidence.command`
    names : of its matches; of an ablation the folders of its cells, of episodes the cells; None:
        all
    hours : duration on this machine; None if unknown
    """

    evidence: Evidence
    command: str
    names: set[str] | None
    hours: float | None

    @cached_property
    def kept(self) -> Intervals:
        """The intervals on the page made from the kept rows of this part alone."""
        with tempfile.TemporaryDirectory() as place:
            target = Path(place) / self.evidence.folder
            target.mkdir()
            for path in self.evidence.rows.iterdir():
                self._copy(path, target / path.name)
            return self.read(target)

    def _copy(self, path: Path, target: Path) -> None:
        """Copy the part's share of a file or folder of rows."""
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

        The folder has the name of the result's folder.
        """
        return list(claims.numbers(tabular.markdown(paper.make(self.evidence, rows).report.shown)))


def list_parts(evidence: Evidence) -> list[Part]:
    """Return the parts of ``evidence``, which has rows, by increasing work, the whole last.

    Raises Refusal if its settings are invalid.
    """
    table, hours = evidence.table, paper.hours(evidence, config.cores())
    found: Found = iter(())  # for computed results and studies, all or nothing
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
    """Yield the names of a cell to be requested together, as `Cell.choices`."""
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
    rows = pl.read_parquet(evidence.rows / episodes.ROWS.file)
    return rows.group_by("cell", maintain_order=True).agg(pl.col("seconds").sum())


def _choose(key: str, *names: str) -> str:
    """Return the command-line setting of ``key`` to a list of ``names``."""
    if all(map(_PLAIN.fullmatch, names)):
        return f"{key}=[{','.join(names)}]"
    return shlex.quote(f"{key}=[{','.join(map(quote_text, names))}]")


@dataclass(frozen=True)
class Drawn:
    """A drawn claim, its part, and its index among the intervals there."""

    claim: Claim
    part: Part
    index: int

    def compare(self, made: Intervals) -> str:
        """Return the interval at its index among those ``made`` again; empty if equal."""
        if self.index >= len(made):
            return "nothing"
        text, values = made[self.index]
        return "" if values == _values(self.claim) else text


def _values(claim: Claim) -> tuple[float, ...]:
    return next(claims.numbers(claim.text))[1]


def draw(
    found: Sequence[Claim], listed: Mapping[str, Evidence], number: int, seed: int
) -> list[Drawn]:
    """Draw ``number`` of the claims ``found`` that come from rows of the results ``listed``.

    ``seed``: of the drawing.  Returns fewer if there are no more.  Results that cannot be replayed
    or lack games, and claims that the rows of the result alone do not give, are skipped.  Raises
    Refusal if rows cannot be read.
    """
    claimed = {claim.evidence for claim in _of_rows(found, listed) if listed[claim.evidence].seeded}
    whole = {name for name in claimed if not state.count_lacking(listed[name])}
    able = [claim for claim in _of_rows(found, listed) if claim.evidence in whole]
    known: dict[str, list[Part]] = {}
    drawn: list[Drawn] = []
    for at in np.random.default_rng(seed).permutation(len(able)):
        claim = able[at]
        if claim.evidence not in known:
            known[claim.evidence] = list_parts(listed[claim.evidence])
        for part in known[claim.evidence]:
            shown = [values for _, values in part.kept]
            if _values(claim) in shown:
                drawn.append(Drawn(claim, part, shown.index(_values(claim))))
                break
        if len(drawn) == number:
            break
    return drawn


def _of_rows(found: Iterable[Claim], listed: Mapping[str, Evidence]) -> list[Claim]:
    return [claim for claim in found if claim.origin == ROWS and claim.evidence in listed]


def describe(
    drawn: Sequence[Drawn], found: Iterable[Claim], listed: Mapping[str, Evidence]
) -> list[str]:
    """Return in sentences what was ``drawn``, its cost, and what could not be drawn."""
    hours = [part.hours for part, _ in _by_part(drawn)]
    known = sum(one for one in hours if one is not None)
    lines = [
        f"claims drawn: {len(drawn)}; commands for them: {len(hours)}, about {known:.2f} hours"
        + (f" and {hours.count(None)} of unknown duration" if None in hours else "")
    ]
    dealt = [one.evidence for one in _of_rows(found, listed) if not listed[one.evidence].seeded]
    if dealt:
        names = ", ".join(dict.fromkeys(dealt))
        lines.append(f"not drawn from: claims of {names}, which have no seed ({len(dealt)})")
    return lines


def _by_part(drawn: Iterable[Drawn]) -> list[tuple[Part, list[Drawn]]]:
    by_command: dict[str, list[Drawn]] = {}
    for one in drawn:
        by_command.setdefault(one.part.command, []).append(one)
    return [(its[0].part, its) for its in by_command.values()]


def play(
    drawn: Sequence[Drawn], folder: Path, console: Console, end: float = math.inf
) -> Iterator[tuple[Drawn, str]]:
    """Play each part once, below ``folder``; yield its claims with the result of `Drawn.compare`.

    Parts of least work come first.  A failed command is the result of its claims.  Ends early on
    Ctrl-C or at the time ``end``; played games are kept.
    """
    groups = sorted(_by_part(drawn), key=lambda group: group[0].hours or 0.0)
    for number, (part, its) in enumerate(groups, 1):
        hours = "" if part.hours is None else f", about {part.hours:.2f} hours"
        console.print(f"command {number} of {len(groups)}{hours}")
        try:
            place = _place(part, folder)
            rows = playing.play_part(part.evidence, part.command, place, console, end)
            if rows is None:
                return
            made = part.read(rows)
        except Refusal as fault:
            console.print(str(fault), soft_wrap=True, markup=False)
            yield from ((one, "the command failed") for one in its)
        else:
            yield from ((one, one.compare(made)) for one in its)


def _place(part: Part, folder: Path) -> Path:
    """Return the folder for today's code to play ``part``."""
    one = part.evidence
    name = f"{one.name}-{hashlib.sha256(part.command.encode()).hexdigest()[:10]}"
    return folder / "drawn" / sources.digest(one.root, one.modules) / name


def table(made: Sequence[tuple[Drawn, str]]) -> tabular.Table:
    """Return each claim with its result; ``made`` as `play` yields it, or `NOT_PLAYED`."""
    columns = tuple(map(tabular.words, ("page", "claim", "again", "command")))
    lines = [
        [one.claim.page, one.claim.text, came or "equal", one.part.command] for one, came in made
    ]
    outcomes = [came for _, came in made]
    left = outcomes.count(NOT_PLAYED)
    title = f"{outcomes.count('')} of {len(made) - left} equal"
    return tabular.Table(title + (f", {left} {NOT_PLAYED}" if left else ""), columns, lines)


def write(made: Sequence[tuple[Drawn, str]], seed: int, path: Path) -> None:
    """Write `table` as CSV to ``path``, with the ``seed`` of the drawing and the commit."""
    shown, commit = table(made), provenance.commit()
    more = tuple(map(tabular.words, ("seed", "commit")))
    rows = [[*row, seed, commit] for row in shown.rows]
    tabular.write_csv(tabular.Table("", (*shown.columns, *more), rows), path)

"""How a table is told: on the console, as Markdown and as CSV."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments import tabular
from experiments.provenance.files import write_text
from experiments.runs import runfolder
from experiments.settings.commandline import Refusal
from experiments.stats.comparisons import Comparison
from experiments.stats.intervals import Estimate
from experiments.tables import field, papers
from experiments.tables.cells import COMMAND
from experiments.tables.computed import Figures
from experiments.tables.figures import Measured, simulations_of
from experiments.tables.forms import Table
from experiments.tables.rows import Paper, Row, fitting
from experiments.tables.stairs.beside import Joined, Tested
from experiments.tabular import Marked
from experiments.texts import markdown, printable

DIFFERS = "≠"

_TRIAL = "A trial: few and short games, of which the figures tell nothing."
_INTERVALS = "Intervals are of 95 %. "
_MARKS = (
    f"{DIFFERS} stands where ours has nothing in common with what it is held against; the numbers "
    "behind it are those causes below that would move ours to this side."
)

_EFFECTS = {
    "moves": "Tested by `{}`, and moving some of these lines beyond its interval",
    "still": "Tested by `{}`, and moving none of them beyond its interval",
    "left": "In `{}`, and not played yet",
}


@dataclass(frozen=True)
class Report:
    """A table in words, and its figures.

    Attributes
    ----------
    shown : the table as it is read, with sentences below it
    records : the rows and columns of the CSV
    trial : whether it was played by ``fast=true``
    """

    shown: tabular.Table
    records: list[dict[str, Any]]
    trial: bool = False


class _Marks:
    """The numbers of the causes, in the order in which they are met."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, keys: Sequence[str]) -> str:
        """Return the numbers of ``keys`` as they stand behind a figure."""
        found = sorted(self.numbers.setdefault(key, len(self.numbers) + 1) for key in keys)
        return f" [{', '.join(map(str, found))}]" if found else ""


def published(name: str, title: str, run: Measured | Figures, paper: Paper) -> Report:
    """Return the table ``name`` of ``paper``, ours beside what was published."""
    rows = paper.rows[name]
    columns = list(dict.fromkeys(column for row in rows for column in row.cells))
    marks = _Marks()
    shown, records = [], []
    steps: list[Tested] = []
    for row in rows:
        tested = _tested(row, run)
        steps += [step for found in tested.values() for step in found]
        found = [_record(paper, row, column, run, tested) for column in columns]
        records += [record for record in found if record["match"]] or [
            _record(paper, row, "", run, tested)
        ]
        theirs = _sources(paper, row, marks)
        shown.append([*theirs, *(_told(row, record, marks) for record in found)])
    heads = [tabular.words("set-up"), tabular.words("quantity")]
    heads += [*paper.sources.values(), *columns]
    intervals = "" if name in paper.computed else _INTERVALS
    notes = [*map(Marked, paper.about), Marked(intervals + _MARKS)]
    of_steps = {step.key: step for step in steps}
    notes += [
        Marked(f"[{number}] {of_steps[key] if key in of_steps else paper.cause(key)}")
        for key, number in marks.numbers.items()
    ]
    notes += map(Marked, _effects(steps))
    return Report(tabular.Table(title, heads, shown, notes), records)


def _title(table: Table, run: Measured) -> str:
    """Return what the table shows, with its budget if that is one for all."""
    title = f"{table.name}: {table.about}"
    if table.simulations is None:
        return title
    return f"{title}, at {_simulations(run):,} simulations"


def _sources(paper: Paper, row: Row, marks: _Marks) -> list[str | None]:
    """Return set-up, quantity and the published figures, the first of them with its notes."""
    figures = [row.published.get(source) for source in paper.sources]
    told = [figure and row.quantity.told(figure) for figure in figures]
    quantity = row.quantity.name
    noted = marks.of(row.notes)
    place = next((i for i, figure in enumerate(figures) if figure is not None), None)
    if place is None:
        quantity += noted
    else:
        told[place] += noted
    return [row.setup, quantity, *told]


def _told(row: Row, record: dict[str, Any], marks: _Marks) -> str | None:
    """Return ours in words, marked where it differs."""
    figure = record["ours"]
    if figure is None:
        return None
    causes = record["causes"].split()
    return row.quantity.told(figure) + (f" {DIFFERS}{marks.of(causes)}" if causes else "")


def _tested(row: Row, run: Measured | Figures) -> dict[str, list[Tested]]:
    """Return what the steps do that lead to each column of ``row``."""
    return {
        column: run.tested(*place, row.quantity)
        for column, place in row.stairs.items()
        if isinstance(run, Joined)
    }


def _effects(steps: Sequence[Tested]) -> Iterator[str]:
    """Yield which of ``steps`` move a line and which do not, and which were not played."""
    sides: dict[str, dict[str, set[int | None]]] = {}
    for step in steps:
        sides.setdefault(step.table, {}).setdefault(step.step, set()).add(step.side)
    for table, found in sides.items():
        kinds: dict[str, list[str]] = {}
        for step, there in found.items():
            kind = "moves" if there & {-1, 1} else "still" if 0 in there else "left"
            kinds.setdefault(kind, []).append(f"`{step}`")
        for kind, told in _EFFECTS.items():
            if kind in kinds:
                yield f"{told.format(table)}: {', '.join(kinds[kind])}."


def _record(
    paper: Paper,
    row: Row,
    column: str,
    run: Measured | Figures,
    tested: Mapping[str, Sequence[Tested]],
) -> dict[str, Any]:
    """Return one figure of ours, ``ours``, with what is known beside it."""
    known = paper.known(row)
    match, player = row.cells.get(column, ("", ""))
    figure = row.quantity.measure(run, match, player) if match in run.lines else None
    side = figure.side(known) if figure and known else None
    moves = {step.key: step.side for step in tested.get(column, ()) if step.side}
    causes = fitting({**row.causes.get(column, {}), **moves}, side) if side else ()
    return {
        "setup": row.setup,
        "quantity": row.quantity.name,
        **{source: row.published.get(source) for source in paper.sources},
        "column": column,
        "match": match,
        "ours": figure,
        "differs": None if side is None else side != 0,
        "causes": " ".join(causes),
    }


def _flat(record: dict[str, Any], sources: Collection[str]) -> dict[str, Any]:
    """Return a record with its figures in columns of their own; ours have no prefix."""
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if name == "ours" or name in sources:
            prefix = "" if name == "ours" else f"{name}_"
            for part in ("value", "low", "high", "games"):
                flat[prefix + part] = None if value is None else getattr(value, part)
        else:
            flat[name] = value
    return flat


def strength(table: Table, run: Measured) -> Report:
    """Return a table of strength: win rates, and who is better on the same games."""
    rows, records = [], []
    for line in run.lines.values():
        speed, decisions = line["simulations_per_second"], line["decisions"]
        ms = 1000 * line["simulations"] / speed / decisions if speed and decisions else None
        rate = Estimate(line["win_rate"], *line["ci95"])
        rows.append(
            [line["match"], line["games"], rate, line["parity"], line["accused_wrongly"], ms]
        )
        keys = ("match", "games", "wins", "win_rate", "parity", "accused_wrongly")
        own = {key: line[key] for key in keys}
        records.append({**own, "low": rate.low, "high": rate.high, "ms_a_decision": ms})
    columns = (
        tabular.words(""),
        tabular.count("games"),
        "games won, 95 %",
        tabular.Column("parity", lambda share: f"{100 * share:.0f} %"),
        tabular.count("accused wrongly"),
        tabular.mean("ms a decision"),
    )
    notes = [_sentence(pair) for pair in run.comparisons(table.controls)]
    return Report(tabular.Table(_title(table, run), columns, rows, notes), records)


def _sentence(pair: Comparison) -> str:
    return (
        f"{pair.second} less {pair.first}, same {pair.games} games: {pair.difference}, "
        f"p {pair.p_holm:.2g} with Holm's correction"
    )


def make(table: Table, run: Measured, trial: bool) -> Report:
    """Return the report of ``table`` from its run; ``trial`` as `Report` has it."""
    paper = papers.of(table.name)
    title = _title(table, run)
    if table.robin:
        report = Report(*field.told(title, table, run))
    else:
        report = published(table.name, title, run, paper) if paper else strength(table, run)
    return tried(report) if trial else report


def tried(report: Report) -> Report:
    """Return ``report`` with the sentence that it is a trial."""
    return replace(
        report, shown=replace(report.shown, notes=[_TRIAL, *report.shown.notes]), trial=True
    )


def show(report: Report, console: Console) -> None:
    """Print ``report`` with its notes."""
    tabular.show(report.shown, console)


def write(table: Table, report: Report, run: Measured, folder: Path) -> list[Path]:
    """Write ``report`` as Markdown and CSV to ``folder``, named after the table.

    Raises
    ------
    Refusal
        If they cannot be written, or there is nothing to write.
    """
    if not run.lines:
        raise Refusal(f"{run.folder} holds no games of {table.name} yet: play some first")
    return store(table.name, report, _heading(table, run, report.trial), folder)


def store(name: str, report: Report, heading: Sequence[str], folder: Path) -> list[Path]:
    """Write ``report`` as Markdown and CSV to ``folder``, with lines above it.

    Raises
    ------
    Refusal
        If they cannot be written.
    """
    text, numbers = folder / f"{name}.md", folder / f"{name}.csv"
    paper = papers.of(name)
    records = [_flat(record, paper.sources if paper else ()) for record in report.records]
    rows = [list(record.values()) for record in records]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_text(text, _markdown(report, heading))
        tabular.write_csv(tabular.Table("", list(records[0]), rows), numbers)
    except OSError as fault:
        raise Refusal(f"write={folder}: {fault.strerror}") from None
    return [text, numbers]


def _markdown(report: Report, heading: Sequence[str]) -> str:
    title = f"# {markdown(report.shown.title)}"
    grid = tabular.markdown(replace(report.shown, title=""))
    return "\n".join([title, "", *heading, "", grid]).rstrip() + "\n"


def _heading(table: Table, run: Measured, trial: bool) -> list[str]:
    """Return command, budget, machine and versions."""
    about = runfolder.about(run.folder)
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    first = run.played.matches[0]
    rules = dict.fromkeys(f"`{match.rules['name']}`" for match in run.played.matches)
    return [
        f"```\n{printable(_command(table, run, trial))}\n```",
        "",
        f"{_games(run)} games a cell{_budget(table, run)}, seed {first.seed}, "
        f"rules {', '.join(rules)}.",
        markdown(f"Commit {about['commit']}; {about['machine']}; {versions}."),
        *([line for told in run.about() for line in ("", told)] if isinstance(run, Joined) else []),
    ]


def _games(run: Measured) -> str:
    found = {tally.games for tally in run.played.tallies if tally.games}
    least, most = min(found), max(found)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _budget(table: Table, run: Measured) -> str:
    if table.simulations is None:
        return ""
    return f", {_simulations(run):,} simulations a decision"


def _simulations(run: Measured) -> int:
    """Return the budget of a decision, of the first cell whose player searches."""
    return next(filter(None, map(simulations_of, run.played.matches)))


def _command(table: Table, run: Measured, trial: bool) -> str:
    first = run.played.matches[0]
    games = max(tally.games for tally in run.played.tallies)
    told = f"{COMMAND} {table.name} games={games}"
    if table.simulations is not None:
        told += f" simulations={_simulations(run)}"
    return f"{told} seed={first.seed}{' fast=true' if trial else ''}"

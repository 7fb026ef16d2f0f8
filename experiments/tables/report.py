"""Reports of tables: on the console, as Markdown and as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments import tabular
from experiments.matches.schedule import Match
from experiments.provenance.files import write_text, writing
from experiments.runs import runfolder
from experiments.settings.commandline import Refusal
from experiments.stats.comparisons import Comparison
from experiments.tables import field, matrix
from experiments.tables.ablation.joined import Joined
from experiments.tables.catalog import COMMAND
from experiments.tables.computed import ComputedFigures
from experiments.tables.figure import Figure
from experiments.tables.measured import Measured, simulations_of
from experiments.tables.published import Published, Row
from experiments.tables.schema import Computed, Table
from experiments.tabular import Marked
from experiments.texts import markdown, printable, span

DIFFERS = "≠"

_TRIAL = "A trial: few and short games, whose figures mean nothing."
_INTERVALS = "Intervals are of 95 %. "
_MARKS = (
    f"{DIFFERS} marks figures of ours whose interval is disjoint from that of the figure with "
    "which ours is compared."
)


@dataclass(frozen=True)
class Report:
    """A table as text, and its figures.

    Attributes
    ----------
    shown : the table as it is read, with sentences below it
    records : the rows and columns of the CSV
    trial : whether it was played by ``fast=true``
    """

    shown: tabular.Table
    records: list[dict[str, Any]]
    trial: bool = False


def compare_published(
    title: str, run: Measured | ComputedFigures, paper: Published, trial: bool = False
) -> Report:
    """Return a table with ours beside the figures of ``paper``."""
    numbers: dict[str, int] = {}
    rows, records = [], []
    for row in paper.rows:
        ours = {column: _measure(run, row, column) for column in row.cells}
        records += [_record(paper, row, column, ours.get(column)) for column in ours or [""]]
        notes = sorted(numbers.setdefault(note, len(numbers) + 1) for note in row.notes)
        rows.append(
            [
                row.setup,
                row.quantity.name,
                *(_text(row, row.published.get(source)) for source in paper.sources),
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
    report = Report(tabular.Table(title, heads, rows, list(map(Marked, sentences))), records)
    return mark_trial(report) if trial else report


def _measure(run: Measured | ComputedFigures, row: Row, column: str) -> Figure | None:
    """Return the figure of ours in ``column`` of ``row``; None if there is none yet."""
    match, player = row.cells[column]
    if isinstance(run, ComputedFigures):
        return run.figure(match, player)
    return row.quantity.of(run, match, player)


def _text(row: Row, figure: Figure | None) -> str | None:
    return None if figure is None else row.quantity.text(figure)


def _mark(paper: Published, row: Row, figure: Figure | None) -> str | None:
    """Return a figure of ours as text, marked where it differs from the published one."""
    if figure is None:
        return None
    known = paper.reference(row)
    differs = known is not None and figure.differs(known)
    return row.quantity.text(figure) + (f" {DIFFERS}" if differs else "")


def _record(paper: Published, row: Row, column: str, ours: Figure | None) -> dict[str, Any]:
    """Return one figure of ours for the CSV, and the published ones beside it."""
    known = paper.reference(row)
    record: dict[str, Any] = {"setup": row.setup, "quantity": row.quantity.name}
    for source in paper.sources:
        record |= _figure(f"{source}_", row.published.get(source))
    record["column"] = paper.columns.get(column, "")
    record["match"] = row.cells[column][0] if column else ""
    record |= _figure("", ours)
    record["differs"] = ours.differs(known) if ours and known else None
    record["notes"] = " ".join(row.notes)
    return record


def _figure(prefix: str, figure: Figure | None) -> dict[str, float | None]:
    """Return value, bounds and games of ``figure`` for the CSV, each behind ``prefix``."""
    keys = ("value", "low", "high", "games")
    return {prefix + key: None if figure is None else getattr(figure, key) for key in keys}


def strength(title: str, run: Measured, controls: Sequence[str]) -> Report:
    """Return a table of strength: win rates, and paired differences on the same games.

    ``controls``: labels of players with whom the others are compared, beside the first.
    """
    lines = list(run.lines.values())
    keys = ("match", "games", "wins", "win_rate", "parity", "accused_wrongly")
    records = [
        {key: line.to_json()[key] for key in keys}
        | {"low": line.rate.low, "high": line.rate.high, "ms_a_decision": line.milliseconds}
        for line in lines
    ]
    columns = (
        (tabular.words(""), "match"),
        (tabular.count("games"), "games"),
        ("games won, 95 %", "rate"),
        (tabular.Column("parity", lambda share: f"{100 * share:.0f} %"), "parity"),
        (tabular.count("accused wrongly"), "accused_wrongly"),
        (tabular.mean("ms per decision"), "milliseconds"),
    )
    notes = [_describe(pair) for pair in run.comparisons(controls)]
    return Report(tabular.Table.of(title, lines, columns, notes), records)


def _describe(pair: Comparison) -> str:
    return (
        f"{pair.second} minus {pair.first}, same {pair.games} games: {pair.difference}, "
        f"p {pair.p_holm:.2g} with Holm's correction"
    )


def make(table: Table, run: Measured, trial: bool) -> Report:
    """Return the report of ``table`` from its run; ``trial`` as `Report` has it."""
    title = _title(table, run)
    if table.robin:
        report = Report(*field.make(title, table, run))
    elif table.matrix is not None:
        report = Report(*matrix.make(title, table, run))
    elif table.published:
        report = compare_published(title, run, table.published)
    else:
        report = strength(title, run, table.controls)
    return mark_trial(report) if trial else report


def _title(table: Table, run: Measured) -> str:
    """Return the name and the purpose of the table, with its budget if all cells have the same."""
    title = f"{table.name}: {table.about}"
    if table.simulations is None:
        return title
    return f"{title}, at {_simulations(run):,} simulations"


def mark_trial(report: Report) -> Report:
    """Return ``report`` with the sentence that it is a trial."""
    shown = replace(report.shown, notes=[_TRIAL, *report.shown.notes])
    return replace(report, shown=shown, trial=True)


def store(name: str, report: Report, heading: Sequence[str], folder: Path) -> list[Path]:
    """Write ``report`` as Markdown and CSV to ``folder``, with lines above it.

    Raises Refusal if they cannot be written.
    """
    text, numbers = folder / f"{name}.md", folder / f"{name}.csv"
    rows = [list(record.values()) for record in report.records]
    with writing(folder, "choose another folder by write="):
        folder.mkdir(parents=True, exist_ok=True)
        write_text(text, _markdown(report, heading))
        tabular.write_csv(tabular.Table("", list(report.records[0]), rows), numbers)
    return [text, numbers]


def _markdown(report: Report, heading: Sequence[str]) -> str:
    title = f"# {markdown(report.shown.title)}"
    grid = tabular.markdown(replace(report.shown, title=""))
    return "\n".join([title, "", *heading, "", grid]).rstrip() + "\n"


def heading(table: Table, run: Measured, trial: bool) -> list[str]:
    """Return the Markdown above the table: command, budget, machine and versions.

    Raises Refusal if nothing was played.
    """
    if not run.lines:
        raise Refusal(f"{run.folder} holds no games of {table.name} yet: play some first")
    games = [tally.games for tally in run.played.tallies if tally.games]
    budget = None if table.simulations is None else _simulations(run)
    command = f"{COMMAND} {table.name} games={max(games)}"
    command += "" if budget is None else f" simulations={budget}"
    command += f" seed={run.played.matches[0].seed}{' fast=true' if trial else ''}"
    sentence = describe_games(games, budget, run.played.matches)
    joined = run.describe() if isinstance(run, Joined) else []
    return [
        *above(command, sentence, [runfolder.about(run.folder)]),
        *(line for sentence in joined for line in ("", sentence)),
    ]


def describe_games(games: Iterable[int], budget: int | None, matches: Sequence[Match]) -> str:
    """Return in a sentence how many ``games`` cells have, their budget, seed and rules."""
    rules = ", ".join(dict.fromkeys(f"`{match.rules['name']}`" for match in matches))
    searched = "" if budget is None else f", {budget:,} simulations per decision"
    return f"{span(games)} games per cell{searched}, seed {matches[0].seed}, rules {rules}."


def computed_heading(table: Computed, run: ComputedFigures, trial: bool) -> list[str]:
    """Return the Markdown above a computed table, as `heading`."""
    seed, repeats = run.settings["seed"], run.settings["repeats"]
    command = f"{COMMAND} {table.name} seed={seed}{' fast=true' if trial else ''}"
    times = f"; times are CPU seconds, the median of {repeats}" if table.repeats > 1 else ""
    return above(command, f"Seed {seed}{times}.", [run.about])


def above(command: str, sentence: str, runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the Markdown above a table: ``command``, ``sentence``, and where ``runs`` are from."""
    commits = ", ".join(dict.fromkeys(f"{run['commit']}" for run in runs))
    machines = "; ".join(dict.fromkeys(run["machine"] for run in runs))
    numbers: dict[str, dict[str, None]] = {}
    for name, number in (one for run in runs for one in run["versions"].items()):
        numbers.setdefault(name, {})[number] = None
    versions = ", ".join(f"{name} {' and '.join(found)}" for name, found in numbers.items())
    origin = markdown(f"Commit {commits}; {machines}; {versions}.")
    return [f"```\n{printable(command)}\n```", "", sentence, origin]


def _simulations(run: Measured) -> int:
    """Return the budget of a decision, of the first cell whose player searches."""
    return next(filter(None, map(simulations_of, run.played.matches)))

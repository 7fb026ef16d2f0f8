"""How a table is told: on the console, as Markdown and as CSV."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as Grid

from experiments.matches.schedule import Match
from experiments.runs import runfolder
from experiments.settings.commandline import Refusal
from experiments.stats.intervals import Estimate
from experiments.tables import ledford
from experiments.tables.cells import Table
from experiments.tables.figures import Figure, Measured

COMMAND = "python -m experiments.tables"
DIFFERS = "≠"

_TRIAL = "A trial: few and short games, of which the figures tell nothing."
_SOURCES = (
    "*text*: the thesis; *program*: the program released with it, its logs counted again or run "
    "again; two figures without a value are the least and the most of several set-ups."
)
_INTERVALS = (
    f"Intervals are of 95 %. {DIFFERS} stands where ours has nothing in common with the program's "
    "(the text's where there is none); the numbers behind it are the causes below."
)


@dataclass(frozen=True)
class Report:
    """A table in words, and its figures.

    Attributes
    ----------
    heads, rows : the columns and their words
    notes : sentences below it
    records : a row of the CSV each
    trial : whether it was played by ``--fast``
    """

    heads: list[str]
    rows: list[list[str]]
    notes: list[str]
    records: list[dict[str, Any]]
    trial: bool = False


def published(table: Table, run: Measured) -> Report:
    """Return one of `ledford.TABLES`, ours beside what was published."""
    rows = ledford.ROWS[table.name]
    columns = list(dict.fromkeys(column for row in rows for column in row.cells))
    numbers: dict[str, int] = {}

    def marks(keys: Sequence[str]) -> str:
        found = sorted(numbers.setdefault(key, len(numbers) + 1) for key in keys)
        return ", ".join(map(str, found))

    told, records = [], []
    for row in rows:
        known = row.program or row.text
        note = f" [{marks(row.notes)}]" if row.notes else ""
        line = [row.setup, row.quantity.name]
        line += [row.quantity.told(row.text), row.quantity.told(row.program)]
        line[2 if row.text else 1] += note
        for column in columns:
            match, player = row.cells.get(column, ("", ""))
            figure = row.quantity.measure(run, match, player) if match in run.lines else None
            apart = figure.apart(known) if figure and known else None
            causes = row.causes.get(column, ()) if apart else ()
            line.append(
                row.quantity.told(figure) + (f" {DIFFERS} [{marks(causes)}]" if apart else "")
            )
            if match:
                records.append(_record(row, column, match, figure, apart, causes))
        if not row.cells:
            records.append(_record(row, "", "", None, None, ()))
        told.append(line)
    notes = [_SOURCES, _INTERVALS]
    notes += [f"[{number}] {ledford.CAUSES[key]}" for key, number in numbers.items()]
    return Report(["set-up", "", "text", "program", *columns], told, notes, records)


def _record(
    row: ledford.Row,
    column: str,
    match: str,
    figure: Figure | None,
    apart: bool | None,
    causes: Sequence[str],
) -> dict[str, Any]:
    sources = {"text": row.text, "program": row.program, "ours": figure}
    record: dict[str, Any] = {"setup": row.setup, "quantity": row.quantity.name}
    for name, each in sources.items():
        if name == "ours":
            record |= {"column": column, "match": match}
        for key in ("value", "low", "high", "games"):
            record[key if name == "ours" else f"{name}_{key}"] = each and getattr(each, key)
    return {**record, "differs": apart, "causes": " ".join(causes)}


def strength(run: Measured) -> Report:
    """Return a table of strength: win rates, and who is better on the same games."""
    heads = ["", "games", "games won, 95 %", "parity", "accused wrongly", "ms a decision"]
    rows, records = [], []
    for line in run.lines.values():
        speed, decisions = line["simulations_per_second"], line["decisions"]
        ms = 1000 * line["simulations"] / speed / decisions if speed and decisions else None
        rows.append(
            [
                line["match"],
                str(line["games"]),
                str(Estimate(line["win_rate"], *line["ci95"])),
                f"{100 * line['parity']:.0f} %",
                str(line["accused_wrongly"]),
                "" if ms is None else f"{ms:.1f}",
            ]
        )
        low, high = line["ci95"]
        keys = ("match", "games", "wins", "win_rate", "parity", "accused_wrongly")
        records.append(
            {**{key: line[key] for key in keys}, "low": low, "high": high, "ms_a_decision": ms}
        )
    notes = [_sentence(each) for each in run.figures["comparisons"]]
    return Report(heads, rows, notes, records)


def _sentence(each: dict[str, Any]) -> str:
    found = Estimate(each["difference"], *each["ci95"])
    return (
        f"{each['second']} less {each['first']}, same {each['games']} games: {found}, "
        f"p {each['p_holm']:.2g} with Holm's correction"
    )


def make(table: Table, run: Measured, trial: bool) -> Report:
    """Return the report of ``table`` from its run; ``trial`` as `Report` has it."""
    report = published(table, run) if table.name in ledford.ROWS else strength(run)
    return replace(report, notes=[_TRIAL, *report.notes], trial=True) if trial else report


def show(table: Table, report: Report, console: Console) -> None:
    """Print ``report`` with its notes."""
    grid = Grid(title=f"{table.name}: {table.about}")
    for number, head in enumerate(report.heads):
        grid.add_column(head, justify="left" if number == 0 else "right")
    for row in report.rows:
        grid.add_row(*(each.replace("[", "\\[") for each in row))
    console.print(grid)
    for note in report.notes:
        console.print(note.replace("[", "\\["), soft_wrap=True)


def write(table: Table, report: Report, run: Measured, cores: int, folder: Path) -> list[Path]:
    """Write ``report`` as Markdown and CSV to ``folder``, named after the table.

    Parameters
    ----------
    cores : of this machine, for what a larger version costs

    Raises
    ------
    Refusal
        If they cannot be written, or there is nothing to write.
    """
    if not run.lines:
        raise Refusal(f"{run.folder} holds no games of {table.name} yet: play some first")
    text, numbers = folder / f"{table.name}.md", folder / f"{table.name}.csv"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text.write_text(_markdown(table, report, run, cores))
        with numbers.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(report.records[0]))
            writer.writeheader()
            writer.writerows(report.records)
    except OSError as fault:
        raise Refusal(f"--write {folder}: {fault.strerror}") from None
    return [text, numbers]


def _markdown(table: Table, report: Report, run: Measured, cores: int) -> str:
    about = runfolder.about(run.folder)
    versions = ", ".join(f"{name} {number}" for name, number in about["versions"].items())
    lines = [
        f"# {table.name}: {table.about}",
        "",
        f"```\n{_command(table, run, report.trial)}\n```",
        "",
        f"{_games(run)} games a cell{_budget(table, run)}, seed {run.played.matches[0].seed}, "
        f"rules `{run.played.matches[0].rules['name']}`.",
        f"Commit {about['commit']}; {about['machine']}; {versions}.",
        "",
        *_grid(report),
        "",
        *(f"{note}\n" for note in report.notes),
    ]
    larger = None if report.trial else _larger(table, run, cores)
    return "\n".join([*lines, larger] if larger else lines).rstrip() + "\n"


def _grid(report: Report) -> list[str]:
    rows = [report.heads, ["---"] * len(report.heads), *report.rows]
    return [f"| {' | '.join(row)} |" for row in rows]


def _games(run: Measured) -> str:
    found = {line["games"] for line in run.lines.values()}
    least, most = min(found), max(found)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def simulations_of(match: Match) -> int | None:
    """Return the budget of a decision of the measured player of ``match``, None for a policy."""
    return match.entrants[0].get("budget", {}).get("simulations")


def _budget(table: Table, run: Measured) -> str:
    if table.simulations is None:
        return ""
    return f", {simulations_of(run.played.matches[0]):,} simulations a decision"


def _command(table: Table, run: Measured, trial: bool) -> str:
    first = run.played.matches[0]
    told = f"{COMMAND} {table.name} --games {max(line['games'] for line in run.lines.values())}"
    if table.simulations is not None:
        told += f" --simulations {simulations_of(first)}"
    return f"{told} --seed {first.seed}{' --fast' if trial else ''}"


def _larger(table: Table, run: Measured, cores: int) -> str | None:
    """Return how to play the published budget, and what it would cost here."""
    searched = [line for line in run.lines.values() if line["simulations_per_second"]]
    if table.name not in ledford.ROWS or table.compiled or not searched:
        return None
    games, budget = ledford.PUBLISHED_GAMES, ledford.PUBLISHED_SIMULATIONS
    seconds = sum(
        games * line["decisions"] / line["games"] * budget / line["simulations_per_second"]
        for line in searched
    )
    return (
        f"The published budget, {budget:,} simulations a decision and {games:,} games a cell, "
        f"takes about {seconds / 3600 / cores:,.0f} hours on {cores} cores by the speed measured "
        f"here; it can be interrupted, and the same command goes on:\n\n```\n{COMMAND} "
        f"{table.name} --games {games} --simulations {budget} --folder outputs/tables-published\n"
        "```"
    )

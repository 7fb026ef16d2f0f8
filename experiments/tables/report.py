"""Reports of tables: on the console, as Markdown and as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments import tabular
from experiments.matches.schedule import Match
from experiments.provenance.files import write_text, writing
from experiments.tables.measured import Measured
from experiments.tabular import Field, view
from experiments.texts import markdown, printable, span


@dataclass(frozen=True)
class Report:
    """A table as text, and its figures.

    ``shown``: the table to show, with sentences below it; ``records``: the rows and columns of the
    CSV.
    """

    shown: tabular.Table
    records: list[dict[str, Any]]


def strength(title: str, run: Measured, controls: Sequence[str]) -> Report:
    """Return a table of strength: win rates, and paired differences on the same games.

    ``controls``: labels of players that the others are compared with, in addition to the first.
    """
    fields = (
        Field("match", tabular.words(""), "match"),
        Field("games", tabular.count("games"), "games"),
        Field("wins", csv="wins"),
        Field(lambda line: line.rate.value, csv="win_rate"),
        Field("rate", "games won, 95 %"),
        Field("parity", tabular.Column("parity", lambda share: f"{100 * share:.0f} %"), "parity"),
        Field("accused_wrongly", tabular.count("accused wrongly"), "accused_wrongly"),
        Field(lambda line: line.rate.low, csv="low"),
        Field(lambda line: line.rate.high, csv="high"),
        Field("milliseconds", tabular.mean("ms per decision"), "ms_a_decision"),
    )
    pairs = run.comparisons(controls)
    notes = [f"{it.second} minus {it.first}: {it.difference}, p {it.p_holm:.2g}" for it in pairs]
    if pairs:
        games = span(pair.games for pair in pairs)
        about = "games; p has Holm's correction over those with one control."
        notes.append(f"Differences are of the same {games} {about}")
    return Report(*view(title, run.lines.values(), fields, notes))


def store(name: str, report: Report, heading: Sequence[str], folder: Path) -> list[Path]:
    """Write ``report``, below the lines of ``heading``, as Markdown and CSV to ``folder``.

    Raises Refusal if the folder is not writable.
    """
    text, numbers = folder / f"{name}.md", folder / f"{name}.csv"
    rows = [list(record.values()) for record in report.records]
    grid = tabular.markdown(replace(report.shown, title=""))
    page = "\n".join([f"# {markdown(report.shown.title)}", "", *heading, "", grid])
    with writing(folder, "choose another folder by write="):
        folder.mkdir(parents=True, exist_ok=True)
        write_text(text, page.rstrip() + "\n")
        tabular.write_csv(tabular.Table("", list(report.records[0]), rows), numbers)
    return [text, numbers]


def describe_games(games: Iterable[int], budget: int | None, matches: Sequence[Match]) -> str:
    """Return a sentence with the ``games`` per cell, their budget, seed and rules."""
    rules = ", ".join(dict.fromkeys(f"`{match.rules['name']}`" for match in matches))
    searched = "" if budget is None else f", {budget:,} simulations per decision"
    return f"{span(games)} games per cell{searched}, seed {matches[0].seed}, rules {rules}."


def above(command: str, sentence: str, runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the Markdown above a table: ``command``, ``sentence``, and provenance of ``runs``."""
    commits = ", ".join(dict.fromkeys(f"{run['commit']}" for run in runs))
    machines = "; ".join(dict.fromkeys(run["machine"] for run in runs))
    numbers: dict[str, dict[str, None]] = {}
    for name, number in (one for run in runs for one in run["versions"].items()):
        numbers.setdefault(name, {})[number] = None
    versions = ", ".join(f"{name} {' and '.join(found)}" for name, found in numbers.items())
    origin = markdown(f"Commit {commits}; {machines}; {versions}.")
    return [f"```\n{printable(command)}\n```", "", sentence, origin]

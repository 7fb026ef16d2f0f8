"""Results of the contest in figures and in a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.contest.entrants import Entrant
from benchmarks.contest.game import Result
from experiments import study
from experiments.provenance import provenance
from experiments.provenance.files import read_yaml, write_text
from experiments.stats.intervals import Estimate, win_rate
from experiments.tabular import Table, count, markdown, words

ROWS = study.Rows(
    file="contest.parquet",
    units="games",
    schema={
        "game": pl.Int64,
        "players": pl.Int64,
        "seat": pl.Int64,
        "entry": pl.String,
        "won": pl.Boolean,
        "counts": pl.Boolean,  # false for players at a table where another broke a rule
        "rounds": pl.Int64,
        "fault": pl.String,  # the server's words on the rule that this entry broke
        "slowest": pl.Float64,  # seconds of the slowest answer
    },
    more=("games", "page"),
    numbered="game",
)
"""One row per game and seat."""


def rows_of(
    game: int, seated: Sequence[str], entered: Sequence[Entrant], result: Result
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a game; a rule-breaker has lost it, and for the others it is void."""
    for seat, (entry, entrant) in enumerate(zip(seated, entered, strict=True)):
        yield {
            "game": game,
            "players": len(seated),
            "seat": seat,
            "entry": entry,
            "won": seat == result.winner,
            "counts": result.offender in (None, seat),
            "rounds": result.rounds,
            "fault": result.fault if seat == result.offender else None,
            "slowest": entrant.slowest,
        }


def describe(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Return `figures` as values for JSON."""
    return [
        {**line, "rates": {str(number): vars(rate) for number, rate in line["rates"].items()}}
        for line in figures(rows)
    ]


def figures(rows: pl.DataFrame) -> list[dict[str, Any]]:
    """Return one line per entry, by decreasing success: its win rates, and its faults.

    ``rates`` are `Estimate` by number of players, and of all games under 0.
    """
    lines = []
    for (name,), own in rows.group_by(["entry"], maintain_order=True):
        counted = own.filter("counts")
        rates: dict[int, Estimate] = {}
        for number in (0, *sorted(counted["players"].unique())):
            part = counted if number == 0 else counted.filter(pl.col("players") == number)
            if len(part):
                rates[number] = win_rate(int(part["won"].sum()), len(part))
        lines.append(
            {
                "entry": name,
                "games": len(counted),
                "wins": int(counted["won"].sum()),
                "rates": rates,
                "faults": int(own["fault"].is_not_null().sum()),
                "slowest": own["slowest"].max(),
            }
        )
    return sorted(lines, key=lambda line: -line["rates"][0].value if line["rates"] else 0.0)


def show(folder: Path) -> tuple[Table, list[dict[str, Any]]]:
    """Return the table of the rows in ``folder``, and its figures for a CSV."""
    held = read_yaml(folder / study.CONFIG)
    rows = pl.read_parquet((folder / ROWS.file).read_bytes())
    records = [
        {key: line[key] for key in ("entry", "games", "wins", "faults", "slowest")}
        | {f"won {number or 'all'}": rate.value for number, rate in line["rates"].items()}
        for line in figures(rows)
    ]
    return table(rows, held["limit"], held["seed"]), records


def table(rows: pl.DataFrame, limit: int, seed: int) -> Table:
    """Return the table for the terminal and the page."""
    lines = figures(rows)
    numbers = sorted(rows["players"].unique())
    columns: list[Any] = [
        (words("entry"), "entry"),
        (count("games"), "games"),
        (count("wins"), "wins"),
        ("all games", partial(_rate, 0)),
    ]
    for number in numbers:
        columns.append((f"{number} players", partial(_rate, number)))
    columns += [
        (count("faults"), "faults"),
        ("slowest answer", lambda line: f"{line['slowest']:.1f} s"),
    ]
    games = rows["game"].n_unique()
    notes = [
        f"win rates with 95 % intervals (Wilson); {games:,} games, order of tables by seed {seed}, "
        f"deals drawn by the server; {limit} s an answer",
        "a fault is a rule that the entry broke: that game is lost for it, and does not count for "
        "the others",
    ]
    return Table.of("Speed Clue contest", lines, columns, notes)


def _rate(number: int, line: dict[str, Any]) -> str:
    return str(line["rates"].get(number, ""))


def write(result: Table, path: Path) -> None:
    """Write the page."""
    write_text(path, f"```\n{provenance.command()}\n```\n\n{markdown(result)}")

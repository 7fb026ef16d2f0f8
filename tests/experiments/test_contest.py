"""The contest's command: tournaments at a server that stands in for the contest's, and a visit."""

from __future__ import annotations

import os
import sys
from collections import Counter
from itertools import permutations
from pathlib import Path

import polars as pl
import pytest

from benchmarks.contest import report
from benchmarks.contest.__main__ import COMMAND
from benchmarks.contest.schedule import Schedule

HERE = Path(__file__).parent
ENTRY = f"{sys.executable} {HERE / 'contest_entry.py'} {{name}} {{port}}"


@pytest.fixture
def contest(tmp_path, monkeypatch, run_study):
    """Run the command with programs that stand in for Java and the entries."""
    programs, jar = tmp_path / "bin", tmp_path / "contest.jar"
    programs.mkdir()
    stand_in = (HERE / "contest_java.py").read_text()
    here = "Path(__file__).resolve().parents[1]"
    java = programs / "java"
    java.write_text(f"#!{sys.executable}\n{stand_in.replace(here, f'Path({str(HERE.parent)!r})')}")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    jar.touch()

    def run(*arguments, entries=("one", "two"), faults=()):
        ours = {name: ENTRY for name in entries} | {name: f"{ENTRY} {name}" for name in faults}
        usual = ["Spock", "Inference", "Ray", "Simple", "Random"]
        return run_study(
            COMMAND,
            f"classes={jar}",
            *(f"~entries.{name}" for name in usual),
            *(f"+entries.{name}='{command}'" for name, command in ours.items()),
            "player=swift",
            "numbers=[3]",
            "limit=30",
            *arguments,
        )

    return run


def rows_in(outcome):
    return pl.read_parquet(outcome.folder / report.ROWS.file)


def test_a_tournament_is_played_and_reported(contest, tmp_path):
    page = tmp_path / "page.md"
    outcome = contest("games=6", f"page={page}")
    assert outcome.code == 0, outcome.err
    rows = rows_in(outcome)
    tables = {tuple(seats["entry"]) for _, seats in rows.sort("seat").group_by("game")}
    assert tables == set(permutations(["swift", "one", "two"]))
    assert rows.filter("won").height == 6 and rows["counts"].all()
    by_name = {line["entry"]: line for line in outcome.summary["entries"]}
    assert by_name["swift"]["games"] == 6 and by_name["swift"]["wins"] >= 4
    assert "| swift |" in page.read_text() and "95 %" in page.read_text()


@pytest.mark.nightly
@pytest.mark.parametrize("fault", ["nonsense", "dies"])
def test_a_fault_is_its_authors_and_the_tournament_goes_on(fault, contest):
    outcome = contest("games=2", entries=["one"], faults=[fault])
    assert outcome.code == 0, outcome.err
    rows = rows_in(outcome)
    assert (rows.filter(pl.col("fault").is_not_null())["entry"] == fault).all()
    assert (rows.filter(~pl.col("counts"))["entry"] != fault).all()
    assert rows.filter(pl.col("fault").is_not_null()).height > 0


REFUSED = [
    (("+entries.Ray='python3 {folder}/ray.py'",), "entries.Ray has {folder}: give folder=PATH"),
    (("entries.one='no_such_program {name}'",), "entries.one cannot be started"),
    (("player=bn",), "needs hands by category"),
]


@pytest.mark.parametrize(("arguments", "sentence"), REFUSED)
def test_what_cannot_be_played_is_refused_in_a_line(arguments, sentence, contest):
    outcome = contest("games=1", *arguments)
    assert outcome.code == 1 and sentence in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_every_permutation_once_before_any_twice():
    plan = Schedule(("a", "b", "c", "d"), (3, 4), 24, None, 7)
    tables = [plan.seats(unit) for unit in range(plan.units)]
    assert {len(table) for table in tables[:2]} == {3, 4}
    for number in (3, 4):
        found = [table for table in tables if len(table) == number]
        assert sorted(found) == sorted(permutations("abcd", number))
    again = Schedule(("a", "b", "c", "d"), (3,), 48, None, 7)
    counted = Counter(again.seats(unit) for unit in range(again.units))
    assert set(counted.values()) == {2}
    other = Schedule(("a", "b", "c", "d"), (3, 4), 24, None, 8)
    assert [other.seats(unit) for unit in range(plan.units)] != tables

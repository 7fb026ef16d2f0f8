"""The study of one file: `examples/first_seat.py` has all that a study has."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from examples import first_seat

COMMAND = first_seat.STUDY.command


def test_it_counts_wins_by_seat_and_is_continued(run_study, tmp_path):
    outcome = run_study(COMMAND, "games=300", "policy=swift")
    assert outcome.code == 0, outcome.err
    rows = pl.read_parquet(outcome.folder / "seats.parquet")
    assert rows.columns == ["block", "seat", "games", "wins"] and rows.height == 3 * 4
    assert "swift among equals, parity 25 %" in outcome.out
    assert outcome.summary["run"]["command"].endswith("games=300 policy=swift")
    (table,) = [value for key, value in outcome.summary.items() if "among equals" in key]
    assert [line[1] for line in table] == ["300"] * 4
    assert (outcome.folder / "first_seat.png").read_bytes().startswith(b"\x89PNG")
    more = run_study(COMMAND, "games=400", "policy=swift", f"run.resume={tmp_path / 'out'}")
    assert more.code == 0, more.err
    found = pl.read_parquet(outcome.folder / "seats.parquet")
    assert found.head(12).equals(rows) and found.height == 16
    assert found["wins"].sum() > 0.9 * 400, "most games have a winner, each one"


def test_ctrl_c_keeps_what_is_done(run_study, monkeypatch):
    real, asked = first_seat.measure, []

    def press(settings, block):
        asked.append(block)
        if len(asked) == 3:  # the first compiles
            raise KeyboardInterrupt
        return real(settings, block)

    interrupted = replace(first_seat.STUDY, measure=press)
    outcome = run_study(interrupted.command, "games=300")
    assert outcome.code == 130 and "interrupted after 1 blocks, kept in" in outcome.err
    assert outcome.summary["interrupted"] and not list(outcome.folder.glob("*.png"))


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("games=150", "games=150: give a multiple of 100"),
        ("players=2", "players=2: must be at least 3"),
        ("policy=swfit", "policy=swfit: choose one of"),
        ("polcy=swift", "did you mean policy?"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(run_study, typed, reason):
    outcome = run_study(COMMAND, typed)
    assert outcome.code == 1 and reason in outcome.err and outcome.err.count("\n") == 1


def test_help_needs_no_file(run_study):
    outcome = run_study(COMMAND, "--help")
    assert outcome.code == 0 and "the value of moving first" in outcome.out

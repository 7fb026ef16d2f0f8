"""The study of one file: `examples/first_seat.py` has all that a study has."""

from __future__ import annotations

import polars as pl

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
    more = run_study(COMMAND, "games=400", "policy=swift", f"run.folder={tmp_path / 'out'}")
    assert more.code == 0, more.err
    found = pl.read_parquet(outcome.folder / "seats.parquet")
    assert found.head(12).equals(rows) and found.height == 16
    assert found["wins"].sum() > 0.9 * 400, "most games have a winner, each one"

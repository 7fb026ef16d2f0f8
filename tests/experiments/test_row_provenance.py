"""Rows of several runs lie in one table: each says which run, games, code and settings it is of."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq

from experiments.matches import results, row_provenance
from experiments.matches.row_provenance import KEYS, player_digest, run_of
from experiments.provenance import provenance
from tests.experiments.rows import read_rows

PAGE = Path(__file__).resolve().parents[2] / "docs" / "parquet.md"
QUIET = "tracking.enabled=false"
SMALL = ("player=swift", "opponent=heuristic", "match.workers=1", "match.games=12", QUIET)


def without_keys(folder):
    """Make the parts in ``folder`` those of an older version."""
    for part in folder.rglob("*.parquet"):
        pq.write_table(pq.read_table(part).drop_columns(KEYS.names), part)
    path = folder / row_provenance.MATCHES_FILE
    if path.exists():
        held = json.loads(path.read_text())
        del held[row_provenance.RUN]
        path.write_text(json.dumps(held))


def test_two_points_of_a_multirun_are_told_apart(run_compare):
    ran = run_compare("-m", *SMALL, "player.threshold=0.3,0.9", "run.details=[suggestions]")
    assert ran.code == 0, ran.err
    for kind in ("games", "suggestions"):
        rows = pl.read_parquet(ran.folder / "*" / f"{kind}-*.parquet")
        assert rows.select("match").unique().height == 1, "by name they are one"
        swift = rows.filter(pl.col("player") == "swift")
        assert swift.select("run", "player_digest").unique().height == 2
        others = rows.filter(pl.col("player") == "heuristic")
        assert others.select("player_digest").unique().height == 1
        assert rows["seed"].unique().to_list() == [0]
        assert rows["commit"].unique().to_list() == [provenance.commit()]
    runs = {run_of(ran.folder / part) for part in "01"}
    assert set(rows["run"].unique()) == runs and None not in runs
    summaries = [json.loads((ran.folder / part / "summary.json").read_text()) for part in "01"]
    assert {summary["run"]["id"] for summary in summaries} == runs


def test_a_digest_is_of_the_settings_whatever_they_are_called():
    player = {"name": "swift", "label": "a", "threshold": 0.3}
    assert player_digest(player) == player_digest({**player, "label": "b"})
    assert player_digest(player) != player_digest({**player, "threshold": 0.4})


def test_folders_of_older_versions_are_read_and_gone_on_with(run_compare):
    begun = run_compare(*SMALL)
    assert begun.code == 0, begun.err
    rows = read_rows(begun.folder)
    without_keys(begun.folder)
    assert read_rows(begun.folder).equals(rows)
    known = run_of(begun.folder)
    again = run_compare(*SMALL, "match.games=24", f"run.folder={begun.folder}")
    assert again.code == 0, again.err
    assert read_rows(begun.folder).num_rows == 24 * 4
    old, new = (pq.read_table(part) for part in results.parts(begun.folder))
    assert not set(KEYS.names) & set(old.column_names)
    assert set(new["run"].to_pylist()) == {known} != {None}


def test_the_page_runs(run_compare, tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    assert len(blocks) == 2
    monkeypatch.chdir(tmp_path)
    assert run_compare("-m", *SMALL, "player.threshold=0.3,0.9", "run.folder=outputs/a").code == 0
    assert run_compare(*SMALL, "run.folder=outputs/old").code == 0
    without_keys(tmp_path / "outputs" / "old")
    for block in blocks:
        if "import duckdb" in block and find_spec("duckdb") is None:
            continue  # pip install duckdb
        found = {}
        exec(compile(block, str(PAGE), "exec"), found)
        shown = found["shown"]
        rates = shown.rows() if isinstance(shown, pl.DataFrame) else shown.fetchall()
        assert len(rates) == 3, "a line for each run"
        assert {row[-2] for row in rates} == {12}, "with its games"

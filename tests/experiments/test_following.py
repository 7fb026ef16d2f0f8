"""A report reads each part of a run once."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from experiments.matches import part_files
from experiments.matches.details import SUGGESTION
from experiments.matches.results import Played, Results
from experiments.report import run as report
from experiments.runs import runfolder


def suggestions(match, games):
    """Return a row of a suggestion for each of ``games``."""
    texts = dict.fromkeys(("player", "suspect", "weapon", "room"), "bmcts")
    counts = {"turn": 1, "known": 0, "own": 0, "answered_by": -1}
    bits = {"entropy_before": 1.0, "entropy_after": 0.5}
    same = {**texts, **counts, **bits, "match": match.name}
    return pa.Table.from_pylist([{**same, "game": at, "seat": at % 4} for at in games], SUGGESTION)


@pytest.fixture
def fill(tmp_path, match, rows):
    """Write a run of so many parts, a game each with a suggestion."""

    def make(parts, folder=tmp_path / "run"):
        runfolder.claim(folder, [match], "games")
        kept = Results.resume(folder, [match])
        for game in range(parts):
            more = {"suggestions": suggestions(match, [game])}
            kept.add(0, Played(rows([game]), details=more))
            kept.flush()
        return folder

    return make


@pytest.fixture
def count_opened(monkeypatch):
    """Counts how often each file is opened."""
    count = Counter()

    def note(owner, name):
        real = getattr(owner, name)

        def call(path, *given, **more):
            count[path] += 1
            return real(path, *given, **more)

        monkeypatch.setattr(owner, name, call)

    note(pq, "ParquetFile")
    note(Path, "read_bytes")
    return count


def test_each_of_three_hundred_parts_is_opened_once(fill, match, rows, count_opened):
    folder = fill(1)
    table = rows(range(300))
    for number in range(300):
        of_one = table.slice(4 * number, 4)
        pq.write_table(of_one, folder / f"games-{number:05d}.parquet", store_schema=False)
    count_opened.clear()
    assert report.load(folder, "run").played.games == 300
    assert {path: n for path, n in count_opened.items() if path.parent == folder} == Counter(
        part_files.parts(folder) + part_files.parts(folder, "suggestions")
    )


def test_a_report_reads_merged_parts(fill):
    folder = fill(3)
    for kind in ("suggestions", "games"):  # as an older version merged them
        parts = part_files.parts(folder, kind)
        rows = pa.concat_tables(map(pq.read_table, parts))
        for part in parts:
            part.unlink()
        pq.write_table(rows, folder / f"{kind}-00000-00002.parquet", store_schema=False)
    fill(5, folder=folder)
    names = [part.name for part in part_files.parts(folder)]
    assert names == ["games-00000-00002.parquet", "games-00003.parquet", "games-00004.parquet"]
    assert report.load(folder, "run").played.games == 5

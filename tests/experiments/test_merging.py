"""Parts of a run are merged: no instant loses a row or doubles one, and each is opened once."""

import os
import shutil
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from experiments.matches import merging, part_files
from experiments.matches.details import SUGGESTION
from experiments.matches.results import ROW, Played, Results
from experiments.report import run as report
from experiments.runs import runfolder
from experiments.runs.live import Followed
from experiments.runs.rows import by_part
from experiments.settings.commandline import Refusal

KEYS = ["game", "seat"]


class Killed(BaseException):
    """The process ends here."""


def suggestions(match, games):
    """Return a row of a suggestion for each of ``games``."""
    texts = dict.fromkeys(("player", "suspect", "weapon", "room"), "bmcts")
    counts = {"turn": 1, "known": 0, "own": 0, "answered_by": -1}
    bits = {"entropy_before": 1.0, "entropy_after": 0.5}
    same = {**texts, **counts, **bits, "match": match.name}
    return pa.Table.from_pylist([{**same, "game": at, "seat": at % 4} for at in games], SUGGESTION)


@pytest.fixture
def few(monkeypatch):
    """Merge four parts at a time, so that few make a long run."""
    monkeypatch.setattr(merging, "TOGETHER", 4)


@pytest.fixture
def fill(tmp_path, match, rows):
    """Write a run of so many parts, a game each, those ``without`` excepted with suggestions."""

    def make(parts, without=(), folder=tmp_path / "run"):
        runfolder.claim(folder, [match], "games", resume=True)
        kept = Results.resume(folder, [match])
        for game in range(parts):
            more = {} if game in without else {"suggestions": suggestions(match, [game])}
            kept.add(0, Played(rows([game]), details=more))
            kept.flush()
        return folder

    return make


def games(folder, kind="games"):
    """Return which games have rows, and how many, as a report reads them."""
    found = by_part(folder, kind, lambda part: part.select(*KEYS))
    return sorted(found.iter_rows())


def test_a_long_run_leaves_few_parts_with_the_same_rows(few, fill, match, rows):
    folder = fill(70, without=range(3))
    spans = [part_files.span_of(part) for part in part_files.parts(folder)]
    assert spans == [(0, 63), (64, 67), (68, 68), (69, 69)]
    assert len(list(folder.glob("*.parquet"))) == 2 * len(spans), "nothing is left over"
    held = pa.concat_tables(part_files.read(part, ROW) for part in part_files.parts(folder))
    assert held.equals(rows(range(70)))
    assert games(folder, "suggestions") == [(game, game % 4) for game in range(3, 70)]
    assert Results.resume(folder, [match]).games == 70


@pytest.mark.parametrize("merged", [0, 1], ids=["parts", "merged parts"])
def test_who_is_killed_at_any_instant_loses_no_row_and_doubles_none(
    merged, few, fill, match, tmp_path, monkeypatch
):
    """Before each file is written, renamed or removed, and after; then the run goes on."""
    with monkeypatch.context() as without:
        without.setattr(merging, "merge_parts", lambda _: None)
        folder = fill(16 if merged else 5)
    for _ in range(merged):
        merging.merge_parts(folder)
    before = games(folder), games(folder, "suggestions")
    done, instants, doubled = False, 0, 0
    while not done:
        at = tmp_path / f"killed-{instants}"
        shutil.copytree(folder, at)
        with kill(instants):
            merging.merge_parts(at)
            done = True
        assert (games(at), games(at, "suggestions")) == before, instants
        assert Results.resume(at, [match]).games == len(before[0]) // 4
        files = [
            pq.read_table(part, columns=["game"]) for part in part_files.all_parts(at, "games")
        ]
        doubled += sum(table.num_rows for table in files) > len(before[0])
        merging.merge_parts(at)
        assert (games(at), games(at, "suggestions")) == before
        names = ["00000-00015"] if merged else ["00000-00003", "00004"]
        left = [f"{kind}-{name}.parquet" for kind in ("games", "suggestions") for name in names]
        assert sorted(path.name for path in at.glob("*.parquet")) == left
        instants += 1
    assert instants > 20 and doubled > 5, "the control: there were rows in two files"


@contextmanager
def kill(instant):
    """End the process before or after the call of the file system with this number."""
    count = iter(range(10**6))
    with pytest.MonkeyPatch.context() as patch:
        for owner, name in (
            (pq, "write_table"),
            (os, "fsync"),
            (Path, "replace"),
            (Path, "unlink"),
        ):
            patch.setattr(owner, name, _mortal(getattr(owner, name), count, instant))
        with suppress(Killed):
            yield


def _mortal(real, count, instant):
    def call(*given, **more):
        if next(count) == instant:
            raise Killed
        made = real(*given, **more)
        if next(count) == instant:
            raise Killed
        return made

    return call


def test_a_part_that_cannot_be_merged_stays(few, fill, match):
    """The run goes on; a report names the part that is wrong."""
    folder = fill(3)
    (folder / "suggestions-00001.parquet").write_bytes(b"PAR1 overwritten")
    fill(6, folder=folder)
    assert len(part_files.parts(folder)) == 6 and len(games(folder)) == 24
    with pytest.raises(Refusal, match=r"suggestions-00001\.parquet cannot be read"):
        report.load(folder, "run")
    (folder / "suggestions-00001.parquet").unlink()
    os.mkfifo(folder / "suggestions-00001.parquet")
    merging.merge_parts(folder)
    assert len(part_files.parts(folder)) == 6, "nobody waits for a writer of a pipe"
    (folder / "games-00002.parquet").unlink()
    (folder / "games-00002.parquet").symlink_to("nowhere")
    with pytest.raises(Refusal, match=r"games-00002\.parquet cannot be read"):
        report.load(folder, "run")


def test_parts_of_an_older_version_are_merged_with_new_ones(few, fill):
    folder = fill(3)
    old = pq.read_table(folder / "games-00000.parquet").drop_columns(["faults", "run"])
    pq.write_table(old, folder / "games-00000.parquet", store_schema=False)
    fill(4, folder=folder)
    (part,) = part_files.parts(folder)
    assert part_files.read(part, ROW)["faults"].to_pylist() == [0] * 16
    assert pq.read_table(part)["run"].null_count == 4


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
    note(pl, "scan_parquet")
    return count


def test_each_of_two_thousand_parts_is_opened_once(fill, match, rows, count_opened):
    """By the page of a run, which then opens the new ones alone, and by a report."""
    folder = fill(1)
    table = rows(range(2000))
    for number in range(2000):
        of_one = table.slice(4 * number, 4)
        pq.write_table(of_one, folder / f"games-{number:05d}.parquet", store_schema=False)
    parts, followed = part_files.parts(folder), Followed(folder)
    count_opened.clear()
    assert followed.tallies().games == 2000
    assert count_opened == Counter(parts)
    count_opened.clear()
    assert followed.tallies().games == 2000 and not count_opened
    pq.write_table(rows([2000]), folder / "games-02000.parquet", store_schema=False)
    assert followed.tallies().games == 2001
    assert count_opened == Counter(part_files.parts(folder)[-1:])
    count_opened.clear()
    assert report.load(folder, "run").played.games == 2001
    assert {path: n for path, n in count_opened.items() if path.parent == folder} == Counter(
        part_files.parts(folder) + part_files.parts(folder, "suggestions")
    )


def test_what_is_followed_may_be_merged_meanwhile(few, fill, match, count_opened, monkeypatch):
    folder = fill(3)
    followed = Followed(folder)
    assert followed.tallies().games == 3
    fill(4, folder=folder)  # three of which have been read, in one part now
    assert followed.tallies().games == 4
    fill(8, folder=folder)
    assert followed.tallies().games == 8
    count_opened.clear()
    fill(9, folder=folder)
    with monkeypatch.context() as slow:
        real = part_files.read_checked
        calls = []

        def late(group, *given):
            calls.append(group)
            if len(calls) == 1:
                fill(12, folder=folder)  # the part that is to be read is gone
            return real(group, *given)

        slow.setattr(part_files, "read_checked", late)
        assert followed.tallies().games == 12 and len(calls) > 1
    damaged = part_files.parts(folder)[0]
    damaged.write_bytes(b"PAR1 overwritten")
    with pytest.raises(Refusal, match="cannot be read"):
        followed.tallies()
    damaged.unlink()
    assert followed.tallies().games == 8, "what was removed does not count"

"""Games that were played are kept, and a run that goes on ends as one that was never disturbed."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import mlflow
import pytest

from experiments.matches import results
from tests.experiments.rows import read_rows

GAMES = 6000
SETTINGS = ("player=heuristic", f"match.games={GAMES}", "run.records=2")
QUIET = "tracking.enabled=false"

HASTY = Path(__file__).with_name("hasty.py")


@pytest.fixture(scope="module")
def undisturbed_rows(tmp_path_factory):
    """Rows of the run that nothing happened to, played in this process."""
    from dataclasses import replace

    from experiments.matches import lineups, play
    from experiments.settings import config

    settings = config.compose("compare", SETTINGS)
    (match,) = lineups.matches(settings)
    rows = play.portion(replace(match, records=0), range(GAMES)).rows.cast(results.ROW)
    return rows.sort_by([("game", "ascending"), ("seat", "ascending")])


def same(folder: Path, undisturbed_rows) -> bool:
    """Return whether the run in ``folder`` has lost no row, doubled none and changed none."""
    return read_rows(folder).equals(undisturbed_rows)


def test_a_killed_driver(run_compare, ray_session, database, undisturbed_rows, tmp_path):
    folder = tmp_path / "killed"
    settings = (*SETTINGS, f"run.folder={folder}", f"tracking.uri={database}")
    process = subprocess.Popen([sys.executable, HASTY, *settings], stdout=subprocess.DEVNULL)
    while len(results.parts(folder)) < 2:  # the record is begun after the first
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = read_rows(folder)
    assert 0 < kept.num_rows < undisturbed_rows.num_rows
    assert _status(database) == ["RUNNING"]
    outcome = run_compare(*settings)
    assert outcome.code == 0, outcome.err
    assert same(folder, undisturbed_rows)
    assert len(list((folder / results.RECORDS).glob("game-*"))) == 2
    assert _status(database) == ["FINISHED"], "the record is taken up"


def test_another_process_ends_the_run_of_one_that_was_killed(
    run_compare, database, undisturbed_rows, tmp_path
):
    folder = tmp_path / "shared"
    settings = (*SETTINGS, f"run.folder={folder}", f"tracking.uri={database}", "match.workers=1")
    process = subprocess.Popen(
        [sys.executable, HASTY, *settings],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "SLOWLY": "1"},
    )
    while not results.parts(folder):
        assert process.poll() is None
        time.sleep(0.01)

    def kill():
        while not any(folder.glob("games-s01-*.parquet")):
            time.sleep(0.01)
        process.kill()

    Thread(target=kill, daemon=True).start()
    outcome = run_compare(*settings)
    assert process.wait() == -signal.SIGKILL, "it was killed while the other played"
    assert outcome.code == 0, outcome.err
    assert same(folder, undisturbed_rows)
    writers = {part.name[:9] for part in results.parts(folder)}
    assert writers == {"games-000", "games-s01"}
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["table"][0]["games"] == GAMES and not summary["interrupted"]
    assert _status(database) == ["FINISHED"]


@pytest.mark.nightly
def test_a_disk_that_is_full(run_compare, ray_session, undisturbed_rows, tmp_path, monkeypatch):
    folder = tmp_path / "full"
    settings = (*SETTINGS, f"run.folder={folder}", QUIET)
    flush = results.Results.flush
    monkeypatch.setattr(results, "FLUSH_SECONDS", (0.0, 0.0))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def flush_and_fill(self):
        flush(self)
        # Behind the first part, whatever it holds, no file may have the bytes of the smallest.
        if results.parts(folder):
            resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, before[1]))

    monkeypatch.setattr(results.Results, "flush", flush_and_fill)
    try:
        outcome = run_compare(*settings)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    monkeypatch.setattr(results.Results, "flush", flush)
    assert outcome.code == 1
    assert "results cannot be written (File too large): free disk space" in outcome.err
    assert outcome.err.count("\n") == 1, outcome.err
    kept = read_rows(folder).num_rows // 4
    assert 0 < kept < GAMES
    assert f"; {kept} of {GAMES} games were played, kept in" in outcome.err
    assert run_compare(*settings).code == 0
    assert same(folder, undisturbed_rows)


def _status(uri: str) -> list[str]:
    """Return the status of each run in the database."""
    client = mlflow.MlflowClient(uri)
    experiment = client.get_experiment_by_name("compare")
    return [run.info.status for run in client.search_runs([experiment.experiment_id])]

"""The MLflow record says what was run, and never costs a run."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import mlflow
import pytest

from experiments.provenance import tracking
from experiments.settings import signals
from experiments.settings.commandline import Refusal


def _drop_metrics(uri: str) -> None:
    with sqlite3.connect(uri.removeprefix("sqlite:///")) as database:
        database.execute("DROP TABLE metrics")


def _tracker(uri: str, folder: Path) -> tracking.Tracker:
    parameters = {"player": {"name": "bmcts", "budget": {"seconds": None}}, "seed": 0}
    tracker = tracking.Tracker(tracking.Store(uri, "trial", folder))
    tracker.begin("a run", parameters, {"version.numpy": "2"}, folder)
    return tracker


def test_a_store_that_fails_later_costs_the_record_only(database, tmp_path):
    tracker = _tracker(database, tmp_path)
    _drop_metrics(database)
    tracker.record(1, games=1)
    tracker.finish("FINISHED", {}, 1, [])
    assert "metrics" in tracker.store.aside.fault


def test_an_outdated_database_is_refused(tmp_path):
    path = tmp_path / "mlflow.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        database.execute("INSERT INTO alembic_version VALUES ('no such version')")
    with pytest.raises(Refusal, match="cannot record to"):
        _tracker(f"sqlite:///{path}", tmp_path)


_FIRST_CONTACT = """
import os, sys
from pathlib import Path
import mlflow.store.tracking.sqlalchemy_store  # once, for all of them
from experiments.provenance.tracking import Store, Tracker

def contact(uri, folder):
    folder.mkdir()
    tracker = Tracker(Store(uri, "sweep", folder))
    tracker.begin(folder.name, {"seed": 0}, {}, folder)
    for child in range(3):
        below = folder / str(child)
        below.mkdir()
        part = Tracker(tracker.store)
        part.begin(f"{folder.name}/{child}", {"seed": child}, {}, below, tracker.run)
        part.record(1, win_rate=0.5)
        part.finish("FINISHED", {"wins": child}, 1, [])
        assert part.store.aside.fault is None, part.store.aside.fault
    tracker.finish("FINISHED", {}, 0, [])

children = []
for number in range(4):
    child = os.fork()
    if child == 0:
        contact(sys.argv[1], Path(sys.argv[2]) / f"sweep{number}")
        os._exit(0)
    children.append(child)
assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
"""


@pytest.mark.nightly
def test_many_that_start_at_once_on_a_fresh_database_lose_nothing(tmp_path):
    uri = f"sqlite:///{tmp_path / 'mlflow.db'}"
    subprocess.run([sys.executable, "-c", _FIRST_CONTACT, uri, str(tmp_path)], check=True)
    client = mlflow.MlflowClient(uri)
    runs = client.search_runs([client.get_experiment_by_name("sweep").experiment_id])
    assert len(runs) == 16
    names = {run.info.run_id: run.info.run_name for run in runs}
    for run in runs:
        parent, slash, child = run.info.run_name.partition("/")
        assert run.info.status == "FINISHED"
        assert names.get(run.data.tags.get("mlflow.parentRunId")) == (parent if slash else None)
        if slash:
            assert run.data.metrics == {"win_rate": 0.5, "wins": float(child)}


def test_a_deleted_experiment_is_refused_with_what_brings_it_back(database, tmp_path):
    client = _tracker(database, tmp_path).store.client
    number = client.get_experiment_by_name("trial").experiment_id
    client.delete_experiment(number)
    with pytest.raises(Refusal, match=f"mlflow experiments restore --experiment-id {number}"):
        tracking.Store(database, "trial", tmp_path)
    client.restore_experiment(number)
    assert tracking.Store(f"{database}?timeout=9", "trial", tmp_path).experiment == number


@pytest.mark.nightly
@pytest.mark.parametrize("ended", [False, True])
def test_a_store_that_hangs_holds_nobody_up(database, tmp_path, monkeypatch, ended):
    """Neither who plays nor who wishes an end."""
    tracker = _tracker(database, tmp_path)
    monkeypatch.setattr(tracking, "SEND_SECONDS", 0.0)
    monkeypatch.setattr(tracking, "_PATIENCE_SECONDS", 0.0 if ended else 60.0)
    held = threading.Event()
    tracker.store.client.log_batch = lambda *_, **__: held.wait(60)
    tracker.record(1, games=1)
    tracker.record(2, games=2)
    if not ended:
        held.set()  # it was only slow
    with signals.defer():
        os.kill(os.getpid(), signal.SIGTERM)
        tracker.finish("KILLED", {}, 2, [])
    assert tracker.store.aside.fault == ("the store did not answer in time" if ended else None)
    held.set()

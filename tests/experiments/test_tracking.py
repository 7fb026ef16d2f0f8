"""The MLflow record says what was run, and never costs a run."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
from pathlib import Path

import pytest

from experiments.provenance import tracking
from experiments.settings import signals
from experiments.settings.commandline import Refusal


def _tracker(uri: str, folder: Path) -> tracking.Tracker:
    parameters = {"player": {"name": "bmcts", "budget": {"seconds": None}}, "seed": 0}
    tracker = tracking.Tracker(tracking.Store(uri, "trial", folder))
    tracker.begin("a run", parameters, {"version.numpy": "2"}, folder)
    return tracker


def test_an_outdated_database_is_refused(tmp_path):
    path = tmp_path / "mlflow.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        database.execute("INSERT INTO alembic_version VALUES ('no such version')")
    with pytest.raises(Refusal, match="cannot record to"):
        _tracker(f"sqlite:///{path}", tmp_path)


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

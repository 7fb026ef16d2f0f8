"""The MLflow record says what was run, and never costs a run."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import mlflow
import pytest

from experiments import tracking
from experiments.commandline import Refusal


def _drop_metrics(uri: str) -> None:
    with sqlite3.connect(uri.removeprefix("sqlite:///")) as database:
        database.execute("DROP TABLE metrics")


def _tracker(uri: str, folder: Path) -> tracking.Tracker:
    parameters = {"player": {"name": "bmcts", "budget": {"seconds": None}}, "seed": 0}
    tracker = tracking.Tracker(uri, "trial", folder)
    tracker.begin("a run", parameters, {"version.numpy": "2"})
    return tracker


def test_the_record_of_a_run(database, tmp_path):
    tracker = _tracker(database, tmp_path / "artifacts")
    for games in range(1, 1001):
        tracker.record(games, games=games, win_rate=0.5)
    (tmp_path / "plot.png").write_bytes(b"x")
    tracker.finish("FINISHED", {"win_rate": 0.25}, 1001, [tmp_path / "plot.png"])
    assert tracker.fault is None
    client = mlflow.MlflowClient(database)
    (run,) = client.search_runs([client.get_experiment_by_name("trial").experiment_id])
    assert run.info.status == "FINISHED"
    assert run.info.run_name == "a run"
    assert run.data.params == {
        "player.name": "bmcts",
        "player.budget.seconds": "None",
        "seed": "0",
    }
    assert run.data.metrics == {"games": 1000, "win_rate": 0.25}
    assert len(client.get_metric_history(run.info.run_id, "win_rate")) == 1001
    assert run.data.tags["version.numpy"] == "2"
    assert [each.path for each in client.list_artifacts(run.info.run_id)] == ["plot.png"]


def test_metrics_are_sent_in_batches(database, tmp_path):
    tracker = _tracker(database, tmp_path)
    sent = []
    tracker._client.log_batch = lambda run, metrics: sent.append(len(metrics))
    for games in range(1000):
        tracker.record(games, games=games, win_rate=0.5)
    tracker.finish("FINISHED", {}, 1000, [])
    assert sent == [900, 900, 200]


def test_a_store_that_fails_later_costs_the_record_only(database, tmp_path):
    tracker = _tracker(database, tmp_path)
    _drop_metrics(database)
    tracker.record(1, games=1)
    tracker.finish("FINISHED", {}, 1, [])
    assert "metrics" in tracker.fault


def test_a_run_whose_record_fails_keeps_its_results(
    run_compare, database, monkeypatch, ray_session
):
    record = tracking.Tracker.record

    def record_to_a_broken_store(self, step, **metrics):
        if not self._unsent:
            _drop_metrics(database)
        monkeypatch.setattr(tracking.Tracker, "record", record)
        record(self, step, **metrics)

    monkeypatch.setattr(tracking.Tracker, "record", record_to_a_broken_store)
    outcome = run_compare("player=random", "match.games=20", f"tracking.uri={database}")
    assert outcome.code == 1
    assert "the MLflow record is incomplete" in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.summary["games"] == 20


def test_an_outdated_database_is_refused(tmp_path):
    path = tmp_path / "mlflow.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32))")
        database.execute("INSERT INTO alembic_version VALUES ('no such version')")
    with pytest.raises(Refusal, match="cannot record to"):
        _tracker(f"sqlite:///{path}", tmp_path)

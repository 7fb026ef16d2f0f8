"""Runs in MLflow: curves over games, parameters of players of all kinds, tags to find runs."""

from __future__ import annotations

import json

import mlflow
import numpy as np
import pytest

from experiments.matches.results import Played, Results
from experiments.runs.mlflow_run import STEPS, Curves, MatchRecord
from experiments.stats import stopping
from experiments.stats.intervals import win_rate
from tests.experiments.rows import read_rows

SWIFT = ("player=swift", "opponent=random", "match.workers=1")


@pytest.fixture
def run(match, rows, tmp_path):
    """Return the results of 30 games, the last four of which have gaps before them."""
    found = Results(tmp_path, [match])
    won = np.random.default_rng(8).integers(4, size=40)
    for games in (range(12), range(12, 26), range(36, 40)):
        found.add(0, Played(rows(games, lambda game: int(won[game]))))
    found.flush()
    return found, won


def test_curves_are_of_the_games_whenever_one_looks(run, rows):
    found, won = run
    curves = Curves(found, stopping.parse("games"))
    points = dict(curves.win_rates())
    steps = [step for step in STEPS.tolist() if step <= 26]
    assert list(points) == steps and len(steps) > 3
    for step, metrics in points.items():
        wins = int((won[:step] == np.arange(step) % 4).sum())
        rate = win_rate(wins, step)
        assert metrics == {"win_rate": rate.value, "ci95_low": rate.low, "ci95_high": rate.high}
    assert not dict(curves.win_rates()), "nothing is new"
    found.add(0, Played(rows(range(26, 36), lambda game: int(won[game]))))
    later = dict(curves.win_rates())
    assert list(later) == [step for step in STEPS.tolist() if 26 < step <= 40]
    whole = Curves(found, stopping.parse("games"))
    assert dict(whole.win_rates()) == {**points, **later}


def test_a_run_is_a_curve_and_goes_on_as_one(run_compare, database, monkeypatch):
    """Also one that was killed: it says where it stands, and later what its rows say of before."""
    asked = (*SWIFT, f"tracking.uri={database}")
    end = MatchRecord.end
    with monkeypatch.context() as first:
        first.setattr("experiments.runs.mlflow_run.PATIENCE_SECONDS", 60.0)
        first.setattr(
            MatchRecord,
            "end",
            lambda self, _, *rest: (self.begin(), end(self, "KILLED", *rest)),
        )
        ran = run_compare(*asked, "match.games=30")
    assert ran.code == 0, ran.err
    more = run_compare(*asked, "match.games=70", f"run.folder={ran.folder}")
    assert more.code == 0, more.err
    client = mlflow.MlflowClient(database)
    (run,) = client.search_runs(
        [client.get_experiment_by_name("compare").experiment_id],
        "tags.planner = 'swift' AND params.`played.kind` = 'policy'",
    )
    held = json.loads((ran.folder / "matches.json").read_text())
    assert run.data.tags["run"] == held["run"]
    assert run.data.tags["mlflow.source.name"] == "experiments.compare"
    begun = (ran.folder / "matches.json").stat().st_mtime
    assert run.info.start_time <= 1000 * begun, "it lasted as long as the run, not as its record"
    steps = [step for step in STEPS.tolist() if step <= 70]
    table = read_rows(ran.folder)
    won = table.filter(table["focal"])["won"].to_numpy(zero_copy_only=False)
    history = client.get_metric_history(run.info.run_id, "win_rate")
    rates = {point.step: point.value for point in history}
    assert sorted({*steps, 70}) == sorted(rates)
    assert all(rate == pytest.approx(won[:step].mean()) for step, rate in rates.items())
    again = run_compare(*asked, "match.games=70", f"run.folder={ran.folder}")
    assert again.code == 0, again.err
    for name in run.data.metrics:
        said = [point.step for point in client.get_metric_history(run.info.run_id, name)]
        assert len(set(said)) == len(said), f"{name} has each point once"
        if name == "win_rate":
            assert sorted(said) == [*steps, 70], "each point once, and the end"

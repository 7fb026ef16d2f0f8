"""Sweeps from command line to files, whatever interrupts them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlflow
import optuna
import pytest
import ray

from experiments.matches import play, runner
from experiments.matches.progress import GamesPlayed
from experiments.settings.arguments import parse
from experiments.settings.commandline import Refusal
from experiments.sweep import job as sweep_job
from experiments.sweep import plot as sweep_plot
from experiments.sweep import points, schema
from experiments.sweep import trials as sweep_trials
from experiments.sweep.space import Space
from tests.experiments.rows import read_rows

QUIET = "tracking.enabled=false"
RANDOM = ("player=random", "opponent=random", QUIET)
SWIFT = ("player=swift", "opponent=swift", QUIET)
DRAWN = (
    "player.threshold=interval(0.3,1)",
    "player.label=a,b",
    "sweep.method=racing",
    "sweep.trials=3",
    "sweep.block=40",
)
RACED = ("player.threshold=0.35,1,0.4", "sweep.method=racing", "sweep.block=40")


class Killed(BaseException):
    """As if the process had been killed."""


_draw = sweep_plot.draw


def _no_picture(*arguments: Any) -> Path:
    """In place of a picture, each of which takes a second."""
    arguments[-1].touch()
    return arguments[-1]


@pytest.fixture
def run(run_sweep: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Run `experiments.sweep` in this process, without its picture."""
    monkeypatch.setattr(sweep_plot, "draw", _no_picture)
    return run_sweep


def test_points_that_differ_by_chance_show_no_importance():
    """Control: the same rates of a hundred times the games."""
    space = Space([parse("player.threshold=0.3,0.5"), parse("player.label=red,blue")])
    drawn = [
        {"player.threshold": threshold, "player.label": label}
        for threshold in ("0.3", "0.5")
        for label in ("red", "blue")
    ]
    wins = 18, 21, 19, 24
    results = list(zip(drawn, wins, strict=True))
    found = [
        points.importance(space, [(at, 40 * more, won * more) for at, won in results], 0)
        for more in (1, 100)
    ]
    assert found[0] == {} and sum(found[1].values()) == pytest.approx(1.0)
    assert points.importance(space, [(point, 40, 0) for point in drawn], 0) == {}


def test_a_grid_leaves_table_plot_and_summary(run, monkeypatch):
    monkeypatch.setattr(sweep_plot, "draw", _draw)
    axes = ("player.threshold=0.35,1,1.0", "player.label=red,blue")
    outcome = run(*SWIFT, *axes, "match.games=400", "sweep.fresh=600")
    assert outcome.code == 0, outcome.err
    summary = outcome.summary
    assert summary["best"]["parameters"]["player.threshold"] == "0.35"
    assert [summary["best"][kind]["games"] for kind in ("chosen", "fresh")] == [400, 600]
    # The deals are the same, so that a label changes nothing at all.
    assert summary["importance"]["player.threshold"] > 0.9
    assert summary["importance"]["player.label"] < 0.1
    assert len(outcome.table) == 6
    rates = [float(each["win_rate"]) for each in outcome.table]
    assert rates == sorted(rates, reverse=True)
    folders = {each.name for each in outcome.folder.glob("trial-*")}
    assert folders == {f"trial-{number:04d}" for number in (0, 1, 2, 3)}
    assert {each["same_as"] for each in summary["points"]} == {None, 2, 3}
    assert (outcome.folder / "sweep.png").read_bytes().startswith(b"\x89PNG")
    fresh = read_rows(outcome.folder / "fresh-0000")
    assert fresh.num_rows == 4 * 600
    assert summary["run"]["configuration"]["sweep"]["method"] == "grid"
    assert all(map(outcome.out.count, ("on 600 fresh games", "best so far: trial 0")))


@pytest.mark.parametrize(
    "prune_p", [0.02, pytest.param(0.0, marks=pytest.mark.nightly)], ids=["pruned", "control"]
)
def test_racing_gives_a_bad_point_up(run, prune_p):
    outcome = run(*SWIFT, *RACED, "match.games=400", f"sweep.prune_p={prune_p}", "sweep.fresh=0")
    assert outcome.code == 0, outcome.err
    found = {
        each["player.threshold"]: (each["state"], int(each["games"])) for each in outcome.table
    }
    assert found["0.35"] == ("complete", 400)
    assert found["0.4"] == ("complete", 400), "as good"
    assert (found["1"] == ("complete", 400)) == (prune_p == 0)
    assert (found["1"][0] == "pruned" and found["1"][1] < 400) == (prune_p > 0)
    assert outcome.summary["best"]["fresh"] is None


def _at_call(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, number: int) -> None:
    """Have call ``number`` of a method end as if the process were killed just before it."""
    calls = iter(range(10**6))
    real = getattr(owner, name)

    def call_or_end(*arguments: Any, **named: Any) -> Any:
        if next(calls) == number:
            raise Killed
        return real(*arguments, **named)

    monkeypatch.setattr(owner, name, call_or_end)


KILLED_AT = (
    (sweep_trials.runfolder, "claim", 0),
    (optuna.trial.Trial, "report", 1),  # in the middle of a race
    (optuna.Study, optuna.Study.tell.__name__, 0),
    (optuna.Study, optuna.Study.tell.__name__, 1),  # of the trial after
    (sweep_trials.MatchRun, "write_summary", 0),  # the summary of the fresh games
)


def test_a_sweep_killed_again_and_again_ends_as_if_undisturbed(run, monkeypatch):
    command = (*SWIFT, *DRAWN, "match.games=120")
    whole = run(*command, name="whole")
    assert whole.code == 0, whole.err
    for where in KILLED_AT:
        with monkeypatch.context() as planted, pytest.raises(Killed):
            _at_call(planted, *where)
            run(*command)
    ended = run(*command)
    assert ended.code == 0, ended.err
    assert ended.figures == whole.figures
    assert ended.rows == whole.rows


def test_ctrl_c_keeps_what_was_played(run, monkeypatch):
    asked = (*RANDOM, "seed=1,2,3", "match.games=4000", "match.workers=1")
    shown = GamesPlayed.update

    def press(self: GamesPlayed, tallies: Any) -> bool:
        if self._matches[0].seed == 2 and tallies[0].games:
            os.kill(os.getpid(), signal.SIGINT)
        return shown(self, tallies)

    with monkeypatch.context() as planted:
        planted.setattr(GamesPlayed, "update", press)
        outcome = run(*asked)
    assert outcome.code == 130
    assert (
        f"1 of 3 trials, kept in {outcome.folder}; continue with run.folder={outcome.folder}"
        in outcome.err
    )
    assert outcome.summary["interrupted"]
    kept = read_rows(outcome.folder / "trial-0001").num_rows
    assert 0 < kept < 4 * 4000
    went_on = run(*asked)
    assert went_on.code == 0
    assert read_rows(outcome.folder / "trial-0001").num_rows == 4 * 4000
    assert {each["state"] for each in went_on.table} == {"complete"}


def test_a_trial_that_raises_fails_alone(run, monkeypatch):
    @ray.remote
    def play_with_a_bug(match, games, code):

        if match.entrants[0]["threshold"] == 0.6:
            raise ZeroDivisionError("of a player")
        return play.portion(match, games), 1.0

    monkeypatch.setattr(runner, "_play", play_with_a_bug)
    asked = (*SWIFT, "player.threshold=0.4,0.6,1", "match.games=40")
    outcome = run(*asked)
    assert outcome.code == 1
    assert outcome.err == (
        f"sleuth-sweep: trial 1 of 3 failed: see {outcome.folder}/trial-0001/error.txt; "
        "the others are kept\n"
    )
    assert "ZeroDivisionError" in (outcome.folder / "trial-0001" / "error.txt").read_text()
    assert [each["state"] for each in outcome.table] == ["complete", "complete", "failed"]
    assert outcome.summary["best"]["parameters"] == {"player.threshold": "0.4"}
    again = run(*asked)
    assert (again.code, again.err, again.rows) == (1, outcome.err, outcome.rows)


def test_trials_are_recorded_below_their_sweep(run, database):
    asked = ("player=random", "opponent=random", "seed=1,2", f"tracking.uri={database}")
    outcome = run(*asked, "match.games=40", "sweep.fresh=20")
    assert outcome.code == 0, outcome.err
    client = mlflow.MlflowClient(database)
    found = client.search_runs([client.get_experiment_by_name("compare").experiment_id])
    runs = {each.info.run_name: each for each in found}
    assert set(runs) == {"sweep", "sweep/trial-0000", "sweep/trial-0001", "sweep/fresh-0000"} or (
        "sweep/fresh-0001" in runs and len(runs) == 4
    )
    parent = runs.pop("sweep")
    assert {each.info.status for each in found} == {"FINISHED"}
    tags = {each.data.tags["mlflow.parentRunId"] for each in runs.values()}
    assert tags == {parent.info.run_id}
    assert parent.data.params["axes.seed"] == "1,2"
    assert runs["sweep/trial-0001"].data.params["seed"] == "2"
    assert parent.data.metrics["best_chosen"] == outcome.summary["best"]["chosen"]["win_rate"]
    files = {each.path for each in client.list_artifacts(parent.info.run_id)}
    assert files == {"sweep.csv", "sweep.png", "summary.json"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("player=swift player.threshold=0.3", "no setting has several values"),
        ("player=swift player.threshold=0.3,1 sweep.method=random", "needs sweep.trials"),
        ("player=swift player.threshold=0.3,1 sweep.method=gird", "did you mean grid"),
        ("player=bmctss", "did you mean bmcts"),
    ],
)
def test_bad_requests_are_refused(arguments, said):
    schema.register()
    with pytest.raises(Refusal, match=said):
        sweep_job.make_job([*arguments.split(), *SWIFT[1:]])


def test_a_bad_point_is_refused_in_a_line(run):
    outcome = run("player.threshold=0.3,3", *SWIFT)
    assert outcome.code == 1 and "at most 1 (at player.threshold=3)" in outcome.err
    assert outcome.err.startswith("sleuth-sweep: ") and outcome.err.count("\n") == 1
    assert not outcome.folder.exists()


def test_folders_that_cannot_be_gone_on_with_are_refused(run):
    asked = (*RANDOM, "seed=1,2", "match.games=20")
    whole = run(*asked)
    assert whole.code == 0, whole.err
    other = run(*asked[:-1], "match.games=30")
    assert "first.match.games was 20 there and is 30 now: give those, or choose" in other.err
    inside = run(*asked, name="sweep/trial-0000")
    assert "holds config.yaml of another kind of run" in inside.err
    refused = (other, inside)
    assert {(each.code, each.err.count("\n")) for each in refused} == {(1, 1)}
    once_more = run(*asked)
    assert once_more.code == 0, once_more.err
    assert (once_more.figures, once_more.rows) == (whole.figures, whole.rows)

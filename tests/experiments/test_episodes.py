"""Episodes: the same rows for any number of workers, resuming, clear errors."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from cups import RAISED, rows

from experiments.episodes import problems, workers
from experiments.stats.intervals import mean

FILES = ["config.yaml", "episodes.parquet", "returns.png", "summary.json"]


def test_the_command_writes_and_tells(command, game):
    outcome = command(f"problem={game()}", "episodes=12", "seed=3")
    assert outcome.code == 0, outcome.err
    assert sorted(path.name for path in outcome.folder.iterdir()) == FILES
    found = rows(outcome)
    assert found["episode"].to_list() == list(range(12))
    assert set(found["return"]) <= {9.0, 8.0, 7.0, 6.0}
    assert (found["return"] == 10 - found["actions"]).all()
    said = outcome.summary["return"]
    assert found["return"].mean() == pytest.approx(said["value"])
    assert said["low"] < said["value"] < said["high"]
    seconds = pl.read_parquet(outcome.folder / "episodes.parquet")["seconds"].mean()
    assert outcome.summary["cpu_seconds"]["value"] == pytest.approx(seconds)
    assert f"{said['value']:.2f} ({said['low']:.2f} to {said['high']:.2f})" in outcome.out


def test_resumed_episodes_are_those_of_an_undisturbed_run(command, game, tmp_path):
    named = f"problem={game()}"
    whole = rows(command(named, "episodes=8"))
    folder = tmp_path / "parts"
    command(named, "episodes=3", f"run.folder={folder}")
    command(named, "episodes=8", f"run.folder={folder}")
    assert pl.read_parquet(folder / "episodes.parquet").drop("seconds").equals(whole)
    assert whole["return"].n_unique() > 1


@pytest.mark.parametrize("module", [False, True])
def test_a_file_that_was_edited_is_not_gone_on_with(command, game, tmp_path, module, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)

    def name_problem(more=""):
        file = game(more=more)
        sys.modules.pop("game_None", None)  # which another process would not have
        return f"problem={'game_None:problem' if module else file}"

    folder = tmp_path / "edited"
    command(name_problem(), "episodes=3", f"run.folder={folder}")
    outcome = command(name_problem("# other cups"), "episodes=5", f"run.folder={folder}")
    assert outcome.code == 1
    assert "problem_sha256" in outcome.err and "choose another folder" in outcome.err
    assert len(pl.read_parquet(folder / "episodes.parquet")) == 3


def test_workers_change_nothing(command, game, tmp_path, ray_session):
    """Nor does it that one of them is killed in the middle of a game."""
    named = f"problem={game()}"
    alone = rows(command(named, "episodes=12"))
    folder = tmp_path / "both"
    outcome = command(
        f"problem={game('dies once')}", "episodes=12", "workers=2", f"run.folder={folder}"
    )
    assert outcome.code == 0, outcome.err
    assert (tmp_path / "game_dies_once.dead").exists()
    assert pl.read_parquet(folder / "episodes.parquet").drop("seconds").equals(alone)
    faulty = command(f"problem={game('raises')}", "workers=2", f"run.folder={tmp_path / 'faulty'}")
    assert faulty.code == 1 and RAISED in faulty.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["problem=tigre"],
            "choose tiger, rocksample, light_dark, laser_tag, sub_hunt, vdp_tag, FILE.POMDP",
        ),
        (["problem=nowhere.py:problem"], "nowhere.py cannot be read"),
        (["problem=mcts.problems.tiger:nothing"], "mcts.problems.tiger has no nothing"),
        (["problem=rocksample", "map=[7]"], "give n and k, as in map=[7,8]"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(command, arguments, said):
    outcome = command(*arguments)
    assert outcome.code == 1 and said in outcome.err
    assert outcome.err.count("\n") == 1 and "Traceback" not in outcome.err


def test_an_episode_whose_belief_runs_out_ends_there_and_is_told(command, game, tmp_path):
    """The others are played: a run of hundreds is not lost for one."""
    outcome = command(f"problem={game('never again')}", "episodes=20", "seed=3")
    assert outcome.code == 0, outcome.err
    found = rows(outcome)
    assert (found["deprived"] == (found["return"] == -1)).all()
    short = outcome.summary["deprived"]
    assert 0 < short == found["deprived"].sum() < 20
    assert f"{short} of 20 end early" in outcome.out and "more particles" in outcome.out
    folder = tmp_path / "sound"
    sound = command(f"problem={game()}", "episodes=20", "seed=3", f"run.folder={folder}")
    assert not pl.read_parquet(folder / "episodes.parquet")["deprived"].any()
    assert "end early" not in sound.out


SETUP = problems.Setup("tiger", (7, 8), 20, None, None, "visits", "informed", 4, 10, 5)


@pytest.mark.parametrize(
    "change",
    [
        {"simulations": 3},
        {"nodes": 1},
        {"final": "mean", "exploration": 3_000.0},
        {"rollout": "random"},
        {"horizon": 2},
        {"planner": "h_mcts"},
        {"planner": "root_only"},
    ],
    ids=str,
)
def test_every_setting_changes_the_episodes(change):
    def play_all(setup):
        return [
            (row["return"], row["actions"])
            for _, (row,) in workers.play(setup, range(12), workers=1)
        ]

    assert play_all(SETUP) == play_all(SETUP) != play_all(replace(SETUP, **change))


@pytest.mark.parametrize(
    ("steps", "exact"),
    [
        (1, -1.0),
        (2, -1.95),
        (3, 2.3098),
        pytest.param(4, 1.7955442187, marks=pytest.mark.nightly),
    ],
)
def test_a_trial_of_so_many_steps_is_worth_what_it_is(steps, exact):
    """The values of pomdp-solve; the controls look as far at every step, as if there were more."""

    def measure(**more):
        play = problems.player(replace(SETUP, steps=steps, simulations=800, **more))
        return mean(np.array([play(number)["return"] for number in range(900)]))

    counting, receding = measure(), measure(horizon=steps)
    assert counting.low <= exact <= counting.high
    assert counting.high - counting.low < 2.5
    assert steps < 3 or receding.high < exact - 2

"""Closed loops of problems in files: known values, workers, refusals in one line."""

from __future__ import annotations

import polars as pl
import pytest

from experiments.episodes import __main__ as episodes
from experiments.episodes import problems

TIGER = """discount: 0.95
values: reward
states: left right
actions: listen open-left open-right
observations: left right
T: listen identity
T: open-left uniform
T: open-right uniform
O: listen
0.85 0.15
0.15 0.85
O: open-left uniform
O: open-right uniform
R: listen : * : * : * -1
R: open-left : left : * : * -100
R: open-left : right : * : * 10
R: open-right : left : * : * 10
R: open-right : right : * : * -100
"""


@pytest.fixture
def tiger(tmp_path):
    (tmp_path / "tiger.POMDP").write_text(TIGER)
    return tmp_path / "tiger.POMDP"


@pytest.fixture
def command(run_study):
    def run(*words):
        problems.player.cache_clear()
        problems.read.cache_clear()
        return run_study(episodes.COMMAND, *words)

    return run


def test_a_trial_is_worth_what_pomdp_solve_says(command, tiger):
    outcome = command(
        f"problem={tiger}", "steps=3", "episodes=200", "simulations=3000", "exploration=30"
    )
    assert outcome.code == 0, outcome.err
    said = outcome.summary["return"]
    assert said["low"] < 2.3098 < said["high"] and said["high"] - said["low"] < 6
    assert "tiger.POMDP, 3 steps, 3,000 simulations" in outcome.out


def test_a_deaf_tiger_is_not(command, tiger):
    """The control: then nothing is better than to listen."""
    tiger.write_text(TIGER.replace("0.85 0.15", "0.5 0.5").replace("0.15 0.85", "0.5 0.5"))
    outcome = command(f"problem={tiger}", "steps=3", "episodes=20", "simulations=3000")
    assert outcome.summary["return"]["value"] == pytest.approx(-1 - 0.95 - 0.95**2)


def test_a_file_that_was_edited_is_another_problem(command, tiger, tmp_path):
    folder = tmp_path / "run"
    command(f"problem={tiger}", "episodes=2", "simulations=5", f"run.folder={folder}")
    before = pl.read_parquet(folder / "episodes.parquet")
    tiger.write_text(TIGER + "# edited")
    outcome = command(f"problem={tiger}", "episodes=3", "simulations=5", f"run.resume={folder}")
    assert outcome.code == 1 and "problem_sha256" in outcome.err
    assert pl.read_parquet(folder / "episodes.parquet").equals(before)


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (TIGER.replace("discount: 0.95\n", ""), (), "discount is missing"),
        (TIGER.replace("0.85 0.15", "0.95 0.15"), (), "tiger.POMDP:10:1: O: listen : left sums to"),
        (TIGER, ("particles=7",), "particles would be ignored"),
        (TIGER.replace("0.95", "1"), (), "needs steps"),
    ],
)
def test_faults_are_one_line(command, tiger, text, words, said):
    tiger.write_text(text)
    outcome = command(f"problem={tiger}", "episodes=2", "simulations=5", *words)
    assert outcome.code == 1 and said in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1


def test_files_alone_have_their_settings(command):
    for words in (("strict=false",), ("discount=0.5",), ("rollout=fib",)):
        outcome = command("problem=tiger", *words)
        assert outcome.code == 1 and words[0].split("=")[0] in outcome.err


def test_what_is_normalised_is_said(command, tiger):
    tiger.write_text(TIGER.replace("0.85 0.15", "0.95 0.15"))
    outcome = command(f"problem={tiger}", "strict=false", "episodes=2", "steps=2", "simulations=5")
    assert outcome.code == 0
    assert "tiger.POMDP:10:1: O: listen : left sums to 1.1" in outcome.err

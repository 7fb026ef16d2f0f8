"""Closed loops of problems in files: known values, workers, refusals in one line."""

from __future__ import annotations

import pytest

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


@pytest.mark.parametrize("how", ["exploration=30", "planner=h_mcts", "planner=bmcts"])
def test_a_trial_is_worth_what_pomdp_solve_says(command, tiger, how):
    outcome = command(f"problem={tiger}", "steps=3", "episodes=200", "simulations=3000", how)
    assert outcome.code == 0, outcome.err
    said = outcome.summary["return"]
    assert said["low"] < 2.3098 < said["high"] and said["high"] - said["low"] < 6
    assert "tiger.POMDP" in outcome.out and "3 steps, 3,000 simulations" in outcome.out


def test_a_deaf_tiger_is_not(command, tiger):
    """The control: then nothing is better than to listen."""
    tiger.write_text(TIGER.replace("0.85 0.15", "0.5 0.5").replace("0.15 0.85", "0.5 0.5"))
    outcome = command(f"problem={tiger}", "steps=3", "episodes=20", "simulations=3000")
    assert outcome.summary["return"]["value"] == pytest.approx(-1 - 0.95 - 0.95**2)


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (TIGER.replace("0.85 0.15", "0.95 0.15"), (), "tiger.POMDP:10:1: O: listen : left sums to"),
        (TIGER.replace("0.95", "1"), (), "needs steps"),
        (TIGER, ("planner=pomcpow",), "tiger.POMDP has pomcp, h_mcts"),
        (TIGER, ("leaf=random",), "leaf=random is for light_dark"),
    ],
)
def test_faults_are_one_line(command, tiger, text, words, said):
    tiger.write_text(text)
    outcome = command(f"problem={tiger}", "episodes=2", "simulations=5", *words)
    assert outcome.code == 1 and said in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1

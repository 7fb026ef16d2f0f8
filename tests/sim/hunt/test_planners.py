"""Planners of noisy, adaptive hunts find the closed-loop value and play it; the controls do not."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hunt_reference import star

from mcts.kernel.compile import INTERPRETED
from sim.hunt.strategies.domain import STOP, adaptive
from sim.hunt.strategies.examples import fork
from sim.hunt.strategies.planners import Planner, expected_value, greedy, value
from sim.hunt.strategies.recursion import closed_loop, open_loop

pytestmark = pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")

HUNTS = {"star": star(3), "fork": fork()}
EXACT = {name: closed_loop(hunt).value for name, hunt in HUNTS.items()}
PLANNERS = ("bmcts", "bmcts_or", "pomcp")
SEEDS = range(2)


def play_out(name, hunt="fork", simulations=8_000):
    """Return the exact values of playing what the planner chooses, a seed each."""
    p = adaptive(HUNTS[hunt])
    planner = Planner(p, name, simulations)
    return np.array([expected_value(p, planner, seed) for seed in SEEDS])


def find_values(name, hunt="fork", simulations=10_000):
    """Return the values that the planner finds at the root, a seed each."""
    p = adaptive(HUNTS[hunt])
    planner = Planner(p, name, simulations)
    return np.array([value(planner.search(p, seed)) for seed in SEEDS])


@pytest.mark.parametrize("hunt", HUNTS)
@pytest.mark.parametrize("name", PLANNERS)
def test_planners_play_the_optimum(name, hunt):
    assert play_out(name, hunt) == pytest.approx(EXACT[hunt], abs=1e-9)


def test_without_a_tree_the_optimum_is_not_played():
    """The pointer looks too dear to who is led away after it: what is played is the open plan."""
    planned = open_loop(HUNTS["fork"]).value
    assert planned < 0.7 * EXACT["fork"]
    assert play_out("flat", simulations=10_000) == pytest.approx(planned, abs=1e-9)
    assert find_values("flat").max() < 0.7 * EXACT["fork"]
    assert expected_value(adaptive(HUNTS["fork"]), greedy, 1) < 0.7 * EXACT["fork"]


@pytest.mark.parametrize("hunt", HUNTS)
def test_one_hypothesis_a_decision_is_not_enough(hunt):
    assert play_out("ld_bmcts", hunt, 3_000).mean() < 0.9 * EXACT[hunt]
    assert abs(find_values("ld_bmcts", hunt, 3_000) - EXACT[hunt]).min() > 0.1


@pytest.mark.parametrize("hunt", HUNTS)
def test_trees_that_know_the_hypothesis_promise_too_much(hunt):
    assert find_values("pimc", hunt).min() > EXACT[hunt] + 0.05
    assert find_values("bmcts", hunt).max() < EXACT[hunt] + 0.02


def test_who_is_certain_has_no_use_for_a_test():
    """With a prior that knows y there is no entropy to take away, and all ways cost."""
    certain = HUNTS["fork"]._replace(prior=np.eye(8)[0] * (1 - 1e-12) + 1e-12 / 8)
    p = adaptive(certain)
    assert Planner(p, "bmcts", 1_000)(p, 1) == STOP
    assert Planner(p, "bmcts", 1_000)(adaptive(HUNTS["fork"]), 1) != STOP


def test_the_same_key_gives_the_same_choices():
    p = adaptive(HUNTS["fork"])
    for name in (*PLANNERS, "ld_bmcts", "pimc", "flat"):
        one, same, other = (
            Planner(p, name, 300).search(p, key).values.tolist() for key in (1, 1, 2)
        )
        assert one == same and one != other


TREE = """
from sim.hunt.strategies.domain import adaptive
from sim.hunt.strategies.examples import fork
from sim.hunt.strategies.planners import Planner
for name in ("bmcts", "pomcp"):
    result = Planner(adaptive(fork()), name, 100).search(adaptive(fork()), 3)
    print(result.visits.tolist(), result.values.tolist(), result.nodes)
"""


@pytest.mark.nightly
def test_the_interpreter_finds_the_same(capsys):
    done = subprocess.run(
        [sys.executable, "-c", TREE],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    exec(compile(TREE, "compiled", "exec"), {})
    assert done.stdout == capsys.readouterr().out != "", done.stderr

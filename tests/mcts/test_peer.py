"""Beside pomdp-py: the roll-outs that `benchmarks.bench_pomdp` compares have the same length."""

from collections import Counter

import numpy as np
import pytest

from mcts.kernel.rng import new_stream
from mcts.problems import tiger

pytest.importorskip("pomdp_py", reason="the extra benchmarks is not installed")

from benchmarks import bench_pomdp

STEPS = 7


def actions_of_one_simulation(steps):
    """Return how often the models of pomdp-py's Tiger are asked for a state in one simulation."""
    counted = Counter()

    def agent():
        made = bench_pomdp.python_tiger()
        model = made.transition_model
        sample = model.sample

        def counting(*given):
            counted["actions"] += 1
            return sample(*given)

        model.sample = counting
        return made

    bench_pomdp.theirs(bench_pomdp.pomdp_py.POUCT, agent, steps, 1.0)(1)
    return counted["actions"]


@pytest.mark.nightly
def test_a_simulation_of_theirs_has_as_many_actions_as_one_of_ours():
    p = tiger.TigerParameters(steps=STEPS, rollout=tiger.RANDOM, listen=-1, tiger=-1, gold=-1)
    s, stream = tiger.workspace(p), new_stream(1)
    tiger.start(p, s, stream)
    assert tiger.rollout(p, s, stream) == pytest.approx(-np.sum(0.95 ** np.arange(STEPS)))
    assert actions_of_one_simulation(STEPS) == STEPS

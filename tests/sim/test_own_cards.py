"""The own-card weight: recovered where known, and plausible for each policy."""

import numpy as np
import pytest
from scipy.special import expit, logit

from sim.models.own_cards import LEAST, fit_weight, most_likely
from sim.policies.registry import Policy
from sim.rules import Rules, preset


@pytest.mark.parametrize("weight", [0.1, 1.0, 5.0])
def test_a_known_weight_is_found(weight):
    rng = np.random.default_rng(4)
    believed = rng.uniform(0.1, 0.6, 20_000)
    held = (rng.random(20_000) < expit(logit(believed) + np.log(weight))).astype(float)
    assert most_likely(believed, held) == pytest.approx(weight, rel=0.1)
    assert LEAST < most_likely(np.full(300, 0.3), np.zeros(300)) < 0.02  # not 0 without own cards


def weight(name, games=40, rules=None, **switches):
    """Return the weight of a policy among its kind."""
    return fit_weight(rules or Rules(), Policy(name, **switches), games=games)


def test_who_asks_for_what_it_lacks_has_a_low_weight_and_who_misleads_a_high_one():
    assert weight("swift", threshold=0.35) < 0.1
    assert weight("heuristic") < 0.2
    assert weight("hide", threshold=0.35) > 2.0
    assert 0.5 < weight("uniform") < 2.0
    assert weight("greedy", games=2, rules=preset("cai2006")) < 1.0

"""Elo of a difference and the likelihood of superiority: known values, and coverage."""

import numpy as np
import pytest

from experiments.stats.intervals import Estimate, Z, win_rate
from experiments.stats.sprt import elo_to_difference, elo_to_win_rate
from experiments.stats.superiority import elo_above, likelihood_of_superiority, paired_elo

MANY = 10**6


@pytest.mark.parametrize("elo", [-300.0, 0.0, 30.0])
def test_elo_are_those_of_the_sequential_test(elo):
    rate = elo_to_win_rate(elo, players=4)
    assert elo_above(Estimate(rate, rate, rate), 0.25, MANY).value == pytest.approx(elo)
    other = 0.4 + float(elo_to_difference(elo, np.array(0.4)))
    assert elo_above(Estimate(other, other, other), 0.4, MANY).high == pytest.approx(elo)


def test_without_a_loss_elo_are_large_and_finite():
    found = elo_above(win_rate(20, 20), 0.25, 20)
    assert 0 < found.low < found.value == found.high < 1000


def test_the_likelihood_of_superiority_is_a_share_of_the_posterior():
    assert likelihood_of_superiority(7, 7) == pytest.approx(0.5)
    drawn = np.random.default_rng(0).beta(13, 39, 200_000)
    share = float((drawn > 0.25).mean())
    assert likelihood_of_superiority(12, 38, 0.25) == pytest.approx(share, abs=0.005)


@pytest.mark.parametrize(("rate", "elo", "shift"), [(0.3, 40, 0.15), (0.9, -200, 0.3)])
def test_the_interval_of_paired_elo_holds_the_truth(rate, elo, shift):
    """Seen: 95 and 94 %; the control is an interval of half the width."""
    random, held, narrow = np.random.default_rng(3), 0, 0
    second = rate + float(elo_to_difference(elo, np.array(rate)))
    for _ in range(1000):
        luck = random.random(400)
        won = luck < rate, (luck + shift) % 1 < second  # on the same games, which correlates them
        held += _holds(paired_elo(*won, Z), elo)
        narrow += _holds(paired_elo(*won, Z / 2), elo)
    assert held > 930 and narrow < 750


def _holds(found, truth):
    return found.low <= truth <= found.high

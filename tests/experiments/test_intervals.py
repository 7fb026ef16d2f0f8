"""Intervals hold what they promise; a wrong one is seen not to."""

from __future__ import annotations

from itertools import starmap
from math import sqrt

import numpy as np
import pytest
from scipy.stats import binom, binomtest, multinomial

from experiments.stats.intervals import (
    Estimate,
    discordant,
    mean,
    median,
    paired_difference,
    win_rate,
)


@pytest.mark.parametrize("games", [1, 7, 400, 100_000])
def test_intervals_are_those_of_scipy(games):
    """Importing SciPy takes a second, at the end of each run.  Control: another of its methods."""
    for wins in (0, games // 3, games // 2, games):
        rate, test = win_rate(wins, games), binomtest(wins, games)
        wilson, exact = (test.proportion_ci(0.95, method) for method in ("wilson", "exact"))
        assert (rate.low, rate.high) == pytest.approx((wilson.low, wilson.high), abs=1e-12)
        assert (rate.low, rate.high) != pytest.approx((exact.low, exact.high), abs=1e-9)
    rank = max(int(binom.ppf(0.025, games, 0.5)) - 1, 0)
    assert median(np.arange(games)[::-1]) == Estimate((games - 1) / 2, rank, games - 1 - rank)


def _wald_with_half_games(first: np.ndarray, second: np.ndarray) -> Estimate:
    """Return the interval of [Agresti and Min 2005]."""
    gained, lost, games = discordant(first, second)
    centre = (gained - lost) / (games + 2)
    error = sqrt(((gained + lost + 1) / (games + 2) - centre**2) / (games + 2))
    return Estimate(centre, centre - 1.96 * error, centre + 1.96 * error)


@pytest.mark.parametrize("games", [20, 45])
def test_coverage_of_the_paired_difference(games):
    """Exact, over how often only one of two players wins.  Seen: at least 96.4 and 95.3 %.

    Control: Wald's interval with half games holds the truth in 88 % where few games differ.
    """
    gained, lost = (each.ravel() for each in np.indices((games + 1, games + 1)))
    gained, lost = (each[gained + lost <= games] for each in (gained, lost))
    shares = (0.01, 0.03, 0.08, 0.2, 0.4)
    counts = np.stack([gained, lost, games - gained - lost], 1)
    lows = dict.fromkeys((paired_difference, _wald_with_half_games), 1.0)
    for interval in lows:
        rows = (
            (np.arange(games) < lose, np.arange(games) >= games - gain)
            for gain, lose in zip(gained, lost, strict=True)
        )
        low, high = np.array([(each.low, each.high) for each in starmap(interval, rows)]).T
        for one, other in ((a, b) for a in shares for b in (0.0, *shares) if b <= a):
            chance = multinomial.pmf(counts, games, [one, other, 1 - one - other])
            held = chance[(low <= one - other + 1e-12) & (one - other - 1e-12 <= high)].sum()
            lows[interval] = min(lows[interval], held)
    assert lows[paired_difference] > 0.95
    assert lows[_wald_with_half_games] < 0.93


def test_paired_difference_by_hand():
    first = np.array([True, False, False, False])
    second = np.array([True, True, True, False])
    assert paired_difference(first, second).value == 0.5
    assert paired_difference(second, first).value == -0.5
    alike = paired_difference(first, first)
    assert alike.value == 0
    assert alike.low < 0 < alike.high, "four equal games do not prove equality"
    with pytest.raises(ValueError):
        paired_difference(first, second[:2])


def test_coverage_of_mean_and_median():
    """Turns of a game are skew; the median's interval holds the mean far too seldom (control)."""
    generator = np.random.default_rng(1)
    truths = {"mean": (mean, 1.0), "median": (median, np.log(2)), "control": (median, 1.0)}
    held = dict.fromkeys(truths, 0)
    trials = 2000
    for _ in range(trials):
        values = generator.exponential(size=200)
        for name, (interval, truth) in truths.items():
            estimate = interval(values)
            held[name] += estimate.low <= truth <= estimate.high
    assert 0.93 < held["mean"] / trials < 0.965
    assert 0.94 < held["median"] / trials < 0.975
    assert held["control"] / trials < 0.1

"""Many comparisons at once; what goes wrong without the correction, or on the games of choice."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import binomtest

from experiments.stats.comparisons import compare, holm, mcnemar, round_robin
from experiments.stats.intervals import paired_difference, win_rate


def pairs(won):
    """Compare all players with one another, by (games,) bool of each."""
    return compare([(one, other, won[one], won[other]) for one, other in combinations(won, 2)])


def test_family_wise_error_of_equal_players():
    """Five equal players, ten pairs.  Seen: some pair is called different in 2.3 % of the
    matches, and in 23 % without Holm's correction."""
    generator = np.random.default_rng(0)
    trials = 300
    adjusted = plain = 0
    for _ in range(trials):
        found = pairs({label: generator.random(300) < 0.25 for label in "abcde"})
        adjusted += min(each.p_holm for each in found) <= 0.05
        plain += min(each.p for each in found) <= 0.05
    assert adjusted / trials <= 0.05 + 0.03
    assert plain / trials > 0.12


def test_holm_by_hand():
    # Holm 1979's rule: 4 x 0.01, 3 x 0.02 and then, never falling, 0.06 and 0.5.
    assert holm(np.array([0.5, 0.02, 0.01, 0.03])) == pytest.approx([0.5, 0.06, 0.04, 0.06])
    assert holm(np.array([0.9, 0.8])) == pytest.approx([1, 1])
    assert holm(np.array([])).size == 0


@pytest.mark.parametrize("gained, lost", [(0, 1), (3, 3), (2, 9), (30, 17), (700, 640)])
def test_mcnemar_is_the_binomial_test_of_scipy(gained, lost):
    first = np.repeat([True, False, True], [lost, gained, 5])
    second = np.repeat([False, True, True], [lost, gained, 5])
    found, games = mcnemar(first, second), gained + lost
    assert found == pytest.approx(binomtest(gained, games).pvalue)
    assert found != pytest.approx(binomtest(gained, games, alternative="less").pvalue)


def test_mcnemar_by_hand():
    first = np.array([True] + [False] * 9)
    second = np.array([False] + [True] * 7 + [False] * 2)
    assert mcnemar(first, second) == pytest.approx(2 * (1 + 8) / 2**8)
    assert mcnemar(first, first) == 1
    with pytest.raises(ValueError):
        mcnemar(first, second[:3])


def test_who_is_compared_with_whom():
    generator = np.random.default_rng(1)
    won = {label: generator.random(50) < 0.5 for label in "abc"}
    assert [(each.first, each.second) for each in pairs(won)] == [
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
    ]
    assert pairs(won)[0].difference == paired_difference(won["a"], won["b"])
    assert pairs(won)[0].games == 50
    with pytest.raises(ValueError):
        pairs({**won, "a": won["a"][:0]})


def test_round_robin_by_hand():
    tables = np.array([[0, 1], [1, 0], [0, 1], [0, 2], [2, 1], [2, 1]])
    winners = np.array([1, 0, 0, -1, 0, 0])
    found = {
        (each.first, each.second): each for each in round_robin(tables, winners, ["a", "b", "c"])
    }
    assert {pair: each.games for pair, each in found.items()} == {
        ("a", "b"): 3,
        ("a", "c"): 1,
        ("b", "c"): 2,
    }
    assert found["a", "b"].difference.value == pytest.approx(1 / 3)  # b, b, a
    assert found["a", "c"].difference.value == 0  # a draw
    assert found["b", "c"].difference.value == 1
    assert found["b", "c"].p == 0.5


def test_round_robin_compares_equal_numbers_of_seats():
    """Three seats against one win thrice as often; such a table says nothing of strength."""
    tables = np.array([[0, 0, 0, 1], [0, 0, 1, 1]])
    (only,) = round_robin(tables, np.array([0, 3]), ["a", "b"])
    assert (only.games, only.difference.value) == (1, 1.0)


def test_the_winner_s_curse():
    """The best of 24 equal players on 300 games.  Seen: it wins 29.9 % of them instead of 25,
    and its interval holds 25 % in 50 of 100 cases; on fresh games 25.0 % and 95 of 100."""
    generator = np.random.default_rng(2)
    trials, games, rate = 400, 300, 0.25
    chosen = generator.binomial(games, rate, size=(trials, 24)).max(axis=1)
    fresh = generator.binomial(games, rate, size=trials)

    def coverage(wins: np.ndarray) -> float:
        estimates = [win_rate(each, games) for each in wins.tolist()]
        return float(np.mean([each.low <= rate <= each.high for each in estimates]))

    assert 0.045 < chosen.mean() / games - rate < 0.055
    assert coverage(chosen) < 0.6
    assert abs(fresh.mean() / games - rate) < 0.004
    assert 0.92 < coverage(fresh) < 0.98

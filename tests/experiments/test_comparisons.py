"""Many comparisons at once; what goes wrong without the correction, or on the games of choice."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, norm

from experiments.stats.comparisons import LEVEL, compare, holds, holm, mcnemar, round_robin
from experiments.stats.elo import elo_above, likelihood_of_superiority, paired_elo
from experiments.stats.intervals import paired_score, win_rate, win_score


def test_holm_by_hand():
    # Holm 1979's rule: 4 x 0.01, 3 x 0.02 and then, never falling, 0.06 and 0.5.
    assert holm(np.array([0.5, 0.02, 0.01, 0.03])) == pytest.approx([0.5, 0.06, 0.04, 0.06])
    assert holm(np.array([0.9, 0.8])) == pytest.approx([1, 1])
    assert holm(np.array([])).size == 0


def win(gained, lost, games):
    """Return who won which of ``games``: only the second ``gained``, only the first ``lost``."""
    at = np.arange(games)
    return (at >= gained) & (at < gained + lost), at < gained


def differs(found):
    return found.low > 0 or found.high < 0


def test_mcnemar_by_hand():
    # 7 and 1 of 10: (6 - 1/2) / sqrt(8) standard errors.
    assert mcnemar(*win(7, 1, 10)) == pytest.approx(2 * norm.sf(5.5 / 8**0.5))
    assert mcnemar(*win(3, 3, 10)) == mcnemar(*win(0, 0, 10)) == 1
    with pytest.raises(ValueError):
        mcnemar(*(won[:end] for won, end in zip(win(1, 1, 10), (10, 3), strict=True)))


def _counts():
    """Return all tables of few games, and some hundred of many, near the edge of significance."""
    few = [
        (gained, lost, games)
        for games in (1, 2, 6, 11, 17)
        for gained in range(games + 1)
        for lost in range(games + 1 - gained)
    ]
    random = np.random.default_rng(6)
    games = random.integers(30, 3000, 200)
    discordant = random.integers(1, games)
    gained = random.binomial(discordant, 0.5)
    least = np.clip((discordant + np.round(1.96 * discordant**0.5)) // 2, 0, discordant).astype(int)
    for side in (gained, least, least + (least < discordant)):
        few += zip(side.tolist(), (discordant - side).tolist(), games.tolist(), strict=True)
    return few


def test_there_is_one_verdict_on_two_players():
    """Interval, p, Elo and likelihood exclude no difference together, in every table.

    Control: the binomial test beside that interval, and Wald's with half games beside our p.
    """
    parted = wald = seen = 0
    for gained, lost, games in _counts():
        first, second = win(gained, lost, games)
        (pair,) = compare([("one", "two", first, second)])
        found = differs(pair.difference)
        assert found == (pair.p < LEVEL) == holds(pair.p), (gained, lost, games)
        elo = paired_elo(pair.difference, (gained + lost) / games / 2, games)
        likely = likelihood_of_superiority(paired_score(gained, lost, games))
        assert found == differs(elo) == (not 0.025 <= likely <= 0.975), (gained, lost, games)
        assert pair.difference.low <= pair.difference.value <= pair.difference.high
        seen += found
        parted += found != (binomtest(gained, max(gained + lost, 1)).pvalue < LEVEL)
        error = (gained + lost + 1 - (gained - lost) ** 2 / (games + 2)) ** 0.5
        wald += found != (abs(gained - lost) > 1.96 * error)
    assert seen > 100 and parted > 20 and wald > 20


def test_there_is_one_verdict_on_a_win_rate():
    for wins, games in ((wins, all_) for all_ in (4, 30, 200) for wins in range(all_ + 1)):
        likely = likelihood_of_superiority(win_score(wins, games, 0.25))
        rate = win_rate(wins, games)
        assert (rate.low > 0.25 or rate.high < 0.25) == (not 0.025 <= likely <= 0.975)
        assert differs(elo_above(rate, 0.25, games)) == (not 0.025 <= likely <= 0.975)


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
    assert found["b", "c"].p == pytest.approx(2 * norm.sf(1.5 / 2**0.5))

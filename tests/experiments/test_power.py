"""As many games as are called for find the difference as often as is said."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.stats.intervals import paired_difference
from experiments.stats.power import (
    discordant_share,
    games_for_difference,
    games_for_win_rate,
    hours,
)


def _found_between(difference: float, discordant: float, games: int, trials: int = 3000) -> float:
    generator = np.random.default_rng(1)
    shares = [(discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant]
    counts = generator.multinomial(games, shares, size=trials)
    outcomes, times = np.unique(counts, axis=0, return_counts=True)
    found = 0
    for (gained, lost, _), often in zip(outcomes.tolist(), times.tolist(), strict=True):
        first, second = np.zeros(games, bool), np.zeros(games, bool)
        second[:gained] = True
        first[gained : gained + lost] = True
        found += often * (paired_difference(first, second).low > 0)
    return found / trials


@pytest.mark.parametrize(("difference", "discordant"), [(0.03, 0.2), (0.1, 0.3)])
def test_power_of_a_difference(difference, discordant):
    """Seen: found with 80 and 81 %; half the difference with 28."""
    games = games_for_difference(difference, discordant)
    assert 0.77 < _found_between(difference, discordant, games) < 0.83
    # The control: the same games do not find half the difference.
    assert _found_between(difference / 2, discordant, games) < 0.4


def test_figures_by_hand():
    # (1.95996 x sqrt(0.25 x 0.75) + 0.84162 x sqrt(0.28 x 0.72))^2 / 0.03^2
    assert games_for_win_rate(0.28, 0.25) == 1672
    assert games_for_win_rate(0.25, 0.28) == 1721, "the reference is not estimated"
    # (1.95996 x sqrt(0.2) + 0.84162 x sqrt(0.2 - 0.0009))^2 / 0.03^2
    assert games_for_difference(0.03, 0.2) == games_for_difference(-0.03, 0.2) == 1742
    assert hours(7200, 2.0) == 4
    assert hours(7200, 2.0, workers=2) == 2


def test_what_cannot_be_seen():
    for rate, reference in ((0.25, 0.25), (0.3, 0.0), (1.2, 0.5)):
        with pytest.raises(ValueError):
            games_for_win_rate(rate, reference)
    for difference, discordant in ((0.0, 0.2), (0.3, 0.2), (0.1, 1.2)):
        with pytest.raises(ValueError):
            games_for_difference(difference, discordant)
    with pytest.raises(ValueError):
        discordant_share(0.1, 0.9, 0.9)

"""Alpha-rank follows circles, where Elo sees equals, and keeps who beats all."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.stats import alpharank
from experiments.stats.alpharank import alpha_ranks


def _play(beats: np.ndarray, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw tables of two different players; the first wins with chance ``beats[first, second]``."""
    generator = np.random.default_rng(seed)
    tables = np.array([generator.permutation(len(beats))[:2] for _ in range(games)])
    first = generator.random(games) < beats[tables[:, 0], tables[:, 1]]
    return tables, np.where(first, 0, 1)


def test_a_circle_is_shared_and_the_weak_have_nothing():
    """Rock, paper, scissors, and one that loses to all three."""
    circle = np.array(
        [[0.5, 0.2, 0.8, 0.9], [0.8, 0.5, 0.2, 0.9], [0.2, 0.8, 0.5, 0.9], [0.1, 0.1, 0.1, 0.5]]
    )
    found = [one.value for one in alpha_ranks(*_play(circle, 3000, 1), 4, seed=0)]
    assert found == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=0.01)


def test_what_games_leave_open_stays_open():
    """Two equal players: neither has the interval for itself.  Control: 70 % are enough."""
    equal = np.full((2, 2), 0.5)
    found = alpha_ranks(*_play(equal, 100, 3), 2, seed=0)
    assert all(one.low < 0.01 and one.high > 0.99 for one in found)
    ahead = np.array([[0.5, 0.7], [0.3, 0.5]])
    assert alpha_ranks(*_play(ahead, 100, 3), 2, seed=0)[0].low > 0.9


@pytest.mark.parametrize(("decimals", "alike"), [(alpharank._DECIMALS, True), (17, False)])
def test_last_digits_of_another_processor_are_not_seen(monkeypatch, decimals, alike):
    """Control: unrounded, they are."""
    on_top, noise = alpharank._on_top, np.random.default_rng(5)
    line = np.array([[0.5, 0.6, 0.5], [0.4, 0.5, 0.6], [0.5, 0.4, 0.5]])
    games = _play(line, 60, 4)
    monkeypatch.setattr(alpharank, "_DECIMALS", decimals)
    here = alpha_ranks(*games, 3, seed=0)
    monkeypatch.setattr(
        alpharank, "_on_top", lambda lead: on_top(lead) * (1 + 1e-14 * noise.normal(size=3))
    )
    assert (alpha_ranks(*games, 3, seed=0) == here) == alike

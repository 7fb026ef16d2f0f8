"""Ratings are those of choix, on the scale of Elo, and their intervals hold the truth."""

from __future__ import annotations

import choix
import numpy as np
import pytest

from experiments.stats.ratings import ALPHA, ratings

ELO = np.array([-120.0, -40.0, 0.0, 60.0, 100.0])
LABELS = list("abcde")


def _play(
    games: int, seats: int, seed: int, elo: np.ndarray = ELO
) -> tuple[np.ndarray, np.ndarray]:
    """Draw tables, with players repeated, and their winners by Luce's rule."""
    generator = np.random.default_rng(seed)
    tables = generator.integers(0, len(elo), (games, seats))
    chances = (10 ** (elo / 400))[tables]
    bounds = np.cumsum(chances / chances.sum(axis=1, keepdims=True), axis=1)
    return tables, np.sum(generator.random(games)[:, None] > bounds[:, :-1], axis=1)


@pytest.mark.parametrize("seats", [2, 4])
def test_the_estimate_is_that_of_choix_from_scratch(seats):
    tables, winners = _play(400, seats, seed=0)
    games = [
        (int(table[winner]), np.delete(table, winner).tolist())
        for table, winner in zip(tables, winners, strict=True)
    ]
    parameters = choix.ilsr_top1(len(ELO), games, alpha=ALPHA)
    expected = (parameters - parameters.mean()) * 400 / np.log(10)
    found = [each.elo for each in ratings(tables, winners, LABELS, seed=0)]
    assert found == pytest.approx(expected, abs=1e-3)


def test_intervals_hold_the_true_ratings(monkeypatch):
    """Seen: 97 % of them; and as a control 40 % hold 0, as if all were equal."""
    monkeypatch.setattr("experiments.stats.ratings.RESAMPLES", 250)
    held = equal = 0
    trials = 60
    for trial in range(trials):
        for each, elo in zip(ratings(*_play(300, 3, trial), LABELS, seed=trial), ELO, strict=True):
            held += each.low <= elo <= each.high
            equal += each.low <= 0 <= each.high
    assert 0.92 < held / (trials * len(ELO)) < 0.98
    assert equal / (trials * len(ELO)) < 0.6


def test_draws_are_left_out():
    tables, winners = _play(200, 3, seed=3)
    drawn = np.concatenate([winners, np.full(50, -1)])
    with_draws = ratings(np.concatenate([tables, tables[:50]]), drawn, LABELS, seed=0)
    assert with_draws == ratings(tables, winners, LABELS, seed=0)


def test_a_player_that_never_won_is_rated_low_and_finite():
    tables = np.tile([0, 1], (40, 1))
    weak, strong = ratings(tables, np.ones(40, int), ["weak", "strong"], seed=0)
    assert -2000 < weak.elo < -400
    assert str(strong).startswith("+")


def test_who_cannot_be_rated():
    tables, winners = _play(50, 3, seed=4)
    with pytest.raises(ValueError, match="f"):
        ratings(tables, winners, [*LABELS, "f"], seed=0)
    with pytest.raises(ValueError):
        ratings(np.zeros((5, 3), int), np.zeros(5, int), ["alone"], seed=0)
    with pytest.raises(ValueError):
        ratings(tables, np.full(50, -1), LABELS, seed=0)

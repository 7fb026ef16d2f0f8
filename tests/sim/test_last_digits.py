"""Results do not depend on the last ulp of exp and log, which differs between processors.

NumPy has separate AVX-512 code for them.  The tests move each result to a neighbouring float: in a
weight fit, and in all computations of a `best` player in a game.  (The table of responses is the
cached one, since computing it takes a minute.)
"""

import numpy as np
import pytest
import scipy.special

from sim.models import opponent_belief, own_cards, responses

ORIGINAL = {name: getattr(scipy.special, name) for name in ("expit", "logit")}


class Moved:
    """NumPy, with the results of some functions moved by one digit at random."""

    def __init__(self, seed):
        self._rng = np.random.default_rng(seed)

    def __getattr__(self, name):
        return getattr(np, name)

    def move(self, function):
        def call(*arguments):
            found = np.asarray(function(*arguments))
            other = np.nextafter(found, np.where(self._rng.random(found.shape) < 0.5, -1e99, 1e99))
            return np.where(np.isfinite(found), other, found)[()]

        return call


@pytest.fixture
def other_processor(monkeypatch):
    """Have the last digits of another processor, as ``seed`` chooses them."""

    def start(seed):
        moved = Moved(seed)
        for name in ("exp", "log", "log1p"):
            setattr(moved, name, moved.move(getattr(np, name)))
        for module in (own_cards, opponent_belief):
            monkeypatch.setattr(module, "np", moved)
        for name in ("expit", "logit"):
            monkeypatch.setattr(scipy.special, name, moved.move(ORIGINAL[name]))

    return start


def keep_all_digits(monkeypatch):
    for module in (own_cards, responses):
        monkeypatch.setattr(module, "DIGITS", 17)


def fit():
    """Return a weight that is fitted to what somebody believed of 200 cards and what was so."""
    rng = np.random.default_rng(7)
    believed = rng.uniform(0.05, 0.95, 200)
    return own_cards.most_likely(believed, rng.random(200) < 0.3 * believed)


def test_weights_are_those_of_every_processor(other_processor):
    expected = fit()
    for seed in range(20):
        other_processor(seed)
        assert fit() == expected


def test_with_all_digits_weights_are_not(other_processor, monkeypatch):
    keep_all_digits(monkeypatch)
    found = set()
    for seed in range(20):
        other_processor(seed)
        found.add(fit())
    assert len(found) > 1

"""The best response to a model: the best of all trials, dependent on the model."""

from dataclasses import replace

import numpy as np
import pytest

from mcts.kernel import store
from sim.arena import play_many
from sim.models import best_response as module
from sim.models.best_response import MIN_WEIGHT, best_response, wins
from sim.models.timing import best_rule, collect_turns, share_won
from sim.policies.registry import Policy
from sim.rules import Rules, preset

EARLY = Policy("swift", threshold=0.35)
HIDE = Policy("hide")


@pytest.fixture
def games(monkeypatch):
    """Set the games that are played, and forget what was found before and after."""

    def choose(number):
        monkeypatch.setattr(module, "_GAMES", number)

    best_response.cache_clear()
    yield choose
    best_response.cache_clear()


def test_it_is_the_best_of_all_that_are_tried(games, monkeypatch):
    """Beside brute force, with prices that all play all games and no steps from them."""
    games(200)
    prices = ((0.0, 0.0), (1.0, 0.2))
    for name, value in (("PRICES", prices), ("STEPS", ()), ("SUMMONING", ()), ("_FIRST", 1.0)):
        monkeypatch.setattr(module, name, value)
    found = module._compute(Rules(), HIDE, EARLY)
    shares = {}
    for hiding, summoning in prices:
        tried = replace(found, hiding=hiding, summoning=summoning)
        turns = collect_turns(Rules(), tried, EARLY, module._SEED, range(200))
        threshold, by_out = best_rule(turns)
        tried = replace(tried, threshold=threshold, by_out=by_out)
        shares[tried] = share_won(turns, threshold, by_out)
    assert found == max(shares, key=shares.get)
    assert min(shares.values()) < max(shares.values())
    played = wins(Rules(), found, EARLY, module._SEED, range(200)).mean()
    assert played == pytest.approx(shares[found], abs=2 / 200)


def test_swift_gets_a_threshold_and_a_weight_alone(games):
    games(300)
    found = best_response(Rules(), Policy("swift", threshold=0.9, own_card_weight=0.5), EARLY)
    assert found == Policy("swift", threshold=found.threshold, own_card_weight=MIN_WEIGHT)
    assert found.threshold < 0.7
    assert best_response(Rules(), Policy("swift"), EARLY) == found  # whatever stood there
    assert best_response(Rules(), Policy("swift"), Policy("heuristic")).threshold > 0.8


def test_games_are_those_of_the_arena():
    own = Policy("swift", threshold=0.5)
    played = play_many(Rules(), [EARLY, own, EARLY, EARLY], 3, np.arange(1, 101, 4)).winner == 1
    assert np.array_equal(wins(Rules(), own, EARLY, 3, range(1, 101, 4)), played)
    assert 0 < played.sum() < 25


def test_what_has_no_threshold_stays_as_it_is_and_greedy_is_played(games, monkeypatch):
    assert best_response(Rules(), Policy("closure"), EARLY) == Policy("closure")
    games(6)
    found = best_response(preset("cai2006"), Policy("greedy"), Policy("closure"))
    assert found.name == "greedy" and found.threshold in module.THRESHOLDS


def test_it_is_kept_on_disk_for_the_next_process(games, monkeypatch, tmp_path):
    games(40)
    monkeypatch.setattr(store, "open_store", lambda: store.Store(tmp_path))
    first = best_response(Rules(), HIDE, EARLY)
    best_response.cache_clear()  # as in another process
    monkeypatch.setattr(module, "_compute", None)
    assert best_response(Rules(), HIDE, EARLY) == first
    with pytest.raises(TypeError):  # the controls: another model, other rules are not there
        best_response(Rules(), HIDE, Policy("closure"))
    with pytest.raises(TypeError):
        best_response(preset("speed"), HIDE, EARLY)

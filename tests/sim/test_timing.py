"""Accusation rules: estimated and played shares of wins agree, and the best rule is found."""

from dataclasses import replace

import numpy as np
import pytest

from sim.models.best_response import wins
from sim.models.timing import Turns, best_rule, collect_turns, share_won
from sim.policies.registry import Policy
from sim.rules import Rules

HIDE = Policy("hide", threshold=0.4, hiding=0.0, summoning=0.0)
MODEL = Policy("swift", threshold=0.35)
GAMES = 400
RULES = ((0.4, 0.0), (0.6, -0.05), (0.35, 0.1), (0.98, 0.0))


@pytest.fixture(scope="module")
def turns():
    return collect_turns(Rules(), HIDE, MODEL, 3, range(GAMES))


@pytest.mark.parametrize("rule", RULES)
def test_what_a_rule_wins_in_the_recorded_games_is_what_it_wins_in_the_arena(turns, rule):
    played = wins(Rules(), replace(HIDE, threshold=rule[0], by_out=rule[1]), MODEL, 3, range(GAMES))
    assert share_won(turns, *rule) == pytest.approx(played.mean(), abs=2 / GAMES)


def make(chance, right, out, game=None):
    """Return turns of made-up games, a row each unless ``game`` says otherwise."""
    game = np.arange(len(chance)) if game is None else np.asarray(game)
    columns = (np.array(chance), np.array(right), np.array(out))
    return Turns(game, *columns, waits=np.zeros(len(chance), bool), games=int(game[-1]) + 1)


def test_the_best_rule_is_found_where_it_is_known():
    """With all in the game guesses of 0.5 are all there is; with one out better ones come."""
    n = 100
    early = np.tile([0.5, 0.9], n), np.tile([0.0, 1.0], n), np.ones(2 * n)
    late = np.full(n, 0.5), np.ones(n), np.zeros(n)
    game = np.concatenate([np.repeat(np.arange(n), 2), n + np.arange(n)])
    turns = make(*(np.concatenate(both) for both in zip(early, late, strict=True)), game)
    assert share_won(turns, *best_rule(turns, (0.0,))) == 0.5  # the control: no fixed bar wins all
    threshold, by_out = best_rule(turns)
    assert share_won(turns, threshold, by_out) == 1.0 and threshold <= 0.5 < threshold + by_out


def test_ties_go_to_who_waits():
    assert best_rule(make([0.5, 1.0], [1.0, 1.0], [0.0, 0.0], [0, 0])) == (1.0, 0.0)
    assert best_rule(make([0.5, 1.0], [1.0, 0.0], [0.0, 0.0], [0, 0])) == (0.5, 0.0)

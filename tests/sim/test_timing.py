"""When to accuse: what rules win in recorded games is what they win, and the best one is found."""

from dataclasses import replace

import numpy as np
import pytest

from sim.arena import play_many
from sim.policies.table import TIMING, Policy
from sim.rules import Rules, preset
from sim.timing import Turns, best_rule, share_won, timed, watched

OWN = Policy("hide", threshold=0.4, hiding=0.0, summoning=0.0)
MODEL = Policy("swift", threshold=0.35)
GAMES = 600
RULES = ((0.4, 0.0, 0.0, 0.0), (0.6, -0.02, 0.0, 0.0), (0.35, 0.0, 0.1, 0.0), (0.5, -0.01, 0, -0.5))


@pytest.fixture(scope="module")
def turns():
    return watched(Rules(), OWN, MODEL, 3, GAMES)


def with_rule(rule):
    """Return `OWN` that accuses by ``rule``."""
    return replace(OWN, threshold=rule[0], **dict(zip(TIMING, rule[1:], strict=True)))


def played(policy):
    """Return the share of the same games that ``policy`` wins in the arena."""
    wins = 0
    for seat in range(4):
        seats = [MODEL] * 4
        seats[seat] = policy
        wins += (play_many(Rules(), seats, 3, np.arange(seat, GAMES, 4)).winner == seat).sum()
    return wins / GAMES


@pytest.mark.parametrize("rule", RULES)
def test_what_a_rule_wins_in_the_recorded_games_is_what_it_wins_in_the_arena(turns, rule):
    assert share_won(turns, np.array(rule)) == pytest.approx(played(with_rule(rule)), abs=2 / GAMES)


def test_each_number_of_a_rule_matters(turns):
    shares = {share_won(turns, np.array(rule)) for rule in RULES}
    assert len(shares) == len(RULES)


def test_turns_are_in_order_and_end_where_the_seat_is_certain(turns):
    assert turns.games == GAMES and set(turns.game) <= set(range(GAMES))
    assert (np.diff(turns.game) >= 0).all()
    same = turns.game[1:] == turns.game[:-1]
    assert (turns.round[1:] >= turns.round[:-1])[same].all()
    assert (turns.out[1:] >= turns.out[:-1])[same].all()
    assert (turns.near[1:] >= 0).all() and turns.near.max() > 3 * turns.near.min() > 0


def made(chance, right, round_, game=None):
    """Return turns of made-up games, a row each unless ``game`` says otherwise."""
    n = len(chance)
    zeros = np.zeros(n)
    game = np.arange(n) if game is None else np.asarray(game)
    columns = (np.array(chance), np.array(right), np.array(round_), zeros, zeros)
    return Turns(game, *columns, alone=np.zeros(n, bool), games=int(game[-1]) + 1)


def test_the_best_rule_is_found_where_it_is_known():
    """Early guesses of 0.5 are wrong and better ones come; late ones of 0.5 are all there is."""
    n = 400
    early = np.tile([0.5, 0.9], n), np.tile([0.0, 1.0], n), np.tile([2.0, 4.0], n)
    late = np.full(n, 0.5), np.ones(n), np.full(n, 14.0)
    game = np.concatenate([np.repeat(np.arange(n), 2), n + np.arange(n)])
    turns = made(*(np.concatenate(both) for both in zip(early, late, strict=True)), game)
    assert share_won(turns, np.array([0.5, 0, 0, 0])) == 0.5  # the controls: no fixed bar wins all
    assert share_won(turns, np.array([0.6, 0, 0, 0])) == 0.5
    assert share_won(turns, best_rule(turns)) == 1.0


def test_alone_a_rule_waits():
    turns = made([0.6, 1.0], [0.0, 1.0], [3.0, 4.0], [0, 0])
    rule = np.array([0.5, 0, 0, 0])
    assert share_won(turns, rule) == 0.0
    assert share_won(turns._replace(alone=np.ones(2, bool)), rule) == 1.0


def test_hide_alone_learns_when_to_accuse():
    with pytest.raises(ValueError, match="hide alone can learn when to accuse, not swift"):
        watched(Rules(), MODEL, MODEL, 3, 1)


def test_against_greedy_and_by_other_rules():
    learnt = timed(preset("cai2006"), OWN, Policy("greedy", threshold=0.5), games=4)
    assert learnt.name == "hide" and 0.05 <= learnt.threshold <= 0.99

"""Mixtures of opponents: seats are drawn for each game with the right frequencies."""

import numpy as np
import pytest

from sim.arena import play_many
from sim.models.opponents import draw_seats, members, wins
from sim.models.own_cards import fit_weight
from sim.policies.registry import Policy
from sim.rules import Rules

SWIFT, UNIFORM = Policy("swift"), Policy("uniform")


def test_one_policy_is_a_company_of_its_kind():
    assert members(SWIFT) == members(((SWIFT, 3.0), (UNIFORM, 0.0))) == ((SWIFT, 1.0),)
    seats = dict(draw_seats(SWIFT, 4, 1, range(2)))
    assert seats == {0: [SWIFT] * 4, 1: [SWIFT] * 4}


def test_members_come_as_often_as_their_weights_say():
    mixed = ((SWIFT, 3.0), (UNIFORM, 1.0))
    found = [seats for _, seats in draw_seats(mixed, 4, 1, range(1000))]
    swifts = np.array([[seat == SWIFT for seat in seats] for seats in found])
    assert abs(swifts.mean() - 0.75) < 0.03
    assert abs(np.corrcoef(swifts.T)[0, 1]) < 0.1  # each seat by itself
    again = [seats for _, seats in draw_seats(mixed, 4, 1, range(500, 510))]
    assert again == found[500:510]  # whichever games are asked for
    assert again != [seats for _, seats in draw_seats(mixed, 4, 2, range(500, 510))]


@pytest.mark.parametrize("weights", [(), (0.0, 0.0), (1.0, -0.5), (1.0, float("nan"))])
def test_impossible_weights_are_refused(weights):
    with pytest.raises(ValueError, match="the weights of a mixture must be 0 or more"):
        members(tuple(zip((SWIFT, UNIFORM), weights, strict=False)))


def test_games_are_those_of_the_arena():
    own = Policy("swift", threshold=0.5)
    games = np.arange(1, 101, 4)
    played = play_many(Rules(), [SWIFT, own, SWIFT, SWIFT], 3, games).winner == 1
    assert np.array_equal(wins(Rules(), own, SWIFT, 3, games), played)
    assert 0 < played.sum() < 25


def test_a_mixture_has_a_weight_of_own_cards_between_those_of_its_members():
    mixed = fit_weight(Rules(), ((SWIFT, 1.0), (UNIFORM, 1.0)), games=30)
    alone = [fit_weight(Rules(), one, games=30).value for one in (SWIFT, UNIFORM)]
    assert 5 * alone[0] < mixed.value < alone[1] / 1.3

"""Planner settings without given values: own switches, own-card weight, prices."""

from dataclasses import replace

import pytest
from positions import unsure_positions
from presets import spec_of

from sim.models import best_response
from sim.models.own_cards import fit_weight
from sim.players.registry import make
from sim.policies.registry import Policy
from sim.rules import Rules

pytestmark = pytest.mark.usefixtures("few_games_for_a_best_response")


@pytest.fixture(scope="module")
def one():
    """Return the position at which planners sit down."""
    return unsure_positions(1)[0]


def test_a_best_response_is_found_for_the_model(one):
    planner = one.take(make(spec_of("bmcts", rollout__best_response=True), Rules()))
    own = best_response.best_response(Rules(), Policy("swift"), planner.config.model)
    assert planner.models.own == replace(own, own_card_weight=1.0)  # which the preset says
    assert one.take(make(spec_of("bmcts"), Rules())).models.own == Policy("swift")


def test_what_is_not_told_is_that_of_the_roll_outs_or_fitted_to_the_model(one):
    untold = {"own_card_weight": None, "actions__hiding": None, "actions__summoning": None}
    hides = {"opponents": "hide", "rollout__policy": "hide", "rollout__hiding": 0.6}
    planner = one.take(make(spec_of("bmcts", **untold, **hides), Rules()))
    p, weight = planner.position(one.view), fit_weight(Rules(), Policy("hide"))
    assert (p.hiding, p.summoning) == (0.6, 0.2) and weight > 2
    read = p.root[0].evidence[one.seat].own_card_weight
    assert {*read[: one.rules.players].tolist()} == {weight} == {planner.models.own.own_card_weight}
    planner = one.take(make(spec_of("bmcts", **untold), Rules()))
    p = planner.position(one.view)
    assert (p.hiding, p.summoning) == (0.0, 0.0)
    assert planner.models.weight == fit_weight(Rules(), Policy("heuristic")) < 0.1


def test_a_best_response_of_hide_tells_prices_and_reading_too(one):
    untold = {"own_card_weight": None, "actions__hiding": None, "actions__summoning": None}
    hides = {"rollout__policy": "hide", "rollout__best_response": True}
    model = {"opponents": "swift", "model__threshold": 0.35}
    planner = one.take(make(spec_of("bmcts", **untold, **hides, **model), Rules()))
    own = best_response.best_response(Rules(), Policy("hide"), Policy("swift", threshold=0.35))
    assert planner.models.own == own and planner.models.weight == own.own_card_weight < 1
    assert [planner.models.hiding, planner.models.summoning] == [own.hiding, own.summoning]
    # Given settings count for more.
    given = {**untold, "own_card_weight": 0.5, "actions__hiding": 0.25}
    planner = one.take(make(spec_of("bmcts", **given, **hides, **model), Rules()))
    assert planner.models.weight == planner.models.own.own_card_weight == 0.5
    assert [planner.models.hiding, planner.models.summoning] == [0.25, own.summoning]

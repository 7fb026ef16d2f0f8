"""The search of noisy, adaptive hunts against exact values, with controls that fail.

The exact values are those of a recursion of its own (`hunt_reference`), step by step.
"""

import pytest
from hunt_reference import Reference, star

from mcts.contract.testing import check_domain
from sim.hunt.strategies.domain import adaptive
from sim.hunt.strategies.planners import Planner, value
from sim.hunt.strategies.playing import expected

SIMULATIONS = 5_000

PUBLISHED = {1: (6.076140, 6.076140), 2: (6.820181, 7.820181), 3: (6.820181, 8.066800)}
"""Open and closed values of the star by moves."""


@pytest.mark.parametrize("moves", PUBLISHED)
def test_exact_values_are_the_known_ones(moves):
    exact = Reference(star(moves))
    values = exact.open(), exact.closed()
    assert values == pytest.approx(PUBLISHED[moves], abs=1e-6)
    assert values[1] < exact.informed()


@pytest.mark.parametrize("by_step", [False, True], ids=["trips", "steps"])
def test_it_meets_the_contract(by_step):
    assert check_domain(adaptive(star(3), by_step)) > 50


def test_a_planner_plays_as_well_as_can_be():
    p = adaptive(star(3))
    planner = Planner(p, "bmcts", SIMULATIONS)
    assert value(planner.search(p, 1)) == pytest.approx(PUBLISHED[3][1], abs=0.1)
    assert expected(p, planner, 1) == pytest.approx(PUBLISHED[3][1], abs=1e-6)

"""In late positions with exact values, exact planners converge to the best turn.

The controls do not: trees that know their deal, and overconfident beliefs.
"""

from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest

from mcts.kernel.compile import INTERPRETED
from mcts.options import Budget, Options
from sim.endgame.random_positions import endgames
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner
from sim.state import PASSAGE

pytestmark = pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")

POSITIONS, FEW, MANY = 8, 100, 12_000
EVERYTHING = PlannerConfig(
    opponents="uniform",
    candidates=36,
    accusations=8,
    options=Options(
        exploration=0.15,
        root_exploration=1.0,
        widening_base=2.0,
        widening_exponent=0.35,
        nodes=MANY + 1,
    ),
)
"""Every action is on offer in the end, those of most information first."""


@cache
def find():
    return list(islice(endgames(0), POSITIONS))


def regret(config, simulations):
    """Return what the turns of a planner lose at each position against best play."""
    planner = Planner(replace(config, budget=Budget(simulations=simulations)))
    lost = []
    for key, one in enumerate(find()):
        one.sit(planner, key)
        action = one.choice(planner, key)
        assert planner.result.simulations == simulations
        lost.append(one.regret(action))
        if action < PASSAGE:
            then = one.after(action)
            lost[-1] += then.regret(then.choice(planner, key))
    return np.array(lost)


@pytest.mark.parametrize("variant", ["bmcts", "ld_bmcts", "pomcp", "so_ismcts"])
def test_the_best_turn_is_found_in_the_end(variant):
    """(Alone at the table an ISMCTS is POMCP.)"""
    by_tree = {"opponents": "tree", "rollout_opponents": "uniform"}
    config = replace(EVERYTHING, variant=variant, **(by_tree if variant == "so_ismcts" else {}))
    few, many = regret(config, FEW), regret(config, MANY)
    assert many.mean() < 0.015 < few.mean()
    assert np.count_nonzero(many > 1e-9) <= 2


CONTROLS = {
    "pimc": replace(EVERYTHING, variant="pimc"),
    "factored": replace(EVERYTHING, belief="factored"),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_the_controls_do_not_find_it(name):
    assert regret(CONTROLS[name], MANY // 4).mean() > 0.03

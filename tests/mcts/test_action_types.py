"""Searches that choose the type of an action first: known values, and how visits are shared out."""

import numpy as np
import pytest

from mcts.merge import merge
from mcts.options import Budget, Options
from mcts.plain.problem import Problem
from mcts.problems.tiger import LISTEN, TigerParameters
from mcts.search import Search
from mcts.selection import final_choice

MANY = 30


ARMS = Problem(
    start=[False],
    actions=lambda over: [] if over else range(MANY + 1),
    step=lambda over, arm, chance: (True, float(chance.random() < (0.6 if arm == MANY else 0.5))),
    observation=lambda over: 0,
    low=0,
    high=1,
    steps=1,
    action_type=lambda arm: 0 if arm == MANY else 1,
).position()
"""One decision: an action of type 0, or one of `MANY` of type 1 that pay a little less."""


def search(p, simulations, key=1, **options):
    return Search(p, Options(nodes=simulations, **options)).run(Budget(simulations), key)


@pytest.mark.parametrize("by_type", [False, True])
def test_a_type_of_one_action_is_tried_as_often_as_a_type_of_many(by_type):
    visits = search(ARMS, 100, action_types=by_type, exploration=0.7).visits
    assert (visits[MANY] > 30) == by_type


def test_the_untried_type_goes_first():
    visits = search(ARMS, 2, action_types=True).visits
    assert visits[0] == visits[MANY] == 1


def test_tiger_keeps_its_value_with_two_types():
    """2.3098 with three steps to go; the doors are of one type."""
    p = TigerParameters(steps=3)
    flat, typed = (
        search(p, 100_000, action_types=given, exploration=0.1) for given in (False, True)
    )
    assert typed.best == LISTEN
    assert abs(typed.values[LISTEN] - 2.3098) < 0.3
    assert typed.visits[1:].sum() < flat.visits[1:].sum()


def test_the_final_choice_is_by_type():
    visits, types = np.array([4, 4, 4, 9]), np.array([1, 1, 1, 0])
    means = np.array([0.5, 0.6, 0.4, 0.7])
    assert final_choice(visits, means, "visits") == 3
    assert final_choice(visits, means, "visits", types) == 1
    assert final_choice(visits, means, "mean", types) == 3


def test_merged_searches_keep_the_types():
    found = [search(ARMS, 50, key, action_types=True) for key in range(2)]
    assert merge(found, "visits").types.tolist() == [1] * MANY + [0]


def test_other_rules_of_selection_are_refused():
    with pytest.raises(ValueError, match="action_types needs selection uct"):
        Options(action_types=True, selection="weighted")

"""Simulations one at a time add up to the search, and what is no search growing is refused."""

import numpy as np
import pytest

from mcts.inspect import root_table
from mcts.options import Budget, Options
from mcts.outcomes import OutcomeTree, follow
from mcts.problems import TigerParameters
from mcts.search import Search

SIMULATIONS = 60


@pytest.fixture(scope="module")
def tiger():
    p = TigerParameters(steps=4)
    search = Search(p, Options(exploration=0.3, nodes=500))
    units = {name: search.domain.declaration(name, p) for name in ("low", "high")}
    return search, units


def grower(search, key):
    def grow(count):
        search.run(Budget(simulations=count), key=key(count))
        return search.tree

    return grow


def test_simulations_add_up_to_the_search(tiger):
    search, units = tiger
    steps = follow(grower(search, lambda count: 3), SIMULATIONS, **units)
    result = search.run(Budget(simulations=SIMULATIONS), key=3)
    assert len(steps) == SIMULATIONS
    for row in root_table(result):
        returns = [step.values[0] for step in steps if step.way[0][0] == row.action]
        assert len(returns) == row.visits
        assert np.mean(returns) == pytest.approx(row.value)
    ways = {step.way[:depth] for step in steps for depth in range(len(step.way) + 1)}
    assert len(ways) == len(OutcomeTree(search.tree, **units).top())


def test_a_tree_grows_by_what_was_not_seen_before(tiger):
    search, units = tiger
    steps = follow(grower(search, lambda count: 3), SIMULATIONS, **units)
    known = {()}
    for step in steps:
        assert step.grew == (step.way not in known)
        assert step.way[:-1] in known
        assert len(step.values) == len(step.way)
        known.add(step.way)


def test_another_search_is_not_one_more_simulation(tiger):
    search, units = tiger
    with pytest.raises(ValueError, match="did not extend the tree"):
        follow(grower(search, lambda count: count), SIMULATIONS, **units)

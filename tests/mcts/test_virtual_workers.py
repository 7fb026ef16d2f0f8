"""Simulated workers: one is a search, many are repeatable, and see each other's work under way."""

import pytest

from benchmarks.strength.virtual_workers import VirtualSearch
from mcts import Budget, Options, Search
from mcts.contract.testing import check_invariants
from mcts.problems import TigerParameters
from mcts.tree import EDGES

pytestmark = pytest.mark.nightly

BUDGET = Budget(simulations=2000)
TIGER = TigerParameters()


def _search(workers, treatment="virtual_loss"):
    return VirtualSearch(TIGER, Options(exploration=0.5, in_flight=treatment), workers, 0.5)


def test_one_worker_is_a_search_bit_by_bit():
    found, alone = _search(1), Search(TIGER, Options(exploration=0.5))
    ours, theirs = found.run(BUDGET, 1), alone.run(BUDGET, 1)
    assert (ours.visits == theirs.visits).all()
    assert (ours.values == theirs.values).all()


@pytest.mark.parametrize("workers", [7, 64])
def test_many_workers_count_every_simulation_once_and_always_the_same(workers):
    search = _search(workers)
    first = search.run(BUDGET, 1)
    check_invariants(search.tree)
    assert not search.tree.edge_in_flight[: search.tree.counters[EDGES]].any()
    assert first.visits.sum() == first.simulations == BUDGET.simulations
    again = search.run(BUDGET, 1)
    assert (first.values == again.values).all()
    other = _search(1).run(BUDGET, 1)
    assert (first.values != other.values).any()  # the control: workers matter


def test_virtual_loss_spreads_workers_that_would_all_go_one_way():
    nodes = {
        treatment: _search(256, treatment).run(Budget(simulations=256), 1).visits.max()
        for treatment in ("none", "virtual_loss")
    }
    assert nodes["virtual_loss"] < nodes["none"]

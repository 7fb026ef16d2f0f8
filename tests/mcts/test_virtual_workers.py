"""Simulated workers: one is a search, many are repeatable, and see each other's work under way."""

import pytest

from benchmarks.strength.virtual_workers import VirtualRoot, VirtualSearch, draw_latencies
from mcts import Budget, Options, Search
from mcts.contract.testing import check_invariants
from mcts.merge import merge
from mcts.problems import TigerParameters
from mcts.root import worker_key
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


def test_trees_of_their_own_are_merged_as_those_of_root_workers():
    root = VirtualRoot(3, "visits", lambda p: Search(p, Options(exploration=0.5)))
    found = root.run(Budget(simulations=300), 5, TIGER)
    alone = Search(TIGER, Options(exploration=0.5))
    results = [alone.run(Budget(simulations=100), worker_key(5, i)) for i in range(3)]
    assert (found.visits == merge(results, "visits").visits).all()


def test_latencies_have_the_mean_and_spread_asked_for():
    drawn = draw_latencies(0.5)
    assert drawn.mean() == pytest.approx(1, abs=0.03)
    assert drawn.std() == pytest.approx(0.5, abs=0.05)
    assert (draw_latencies(0.0) == 1).all()

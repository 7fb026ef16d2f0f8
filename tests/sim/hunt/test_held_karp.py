"""Held-Karp over shortest distances is exact: all orders of targets say the same."""

import networkx as nx
import numpy as np
import pytest
from ways_checks import check_route, orders

from sim.hunt.graph import members
from sim.hunt.measurements import Partition
from sim.hunt.paths import held_karp
from sim.hunt.paths.held_karp import best, fill
from sim.hunt.paths.random_graphs import random_graph
from sim.hunt.reward import Weights


@pytest.mark.parametrize("symmetric", [True, False])
def test_every_subset_of_seven_places(symmetric):
    rng = np.random.default_rng(7)
    between = rng.random((7, 7))
    if symmetric:
        between = between + between.T
    from_start, to_goal = rng.random(7), rng.random(7)
    table = np.empty((128, 7))
    fill(from_start, between, 1 << np.arange(7), table)
    expected = np.full(128, np.inf)
    walks = orders(7)
    far, seen = from_start[walks[:, 0]], 1 << walks[:, 0]
    np.minimum.at(expected, seen, far + to_goal[walks[:, 0]])
    for step in range(1, 7):
        far = far + between[walks[:, step - 1], walks[:, step]]
        seen = seen | 1 << walks[:, step]
        np.minimum.at(expected, seen, far + to_goal[walks[:, step]])
    assert (table + to_goal).min(axis=1) == pytest.approx(expected, abs=1e-12)


def test_more_targets_than_a_thousand_cells_are_no_matter():
    graph = random_graph(1000, 1400, 14, seed=8, targets=12)
    benefit, weights = Partition(np.full(12, 1 / 12)), Weights(8, 0.1, 0.01)
    route = best(graph, benefit, weights, 0, 999)
    check_route(graph, 0, 999, benefit, weights, np.ones(12), route)
    assert len(route.measured) >= 10


def test_without_targets_the_way_is_the_shortest():
    graph = random_graph(12, 16, 0, seed=1)
    route = best(graph, Partition([]), Weights(), 0, 11)
    assert route.cells == tuple(nx.dijkstra_path(graph, 0, 11, weight="length"))
    assert best(graph, Partition([]), Weights(), 0).cells == (0,)


def test_refusals():
    graph, benefit = random_graph(30, 40, 21, seed=1), Partition(np.full(21, 1 / 21))
    with pytest.raises(ValueError, match=r"21 targets shown by .*labels"):
        best(graph, benefit, Weights(), 0)
    crowded = random_graph(90, 120, 80, seed=1, targets=20)
    with pytest.raises(ValueError, match=r"20 targets shown by 80 cells .*labels"):
        best(crowded, benefit, Weights(), 0)


def test_what_is_worthless_is_refused():
    graph = random_graph(10, 14, 3, seed=1)
    for benefit, weights, cost, sentence in [
        (Partition([0.5, 0.5]), Weights(), None, "3 targets, and the benefit 2"),
        (Partition([0.2] * 3), Weights(-1, 1, 1), None, "weights must be at least 0"),
        (Partition([0.2] * 3), Weights(), np.ones(2), "costs of tests must be 3 numbers"),
        (Partition([0.2] * 3), Weights(), -np.ones(3), "costs of tests must be 3 numbers"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            best(graph, benefit, weights, 0, cost=cost)


def test_sets_beyond_the_bound_are_not_asked_for(monkeypatch):
    """Information is asked for by upper bound: of 2^12 sets few, and the answer stays the same."""
    graph = random_graph(40, 60, 12, seed=9)
    asked = []

    class Counted(Partition):
        def values(self, masks):
            asked.append(len(masks))
            return super().values(masks)

    benefit, weights = Counted(np.full(12, 1 / 12)), Weights(3, 0.3, 0.5)
    whole = best(graph, benefit, weights, 0, 39)
    assert sum(asked) == 4096
    asked.clear()
    monkeypatch.setattr("sim.hunt.paths.objective.CHUNK", 64)
    assert best(graph, benefit, weights, 0, 39) == whole
    assert sum(asked) < 1000
    assert whole.measured == members(
        np.array([sum(1 << target for target in whole.measured)], np.uint64)
    )
    assert held_karp.MOST_TARGETS == 20

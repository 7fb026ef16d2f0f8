"""Labels find every set of targets and its shortest way: all orders of targets say the same."""

import numpy as np
import pytest
from ways_checks import best_by_orders, check_route, shortest_by_orders, small_hunts

from sim.hunt.paths import closure
from sim.hunt.paths.labels import best, routes


def test_the_best_way_is_that_of_all_orders_and_of_the_closure():
    for graph, start, goal, benefit, weights, cost in small_hunts():
        route = best(routes(graph, start, goal), benefit, weights, cost)
        check_route(graph, start, goal, benefit, weights, cost, route)
        value = best_by_orders(graph, start, goal, benefit, weights, cost)
        assert route.value == pytest.approx(value, abs=1e-9)
        whole = closure.best(graph, benefit, weights, start, goal, cost)
        assert route.value == pytest.approx(whole.value, abs=1e-9)


def test_every_set_is_as_short_as_all_orders_say():
    for graph, start, goal, *_ in small_hunts(60):
        shortest = shortest_by_orders(graph, start, goal)
        for ways in (routes(graph, start, goal), routes(graph, start, goal, every=True)):
            found = np.full(len(shortest), np.inf)
            for index in range(len(found)):
                holds = ways.masks[:, 0] & np.uint64(index) == index
                found[index] = ways.lengths[holds].min(initial=np.inf)
            assert found == pytest.approx(shortest)

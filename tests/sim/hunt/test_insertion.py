"""Hundreds of targets: what is found can be walked, and no way is worth more than the bound."""

import networkx as nx
import numpy as np
import pytest
from ways_checks import check_route, small_hunts

from sim.hunt.benefit import Benefit, Partition
from sim.hunt.paths import held_karp
from sim.hunt.paths.bounds import solve_relaxation, upper_bound
from sim.hunt.paths.distances import Stops
from sim.hunt.paths.insertion import insertion, shorten
from sim.hunt.paths.labels import best, routes
from sim.hunt.paths.objective import Objective
from sim.hunt.paths.random_graphs import random_graph
from sim.hunt.reward import Weights


def test_below_the_optimum_and_the_optimum_below_the_bound():
    found = []
    for graph, start, goal, benefit, weights, cost in small_hunts(60):
        exact = held_karp.best(graph, benefit, weights, start, goal, cost)
        result = insertion(graph, benefit, weights, start, goal, None, cost)
        check_route(graph, start, goal, benefit, weights, cost, result.route)
        assert result.route.value <= exact.value + 1e-9
        assert exact.value <= result.upper + 1e-9
        found.append(result.route.value >= exact.value - 1e-9)
    assert np.mean(found) > 0.8


def test_the_limit_is_kept_and_its_bound_holds():
    for graph, start, goal, benefit, weights, cost in small_hunts(40):
        exact = best(routes(graph, start, goal, 2.0), benefit, weights, cost)
        result = insertion(graph, benefit, weights, start, goal, 2.0, cost)
        straight = 0 if goal is None else nx.dijkstra_path_length(graph, start, goal, "length")
        assert result.route.length <= straight + 2 + 1e-9
        assert result.route.value <= exact.value + 1e-9
        assert exact.value <= result.upper + 1e-9


def test_a_bound_that_forgets_a_term_is_none():
    """Controls: gains beyond a base without what the base is worth; needs taken four times."""
    fails = {"base": 0, "need": 0}
    for graph, start, goal, benefit, weights, cost in small_hunts(60):
        exact = held_karp.best(graph, benefit, weights, start, goal, cost).value
        stops = Stops(graph, start, goal, None)
        worth = Objective(benefit, weights, stops.targets, cost)
        everything = list(range(stops.targets))
        whole = benefit.value(everything)
        gains = np.array([whole - benefit.value({*everything} - {t}) for t in everything])
        gains = weights.benefit * gains
        legs = stops.need, stops.detour, weights.distance, stops
        forgot = solve_relaxation(gains - worth.test, *legs)
        fails["base"] += forgot < exact - 1e-6
        stops.need = 4 * stops.need
        fails["need"] += upper_bound(stops, worth) < exact - 1e-6
    assert min(fails.values()) >= 3, fails


def test_without_submodularity_the_bound_is_all_information():
    class Both(Benefit):
        """XOR: each of two targets alone reveals nothing."""

        targets = 2

        def value(self, measured):
            return float(len(set(measured)) == 2)

    graph = nx.path_graph(4)
    nx.set_edge_attributes(graph, 1.0, "length")
    nx.set_node_attributes(graph, {1: (0,), 3: (1,)}, "targets")
    result = insertion(graph, Both(), Weights(9, 1, 1), 0)
    assert result.upper == pytest.approx(9)
    assert result.route.value == pytest.approx(9 - 2 - 3)
    assert result.route.cells == (0, 1, 2, 3)


def test_hundreds_of_targets():
    graph = random_graph(531, 686, 270, seed=1)
    benefit, weights = Partition(np.full(270, 1 / 270)), Weights(200, 0.01, 0.1)
    greedy = insertion(graph, benefit, weights, 0, 530, 15)
    check_route(graph, 0, 530, benefit, weights, np.full(270, 1.0), greedy.route)
    assert greedy.upper < 1.7 * greedy.route.value
    assert len(greedy.route.measured) > 20


def test_turning_and_moving_end_in_the_shortest_round_of_a_circle():
    angle = np.linspace(0, 2 * np.pi, 13)[1:-1]
    at = np.column_stack([np.cos(angle), np.sin(angle)])
    between = np.linalg.norm(at[:, None] - at[None], axis=2)
    ends = np.linalg.norm(at - [1, 0], axis=1)
    far = np.zeros((13, 13))
    far[:11, :11], far[11, :11], far[:11, 12] = between, ends, ends
    way = np.array([11, *np.random.default_rng(3).permutation(11), 12])
    shorten(way, 11, far)
    assert way[1:12].tolist() in (list(range(11)), list(range(10, -1, -1)))


def test_refusals():
    graph, benefit = random_graph(10, 14, 3, seed=1), Partition([0.2] * 3)
    graph.add_node("island")
    for start, goal, within, sentence in [
        ("x", None, None, "start 'x' is no cell"),
        (0, "island", None, "no way from 0 to 'island'"),
        (0, None, -1, "`within` is a length of 0 or more"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            insertion(graph, benefit, Weights(), start, goal, within)


def test_nothing_to_see():
    graph = random_graph(10, 14, 0, seed=1)
    result = insertion(graph, Partition([]), Weights(1, 1, 1), 0, 9)
    assert result.route.value == result.upper == pytest.approx(-result.route.length)

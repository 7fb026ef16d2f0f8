"""Independent check of routes: all orders of targets on networkx distances."""

from functools import cache
from itertools import permutations

import networkx as nx
import numpy as np
import pytest

from sim.hunt.graph import members, number_of_targets
from sim.hunt.measurements import Partition
from sim.hunt.paths.random_graphs import random_graph
from sim.hunt.reward import Weights


@cache
def orders(targets):
    """Return all orders of targets, int (targets!, targets)."""
    return np.array(list(permutations(range(targets))), int).reshape(-1, targets)


def shortest_by_orders(graph, start, goal):
    """Return the shortest length that measures each set of targets, float64 (2**targets,).

    Each order of all targets is walked, and its beginnings give the smaller sets.
    """
    targets = number_of_targets(graph)
    cells = list(graph)
    number = {cell: i for i, cell in enumerate(cells)}
    length = np.full((len(cells), len(cells)), np.inf)
    for cell, reached in nx.all_pairs_dijkstra_path_length(graph, weight="length"):
        for other, far in reached.items():
            length[number[cell], number[other]] = far
    home = np.zeros(len(cells)) if goal is None else length[:, number[goal]]
    showing = [
        [number[cell] for cell in cells if target in (graph.nodes[cell].get("targets") or ())]
        for target in range(targets)
    ]
    most = max((len(shown) for shown in showing), default=1)
    where = np.array([shown + shown[:1] * (most - len(shown)) for shown in showing])
    found = np.full(1 << targets, np.inf)
    found[0] = home[number[start]]
    walks = orders(targets)
    here, far, seen = np.full((len(walks), 1), number[start]), np.zeros((len(walks), 1)), 0
    for step in range(targets):
        there = where[walks[:, step]]
        far = (far[:, :, None] + length[here[:, :, None], there[:, None, :]]).min(axis=1)
        here, seen = there, seen | 1 << walks[:, step]
        np.minimum.at(found, seen, (far + home[here]).min(axis=1))
    return found


def best_by_orders(graph, start, goal, benefit, weights, cost):
    """Return the largest value of a way."""
    shortest = shortest_by_orders(graph, start, goal)
    return max(
        weights.benefit * benefit.value(chosen)
        - weights.test * cost[list(chosen)].sum()
        - weights.distance * length
        for index, length in enumerate(shortest)
        for chosen in [members(np.array([index], np.uint64))]
    )


@cache
def small_hunts(number=200, most=8):
    """Return hunts of up to 8 targets: (graph, start, goal, benefit, weights, cost)."""
    hunts = []
    for seed in range(number):
        rng = np.random.default_rng([28, seed])
        cells = int(rng.integers(8, 13))
        targets = int(rng.integers(2, 7)) if seed % 10 else most
        observed = min(cells, targets + int(rng.integers(3)))
        targets = min(targets, observed)
        graph = random_graph(cells, cells + 3, observed, seed, targets)
        if seed % 3 == 0:  # a cell that shows several
            shown = graph.nodes[0]["targets"]
            graph.nodes[0]["targets"] = tuple({*shown, 0, targets - 1})
        if seed % 4 == 0:  # a passage
            one, other = list(graph.edges)[int(rng.integers(graph.number_of_edges()))]
            graph.edges[one, other]["length"] = 0.0
        goal = None if seed % 5 == 0 else cells - 1
        benefit = Partition(rng.dirichlet(np.ones(targets)) * rng.uniform(0.6, 1))
        weights = Weights(rng.uniform(2, 12), rng.uniform(0, 1), rng.uniform(0, 0.6))
        hunts.append((graph, 1, goal, benefit, weights, rng.uniform(0, 1, targets)))
    return hunts


@cache
def values_by_orders():
    """Return the value of the best way of each of `small_hunts`."""
    return [best_by_orders(*small) for small in small_hunts()]


def check_route(graph, start, goal, benefit, weights, cost, route):
    """Check that a way can be walked, and that it is worth what it says."""
    assert route.cells[0] == start
    assert goal is None or route.cells[-1] == goal
    assert all(graph.has_edge(*arc) for arc in zip(route.cells, route.cells[1:], strict=False))
    assert nx.path_weight(graph, route.cells, "length") == pytest.approx(route.length)
    seen = {target for cell in route.cells for target in graph.nodes[cell]["targets"]}
    assert set(route.measured) <= seen
    assert route.benefit == pytest.approx(benefit.value(route.measured))
    assert route.value == pytest.approx(
        weights.benefit * route.benefit
        - weights.test * cost[list(route.measured)].sum()
        - weights.distance * route.length
    )

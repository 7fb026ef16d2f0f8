"""Labels find every set of targets and its shortest way: all orders of targets say the same."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from ways_checks import check_route, shortest_by_orders, small_hunts, values_by_orders

from sim.hunt.graph import members
from sim.hunt.measurements import NaiveBayes
from sim.hunt.paths import held_karp
from sim.hunt.paths.labels import best, routes
from sim.hunt.paths.random_graphs import random_graph
from sim.hunt.reward import Weights


def test_the_best_way_is_that_of_all_orders_and_of_held_karp():
    for small, value in zip(small_hunts(), values_by_orders(), strict=True):
        graph, start, goal, benefit, weights, cost = small
        route = best(routes(graph, start, goal), benefit, weights, cost)
        check_route(*small, route)
        assert route.value == pytest.approx(value, abs=1e-9)
        whole = held_karp.best(graph, benefit, weights, start, goal, cost)
        check_route(*small, whole)
        assert whole.value == pytest.approx(value, abs=1e-9)


def test_every_set_is_as_short_as_all_orders_say():
    for graph, start, goal, *_ in small_hunts()[:60]:
        shortest = shortest_by_orders(graph, start, goal)
        for ways in (routes(graph, start, goal), routes(graph, start, goal, every=True)):
            found = np.full(len(shortest), np.inf)
            for index in range(len(found)):
                holds = ways.masks[:, 0] & np.uint64(index) == index
                found[index] = ways.lengths[holds].min(initial=np.inf)
            assert found == pytest.approx(shortest)


def rows(ways):
    """Return masks with lengths, to compare."""
    return {
        (tuple(mask), round(float(length), 9))
        for mask, length in zip(ways.masks.tolist(), ways.lengths, strict=True)
    }


def keep_undominated(found):
    """Return the rows that no other one of ``found`` beats: no longer, and seeing as much."""
    return {
        (mask, length)
        for mask, length in found
        if not any(
            (more, other) != (mask, length)
            and other <= length
            and all(some & ~all_ == 0 for some, all_ in zip(mask, more, strict=True))
            for more, other in found
        )
    }


def test_dominated_sets_alone_are_dropped():
    dropped = 0
    for graph, start, goal, *_ in small_hunts()[:60]:
        if any(length == 0 for *_, length in graph.edges(data="length")):
            continue  # equal lengths, of which rounding decides
        few, every = routes(graph, start, goal), routes(graph, start, goal, every=True)
        assert rows(few) == keep_undominated(rows(few)) == keep_undominated(rows(every))
        dropped += len(every) > len(few)
    assert dropped > 5


def test_d_m_keeps_what_is_within_it():
    for seed in range(5):
        graph = random_graph(20, 40, 10, seed)
        shortest = nx.dijkstra_path_length(graph, 0, 19, weight="length")
        whole = routes(graph, 0, 19)
        for within in (0.0, 1.0, 4.0):
            near = routes(graph, 0, 19, within)
            assert rows(near) == {row for row in rows(whole) if row[1] <= shortest + within + 1e-9}
            assert near.made < whole.made
        free = routes(graph, 0, None, 3.0)
        assert rows(free) == {row for row in rows(routes(graph, 0)) if row[1] <= 3}


def comb(teeth, length):
    """Return a long corridor with a target in every cell, and dead ends of growing depth."""
    graph = nx.path_graph(length)
    nx.set_edge_attributes(graph, 1.0, "length")
    graph.add_edges_from(
        ((place * (length // teeth), length + place) for place in range(teeth)), length=0.0
    )
    for place in range(teeth):
        graph.edges[place * (length // teeth), length + place]["length"] = 1 + 0.01 * 2**place
    for cell in graph:
        graph.nodes[cell]["targets"] = (int(cell),)
    return graph


def test_more_targets_than_a_word_holds():
    """Every choice of teeth is a set of its own, and their depths tell them apart."""
    teeth, length, within = 7, 140, 9.0
    graph = comb(teeth, length)
    depth = [2 * (1 + 0.01 * 2**place) for place in range(teeth)]
    expected = {
        tuple(sorted([*range(length), *(length + tooth for tooth in chosen)]))
        for size in range(teeth + 1)
        for chosen in combinations(range(teeth), size)
        if sum(depth[tooth] for tooth in chosen) <= within
    }
    ways = routes(graph, 0, length - 1, within)
    assert {members(mask) for mask in ways.masks} == expected
    assert len(ways) == len(expected)
    for way in range(len(ways)):
        assert nx.path_weight(graph, ways.cells(way), "length") == pytest.approx(ways.lengths[way])
        assert set(ways.cells(way)) == set(members(ways.masks[way]))


def test_sensors_that_are_too_many_to_be_summed_over_together():
    """No way sees more than a few of them: the exact answer is that of all ways and subsets."""
    graph = random_graph(cells=60, arcs=90, observation_cells=40, seed=3)
    rng = np.random.default_rng(3)
    benefit = NaiveBayes(np.full(4, 0.25), rng.dirichlet([1, 1, 1], (40, 4)))
    with pytest.raises(ValueError, match="too many joint outcomes"):
        benefit.value(range(40))
    weights, found = Weights(12, 1, 0.5), routes(graph, 0, 30, within=0.5)
    assert len(found) > 1 and max(len(members(bits)) for bits in found.masks) < 9
    route = best(found, benefit, weights)
    exact = max(
        12 * benefit.value(chosen) - len(chosen) - 0.5 * length
        for bits, length in zip(found.masks, found.lengths, strict=True)
        for size in range(len(members(bits)) + 1)
        for chosen in combinations(members(bits), size)
    )
    assert route.value == pytest.approx(exact)
    assert benefit.upper_bound() >= max(benefit.value(members(bits)) for bits in found.masks)


def test_refusals():
    graph = random_graph(25, 40, 22, seed=1)
    for start, goal, within, sentence in [
        ("x", None, None, "start 'x' is no cell"),
        (0, 99, None, "goal 99 is no cell"),
        (0, 1, -1.0, "`within` is a length of 0 or more"),
        (0, 1, float("nan"), "`within` is a length of 0 or more"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            routes(graph, start, goal, within)
    with pytest.raises(ValueError, match=r"more than 500 paths .* make `within` smaller"):
        routes(graph, 0, 24, max_labels=500)
    graph.add_node("island")
    with pytest.raises(ValueError, match="no path from 0 to 'island'"):
        routes(graph, 0, "island")

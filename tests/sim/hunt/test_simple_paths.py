"""All simple paths; the printed pruning, a control, ends, keeps true ways and misses optima."""

import networkx as nx
import numpy as np
import pytest
from ways_checks import check_route

from experiments.tables import printed_pruning
from experiments.tables.printed_pruning import prune_as_printed
from sim.hunt.graph import mask, number_of_targets
from sim.hunt.measurements import Partition
from sim.hunt.paths.labels import best, routes
from sim.hunt.paths.random_graphs import random_graph
from sim.hunt.paths.simple_paths import exhaustive
from sim.hunt.reward import Weights


def see(graph, path):
    """Return the mask of the targets on a path."""
    shown = {target for cell in path for target in graph.nodes[cell]["targets"]}
    return tuple(mask(shown, number_of_targets(graph)).tolist())


def test_all_simple_paths_are_those_of_networkx():
    for seed in range(12):
        graph = random_graph(9, 14, 5, seed, targets=4)
        goal = 0 if seed == 11 else 8
        shortest = nx.dijkstra_path_length(graph, 0, goal, weight="length")
        for within in (None, 1.5):
            expected = {
                tuple(path): nx.path_weight(graph, path, "length")
                for path in ([[0]] if goal == 0 else nx.all_simple_paths(graph, 0, goal))
            }
            if within is not None:
                expected = {p: far for p, far in expected.items() if far <= shortest + within}
            found = exhaustive(graph, 0, goal, within)
            assert {found.cells(i) for i in range(len(found))} == set(expected)
            for i in range(len(found)):
                assert found.lengths[i] == pytest.approx(expected[found.cells(i)])
                assert tuple(found.masks[i].tolist()) == see(graph, found.cells(i))


def test_the_printed_pruning_keeps_ways_and_misses_optima():
    missed = 0
    for seed in range(8):
        graph, benefit = random_graph(20, 45, 12, seed), Partition(np.full(12, 1 / 12))
        tree, ways = prune_as_printed(graph, 0, 19), routes(graph, 0, 19)
        assert tree.lengths.min() == pytest.approx(ways.lengths.min())
        for i in range(len(tree)):
            assert tuple(tree.masks[i].tolist()) == see(graph, tree.cells(i))
            assert tree.cells(i)[0] == 0 and tree.cells(i)[-1] == 19
        for weights in (Weights(6, 0, 0.3), Weights(12, 1, 1), Weights(0, 1, 1)):
            kept, exact = best(tree, benefit, weights), best(ways, benefit, weights)
            check_route(graph, 0, 19, benefit, weights, np.ones(12), kept)
            assert kept.value <= exact.value + 1e-9
            missed += weights.benefit > 0 and kept.value < exact.value - 1e-6
            if weights.benefit == 0:  # what it does promise: the shortest way
                assert kept.value == pytest.approx(exact.value)
    assert missed >= 3


def dead_end():
    """Return a corridor 0 - 1 - 2 with a target at the end of a dead end behind cell 1."""
    graph = nx.Graph()
    graph.add_node(0)
    graph.add_edges_from([(0, 1), (1, 2), (1, 3)], length=1.0)
    graph.nodes[3]["targets"] = (0,)
    for cell in (0, 1, 2):
        graph.nodes[cell]["targets"] = ()
    return graph


def test_the_printed_pruning_never_turns_back():
    """Faults 1 and 2 in the smallest hunt: the target in the dead end, which is worth its way."""
    benefit, weights = Partition([0.5, 0.5]), Weights(12, 1, 1)
    graph = dead_end()
    kept = best(prune_as_printed(graph, 0, 2), benefit, weights)
    exact = best(routes(graph, 0, 2), benefit, weights)
    assert kept.cells == (0, 1, 2) and kept.measured == ()
    assert exact.cells == (0, 1, 3, 1, 2) and exact.measured == (0,)
    assert exact.value == pytest.approx(12 * np.log(2) - 1 - 4)
    graph.add_edge(3, 2, length=1.0)  # no dead end any more
    assert best(prune_as_printed(graph, 0, 2), benefit, weights).measured == (0,)


def test_the_printed_d_m_may_leave_no_way_at_all():
    """It is measured from the end of a branch, so even the shortest way can be cut off."""
    tree = prune_as_printed(random_graph(20, 45, 6, seed=9), 0, 19, 1)
    assert not len(tree)
    with pytest.raises(ValueError, match="no path to choose from"):
        best(tree, Partition(np.full(6, 1 / 6)), Weights())
    assert len(routes(random_graph(20, 45, 6, seed=9), 0, 19, 1))


def test_a_tree_that_does_not_end_is_refused(monkeypatch):
    monkeypatch.setattr(printed_pruning, "MOST_STEPS", 2)
    with pytest.raises(ValueError, match="does not end within 2 steps"):
        prune_as_printed(random_graph(10, 15, 6, seed=1), 0, 9)

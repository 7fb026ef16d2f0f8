"""All simple paths, as those of networkx."""

import networkx as nx
import pytest

from sim.hunt.graph import mask, number_of_targets
from sim.hunt.paths.random_graphs import random_graph
from sim.hunt.paths.simple_paths import exhaustive


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


def test_refusals():
    graph = random_graph(10, 15, 6, seed=1)
    graph.add_node("island")
    with pytest.raises(ValueError, match="start 'x' is no cell"):
        exhaustive(graph, "x", 0)
    with pytest.raises(ValueError, match="no path from 0 to 'island'"):
        exhaustive(graph, 0, "island")

"""Random graphs have the counts asked for, hold together, and come back with their seed."""

import networkx as nx
import numpy as np
import pytest

from sim.hunt.graph import compile_graph, number_of_targets
from sim.hunt.paths.random_graphs import random_graph


def test_counts_places_and_lengths():
    graph = random_graph(531, 686, 270, seed=1)
    assert (len(graph), graph.number_of_edges()) == (531, 686)
    assert sum(bool(shown) for _, shown in graph.nodes("targets")) == 270
    assert number_of_targets(graph) == 270
    assert nx.is_connected(graph)
    lengths = [length for *_, length in graph.edges(data="length")]
    assert np.mean(lengths) == pytest.approx(1)
    for one, other, length in graph.edges(data="length"):
        assert length == pytest.approx(
            np.hypot(*np.subtract(*(graph.nodes[c]["at"] for c in (one, other))))
        )


def test_the_tree_comes_first_then_the_shortest():
    sparse, dense = (random_graph(30, arcs, 5, seed=3) for arcs in (29, 45))
    assert nx.is_tree(sparse)
    assert set(sparse.edges) <= set(dense.edges)
    unit = dense.edges[next(iter(sparse.edges))]["length"]
    unit /= sparse.edges[next(iter(sparse.edges))]["length"]
    tree = nx.minimum_spanning_tree(dense, weight="length")
    assert set(map(frozenset, tree.edges)) == set(map(frozenset, sparse.edges))
    assert tree.size("length") == pytest.approx(unit * sparse.size("length"))


def test_the_seed_decides():
    first, again, other = (random_graph(20, 30, 8, seed) for seed in (5, 5, 6))
    assert all(
        np.array_equal(a, b)
        for a, b in zip(compile_graph(first)[:4], compile_graph(again)[:4], strict=True)
    )
    assert list(first.edges) != list(other.edges)


@pytest.mark.parametrize(
    "counts, sentence",
    [
        ((2, 1, 1, 0), "3 cells or more"),
        ((10, 12, 11, 0), "at most as many observation cells"),
        ((10, 12, 5, 0, 0), "needs a target"),
        ((10, 46, 5, 0), "can have 9 to .* arcs, not 46"),
    ],
)
def test_what_cannot_be_is_refused(counts, sentence):
    with pytest.raises(ValueError, match=sentence):
        random_graph(*counts)

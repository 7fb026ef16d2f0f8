"""The start of a hunt with outcomes has what the graph has, and refuses what is no hunt."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from sim.hunt.measurements import detector
from sim.hunt.reward import Weights
from sim.hunt.strategies.hunt import NO_TARGET, hunt


def row(**changes: object):
    """Return a hunt over three cells in a row, a target in the last two."""
    graph = nx.path_graph(3)
    nx.set_edge_attributes(graph, {(0, 1): 1.5, (1, 2): 0.0}, "length")
    nx.set_node_attributes(graph, {1: (0,), 2: changes.pop("last", (1,))}, "targets")
    given = {
        "prior": np.array([0.5, 0.5]),
        "likelihood": detector(2, hit=0.9, false_alarm=0.2),
        "weights": Weights(10, 1, 1),
        "start": 0,
        "moves": 2,
    }
    return hunt(graph, **(given | changes))


def test_it_has_lengths_and_targets():
    case = row()
    inf = np.inf
    assert case.length.tolist() == [[0, 1.5, inf], [1.5, 0, 0], [inf, 0, 0]]
    assert case.target.tolist() == [NO_TARGET, 0, 1]
    assert case.cost.tolist() == [1, 1] and case.open.all() and (case.cell, case.moves) == (0, 2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"prior": np.array([0.5, 0.6])}, "sum to 1"),
        ({"prior": np.array([-0.5, 1.5])}, "at least 0"),
        ({"likelihood": detector(2, hit=1.2, false_alarm=0.2)}, "at least 0"),
        ({"likelihood": np.full((2, 2), 0.5)}, "shape"),
        ({"likelihood": detector(2, hit=1, false_alarm=0)[:1]}, "2 targets"),
        ({"cost": np.array([1.0])}, "costs of all 2 tests"),
        ({"cost": np.array([1.0, -1.0])}, "at least 0"),
        ({"weights": Weights(10, -1, 1)}, "at least 0"),
        ({"start": 3}, "cell 0 to 2"),
        ({"moves": -1}, "at least 0 moves"),
        ({"last": (0, 1)}, "several targets"),
    ],
)
def test_what_is_no_hunt_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        row(**change)

"""Small hunts with outcomes: what is known of `tests.sim.hunt_reference.star`, random ones."""

from __future__ import annotations

import networkx as nx
import numpy as np

from sim.hunt.reward import Weights
from sim.hunt.strategies.hunt import Hunt, hunt

PUBLISHED = {
    (12, 1, 1): ((6.076140, 7.820181, 8.066800), (6.076140, 6.820181, 6.820181)),
    (12, 0, 2): ((6.076140, 7.520181, 7.520181), (6.076140, 6.320181, 6.320181)),
    (4, 1, 1): ((0.692047, 0.692047, 0.692047), (0.692047, 0.692047, 0.692047)),
}
"""Of `star` by w_B, w_J, w_D: values of the closed and the open strategy for 1, 2, 3 moves."""


def random_hunt(seed: int, moves: int = 3, sure: bool = False) -> Hunt:
    """Return a hunt of 4 cells and 2 or 3 targets, one of them in two cells, noisy unless sure."""
    rng = np.random.default_rng(seed)
    graph = nx.random_labeled_tree(4, seed=seed)
    graph.add_edge(*rng.choice(4, 2, replace=False).tolist())
    for arc in graph.edges.values():
        arc["length"] = float(rng.choice([0.0, 0.5, 1.0, 2.0]))
    graph.nodes[0]["targets"] = (0,)
    graph.nodes[1]["targets"] = (1,)
    graph.nodes[2]["targets"] = (int(rng.integers(2)) + 1,)
    graph.nodes[3]["targets"] = (0,) if rng.random() < 0.5 else ()
    likelihood = rng.dirichlet(np.full(2, 0.3), (3, 3))
    if sure:
        likelihood = likelihood.round()
    weights = Weights(*rng.uniform([5, 0, 0], [15, 1, 1]))
    cost = rng.uniform(0, 2, 3)
    return hunt(graph, rng.dirichlet(np.ones(3)), likelihood, weights, 0, moves, cost)

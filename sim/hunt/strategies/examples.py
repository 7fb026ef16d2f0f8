"""Hunts in which using outcomes pays: a fork, and a field with noisy sensors."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import numpy as np

from sim.hunt.reward import Weights
from sim.hunt.strategies.hunt import Hunt, hunt

FIELD = Weights(1.0, 0.02, 0.01)
"""w_B, w_J and w_D of `field` by default."""


def fork(moves: int = 4, pointer: float = 0.9, decoy: float = 0.8, detail: float = 0.95) -> Hunt:
    """Return a fork of nine cells: two arms too far apart to visit both.

    y is a side, left with probability 0.7, and two bits, each 0 with probability 0.75.  Arms leave
    from cell 1.  The two targets of an arm, cells 4, 5 on the left and 7, 8 on the right, show a
    bit each if y is on that side, and noise otherwise: on the left correctly with probability
    ``detail``, on the right always.  In cell 1 an expensive test, the ``pointer``, shows the side.
    In cell 2 a free one, the ``decoy``, shows whether the bits are the same.  It misleads a policy
    of greatest gain per step, and a plan for all outcomes goes to the left.
    """
    graph = nx.Graph()
    targets = {1: 0, 2: 1, 4: 2, 5: 3, 7: 4, 8: 5}
    for cell in range(9):
        graph.add_node(cell, targets=(targets[cell],) if cell in targets else ())
    arcs = ((0, 1), (0, 2), (1, 2), (1, 3), (3, 4), (4, 5), (1, 6), (6, 7), (7, 8))
    graph.add_edges_from(arcs, length=1.0)
    likelihood = np.full((6, 8, 2), 0.5)
    prior = np.empty(8)
    for y, (side, one, other) in enumerate(itertools.product(range(2), repeat=3)):
        prior[y] = (0.7, 0.3)[side] * (0.75, 0.25)[one] * (0.75, 0.25)[other]
        sure = (detail, 1.0)[side]
        right = {0: (side, pointer), 1: (one ^ other, decoy)}
        right |= {2 + 2 * side: (one, sure), 3 + 2 * side: (other, sure)}
        for target, (bit, chance) in right.items():
            likelihood[target, y, bit], likelihood[target, y, 1 - bit] = chance, 1 - chance
    cost = np.array([0.35, 0.0, 0.1, 0.1, 0.1, 0.1])
    return hunt(graph, prior, likelihood, Weights(1.0, 1.0, 0.01), 0, moves, cost)


def field(
    side: int = 5,
    sensors: int = 9,
    moves: int = 7,
    near: float = 0.98,
    false_alarm: float = 0.02,
    reach: float = 1.0,
    weights: Weights = FIELD,
    seed: int = 2,
) -> Hunt:
    """Return a field of ``side`` x ``side`` cells with a treasure in a uniformly random one.

    A sensor in each of ``sensors`` cells, drawn without replacement by ``seed``, sounds with
    probability f + (``near`` - f) 2**-(d / ``reach``)**2 if the treasure lies at Euclidean distance
    d, f the rate of ``false_alarm``.  The hunt begins in a corner and moves from cell to cell.
    """
    cells = list(itertools.product(range(side), repeat=2))
    placed = np.random.default_rng(seed).permutation(len(cells))[:sensors]
    number = {cells[place]: i for i, place in enumerate(placed.tolist())}
    graph = nx.grid_2d_graph(side, side)
    likelihood = np.empty((sensors, len(cells), 2))
    for cell in cells:
        graph.nodes[cell]["targets"] = (number[cell],) if cell in number else ()
    for cell, sensor in number.items():
        distance = np.array([math.dist(cell, other) for other in cells])
        sounds = false_alarm + (near - false_alarm) * 2.0 ** -((distance / reach) ** 2)
        likelihood[sensor] = np.stack([1 - sounds, sounds], axis=1)
    nx.set_edge_attributes(graph, 1.0, "length")
    prior = np.full(len(cells), 1 / len(cells))
    return hunt(graph, prior, likelihood, weights, 0, moves)

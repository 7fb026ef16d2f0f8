"""Small hunts with outcomes, and their values by enumeration of all that can be done."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import networkx as nx
import numpy as np

from sim.hunt.benefit import surprise
from sim.hunt.measurements import detector
from sim.hunt.reward import Weights
from sim.hunt.strategies.hunt import NO_TARGET, Hunt, hunt

PUBLISHED = {
    (12, 1, 1): ((6.076140, 7.820181, 8.066800), (6.076140, 6.820181, 6.820181)),
    (12, 0, 2): ((6.076140, 7.520181, 7.520181), (6.076140, 6.320181, 6.320181)),
    (4, 1, 1): ((0.692047, 0.692047, 0.692047), (0.692047, 0.692047, 0.692047)),
}
"""By w_B, w_J and w_D of `four_cells`: values of closed and open strategies for 1, 2, 3 moves."""


def four_cells(weights: tuple[float, float, float], moves: int) -> Hunt:
    """Return a hunt from cell 0; cells 1 to 3 tell whether y is 0, 1 or 2; it may be 3 too."""
    graph = nx.Graph()
    graph.add_nodes_from((cell, {"targets": (cell - 1,) if cell else ()}) for cell in range(4))
    graph.add_weighted_edges_from([(0, 1, 1), (0, 2, 2), (0, 3, 3), (1, 2, 1.5)], "length")
    sensors = detector(4, hit=1, false_alarm=0)[:3]
    return hunt(graph, np.array([0.4, 0.1, 0.3, 0.2]), sensors, Weights(*weights), 0, moves)


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


def entropy(p: np.ndarray) -> float:
    return float(surprise(p).sum())


def choices(position: Hunt) -> Iterator[tuple[int, float, int]]:
    """Yield where one can go, the way's cost, and the target measured there or `NO_TARGET`."""
    for cell in np.flatnonzero(np.isfinite(position.length[position.cell])):
        cost = position.distance * position.length[position.cell, cell]
        yield int(cell), cost, NO_TARGET
        target = position.target[cell]
        if target != NO_TARGET and position.open[target]:
            yield int(cell), cost + position.test * position.cost[target], int(target)


def went(position: Hunt, cell: int, target: int) -> Hunt:
    """Return the position after going to a cell and measuring there, whatever is seen."""
    opened = position.open & (np.arange(len(position.open)) != target)
    return position._replace(cell=cell, open=opened, moves=position.moves - 1)


def best(position: Hunt) -> float:
    """Return the value of the best strategy: over all decisions, history by history."""
    if not position.moves:
        return 0.0
    values = []
    for cell, cost, target in choices(position):
        there = went(position, cell, target)
        if target == NO_TARGET:
            values.append(best(there) - cost)
            continue
        value = position.benefit * entropy(position.prior) - cost
        for likelihood in position.likelihood[target].T:
            joint = position.prior * likelihood
            if (mass := joint.sum()) > 0:
                left = position.benefit * entropy(joint / mass)
                value += mass * (best(there._replace(prior=joint / mass)) - left)
        values.append(value)
    return max(values)


def sequences(position: Hunt) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield the targets that a sequence of decisions measures, and its cost; of all."""
    if not position.moves:
        yield (), 0.0
        return
    for cell, cost, target in choices(position):
        for measured, rest in sequences(went(position, cell, target)):
            yield (target, *measured) if target != NO_TARGET else measured, cost + rest


def ends(position: Hunt) -> Iterator[tuple[float, dict[tuple[int, ...], float]]]:
    """Yield each outcome of all targets: its probability, the entropy left by each set."""
    sets = {tuple(sorted(measured)) for measured, _ in sequences(position)}
    targets, _, outcomes = position.likelihood.shape
    for seen in product(range(outcomes), repeat=targets):
        terms = {i: position.likelihood[i, :, seen[i]] for i in range(targets)}
        mass = float((position.prior * np.prod(list(terms.values()), axis=0)).sum())
        if mass > 0:
            joint = {s: position.prior * np.prod([terms[i] for i in s], axis=0) for s in sets}
            yield mass, {s: entropy(p / p.sum()) for s, p in joint.items()}


def best_plan(position: Hunt) -> float:
    """Return the value of the best sequence of decisions that no outcome changes."""
    left: dict[tuple[int, ...], float] = {}
    for mass, entropies in ends(position):
        for measured, rest in entropies.items():
            left[measured] = left.get(measured, 0.0) + mass * rest
    return _best_end(position, left)


def best_knowing(position: Hunt) -> float:
    """Return the expected value of the best sequence for who knows all outcomes."""
    return sum(mass * _best_end(position, entropies) for mass, entropies in ends(position))


def _best_end(position: Hunt, left: dict[tuple[int, ...], float]) -> float:
    now = entropy(position.prior)
    return max(
        position.benefit * (now - left[tuple(sorted(measured))]) - cost
        for measured, cost in sequences(position)
    )

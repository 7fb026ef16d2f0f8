"""A hunt with outcomes: a position with sequential moves and tests.

In each step the sensor moves to a neighbouring cell or stays, and then may measure the target of
the cell it is in [Ferrari & Cai 2009, eqs. 18-22].  An outcome depends on the hypothesis y alone
(naive Bayes, eq. 11); each target is measured at most once.  The reward of a step is w_B (H before
- H after) - w_J J - w_D D, H the entropy of y in nats given the observations.
"""

from __future__ import annotations

from typing import NamedTuple

import networkx as nx
import numpy as np

from sim.hunt.graph import compile_graph
from sim.hunt.measurements import check_distributions, surprise
from sim.hunt.reward import Weights

NO_TARGET = NO_OUTCOME = -1


class Hunt(NamedTuple):
    """A position of a hunt with outcomes; made by `hunt` and the functions that advance it."""

    length: np.ndarray
    """float64 (cells, cells): length of the arc, 0 for staying, infinite without one."""
    target: np.ndarray
    """int64 (cells,): the target that can be measured there, or `NO_TARGET`."""
    prior: np.ndarray
    """float64 (hypotheses,): P(y) given the observations so far."""
    likelihood: np.ndarray
    """float64 (targets, hypotheses, outcomes): P(outcome | y) of each target's measurement."""
    cost: np.ndarray
    """float64 (targets,): J of each test."""
    open: np.ndarray
    """bool (targets,): not measured yet."""
    benefit: float
    test: float
    distance: float
    """w_B, w_J and w_D."""
    cell: int
    """Cell of the sensor."""
    moves: int
    """Steps to go."""


def hunt(
    graph: nx.Graph,
    prior: np.ndarray,
    likelihood: np.ndarray,
    weights: Weights,
    start: int,
    moves: int,
    cost: np.ndarray | None = None,
) -> Hunt:
    """Return the start of a hunt over ``graph``, at its node number ``start``.

    ValueError if shapes do not fit, prior or likelihood are no distributions, a weight or cost is
    negative, the start is no cell, moves are negative, or a cell has several targets.  ``prior``,
    ``likelihood``, ``cost``: as the fields of `Hunt`; costs are 1 each by default; ``weights``:
    w_B, w_J, w_D.
    """
    net = compile_graph(graph)
    cells = len(graph)
    prior, likelihood = np.asarray(prior, float), np.asarray(likelihood, float)
    if likelihood.ndim != 3 or likelihood.shape[1] != len(prior) or len(likelihood) < net.targets:
        raise ValueError(
            f"likelihood needs the shape (targets, hypotheses, outcomes) of {net.targets} targets "
            f"and {len(prior)} hypotheses, not {likelihood.shape}"
        )
    check_distributions(prior, likelihood)
    size = len(likelihood)
    cost = np.ones(size) if cost is None else np.asarray(cost, float)
    if cost.shape != (size,) or not ((cost >= 0).all() and min(weights) >= 0):
        raise ValueError(f"weights and the costs of all {size} tests must be at least 0")
    if not 0 <= start < cells or moves < 0:
        raise ValueError(f"a hunt starts in cell 0 to {cells - 1} and has at least 0 moves")
    length = np.full((cells, cells), np.inf)
    np.fill_diagonal(length, 0.0)
    target = np.full(cells, NO_TARGET)
    for cell, node in enumerate(graph):
        around = slice(net.first[cell], net.first[cell + 1])
        length[cell, net.neighbour[around]] = net.length[around]
        seen = graph.nodes[node].get("targets") or ()
        if len(seen) > 1:
            raise ValueError(f"cell {node!r} has several targets: {seen}")
        target[cell] = seen[0] if seen else NO_TARGET
    left = np.ones(size, bool)
    return Hunt(length, target, prior, likelihood, cost, left, *weights, start, moves)


def chances(hunt: Hunt, target: int) -> dict[int, float]:
    """Return the possible outcomes of measuring ``target`` with their probabilities.

    That of no test, `NO_TARGET`, is `NO_OUTCOME`.
    """
    if target == NO_TARGET:
        return {NO_OUTCOME: 1.0}
    predicted = hunt.prior @ hunt.likelihood[target]
    return {int(z): float(predicted[z]) for z in np.flatnonzero(predicted > 0)}


def after(hunt: Hunt, cell: int, steps: int, target: int, outcome: int) -> Hunt:
    """Return the position in ``cell``, ``steps`` later, after the ``outcome`` of its test [eq. 12].

    ``target``: `NO_TARGET` without a test.
    """
    hunt = hunt._replace(cell=cell, moves=hunt.moves - steps)
    if target == NO_TARGET:
        return hunt
    joint, left = hunt.prior * hunt.likelihood[target, :, outcome], hunt.open.copy()
    left[target] = False
    return hunt._replace(prior=joint / joint.sum(), open=left)


def reward(hunt: Hunt, then: Hunt, length: float, target: int) -> float:
    """Return the reward between two positions: the drop of entropy less way and test."""
    cost = hunt.distance * length
    if target != NO_TARGET:
        cost += hunt.test * float(hunt.cost[target])
    drop = surprise(hunt.prior).sum() - surprise(then.prior).sum()
    return hunt.benefit * float(drop) - cost

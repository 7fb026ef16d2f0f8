"""A hunt with outcomes, moved and measured step by step, and its exact strategies.

In each step the sensor moves to a neighbouring cell or stays, and then may measure the target of
the cell it is in [Ferrari & Cai 2009, eqs. 18-22].  An outcome depends on the hypothesis y alone
(naive Bayes, eq. 11); each target is measured at most once.  The reward of a step is w_B (H before
- H after) - w_J J - w_D D, H the entropy of y in nats given the observations.

`open_loop`         one sequence of moves and tests, regardless of outcomes: as in Table III
`replan`            an open plan made again after each outcome, whose first step is taken:
                    the strategy of the ID player
`closed_loop`       outcomes decide: the optimum, that of the influence diagram
`full_information`  a bound: every outcome is known before the first step

    open <= replanned <= closed <= full information.

All use one backward recursion over (moves to go, cell, outcomes by target), the sufficient
statistic, while a solver of influence diagrams uses tables over whole histories.  Its work is moves
x cells^2 x (outcomes + 1)^targets, targets within reach: small hunts only.  `MOST_SITUATIONS`
bounds it.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import networkx as nx
import numpy as np

from mcts.kernel.compile import jit
from sim.hunt.graph import compile_graph
from sim.hunt.measurements import check_distributions, surprise
from sim.hunt.reward import Weights

MOST_SITUATIONS = 1 << 24
TIE = 1e-12
"""Smaller gains count as none: actions are postponed, and cells come in their order."""

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


class Decision(NamedTuple):
    """The cell to move to, possibly the same, and whether to measure its target then."""

    cell: int
    test: bool


class Solution(NamedTuple):
    """The value of a strategy, by the weights of the hunt, and its first decision, if any.

    `after` is the hunt that follows, of which the strategy decides again.
    """

    value: float
    decision: Decision | None


class Plan(NamedTuple):
    """A sequence of decisions independent of outcomes, and its value."""

    value: float
    decisions: tuple[Decision, ...]


class Reach(NamedTuple):
    """Possible outcomes of a hunt, as codes.

    Digit i of a code is 0, or 1 + the outcome of target i.
    """

    targets: tuple[int, ...]
    """Targets measurable within the moves to go."""
    base: int
    """Outcomes + 1."""
    mass: np.ndarray
    """float64 (base ** targets,): P(seen)."""
    uncertain: np.ndarray
    """float64 (base ** targets,): P(seen) H(y | seen)."""


def closed_loop(hunt: Hunt) -> Solution:
    """Return the best strategy that uses outcomes.

    ValueError if the hunt is too large for exact recursion.
    """
    value, move, test = _solve(hunt, _reach(hunt))
    return Solution(value, _decode(move, test, hunt.moves, hunt.cell, 0) if hunt.moves else None)


def open_loop(hunt: Hunt) -> Plan:
    """Return the best sequence of moves and tests; ValueError as `closed_loop`.

    Idle steps come last: their value does not depend on their time, and a replanner then learns
    sooner.
    """
    reach = _reach(hunt)
    value, move, test = _solve(hunt, _blind(reach, _pool(reach)))
    decisions, waiting, cell, code = [], 0, hunt.cell, 0
    for moves in range(hunt.moves, 0, -1):
        decision = _decode(move, test, moves, cell, code)
        if decision == (cell, False):
            waiting += 1
            continue
        decisions.append(decision)
        cell = decision.cell
        if decision.test:
            code += 1 << reach.targets.index(hunt.target[cell])
    return Plan(value, (*decisions, *[Decision(cell, False)] * waiting))


def replan(hunt: Hunt, ahead: int | None = None) -> Solution:
    """Return the strategy that takes the first step of `open_loop` after every outcome.

    It is never worse than the plan itself, since the rest of a plan is a plan.

    Parameters
    ----------
    ahead : lookahead of a plan in steps; by default all that are left.  With 1 it is the myopic
        strategy, which can be worse than an open plan.
    """
    if not hunt.moves:
        return Solution(0.0, None)
    first = open_loop(hunt._replace(moves=min(hunt.moves, ahead or hunt.moves))).decisions[0]
    target = int(hunt.target[first.cell]) if first.test else NO_TARGET
    length, value = float(hunt.length[hunt.cell, first.cell]), 0.0
    for outcome, chance in chances(hunt, target).items():
        then = after(hunt, first.cell, 1, target, outcome)
        value += chance * (reward(hunt, then, length, target) + replan(then, ahead).value)
    return Solution(value, first)


def full_information(hunt: Hunt) -> float:
    """Return the value of knowing all outcomes in advance; ValueError as `closed_loop`.

    For each outcome of all targets within reach, take the best plan, valued by the reduction of
    entropy of its tests.  No strategy does better, since it knows less: its decisions depend only
    on past outcomes.
    """
    reach = _reach(hunt)
    number = len(reach.targets)
    powers = reach.base ** np.arange(number)
    tested = np.arange(1 << number)[:, None] >> np.arange(number) & 1
    total = 0.0
    for outcomes in product(range(1, reach.base), repeat=number):
        code = tested @ (powers * outcomes).astype(np.int64)
        mass = reach.mass[code[-1]]
        if mass > 0:
            known = _blind(reach, reach.uncertain[code] / reach.mass[code])
            total += mass * _solve(hunt, known)[0]
    return float(total)


def _reach(hunt: Hunt) -> Reach:
    """Return the reachable outcomes, with their probabilities and remaining entropies."""
    arc = np.isfinite(hunt.length)
    near = np.arange(len(arc)) == hunt.cell
    for _ in range(hunt.moves):
        near = near | arc[near].any(axis=0)
    found = set(hunt.target[near].tolist()) - {NO_TARGET} if hunt.moves else set()
    targets = tuple(sorted(target for target in found if hunt.open[target]))
    base = hunt.likelihood.shape[2] + 1
    size = max(1, hunt.moves) * len(hunt.target) * base ** len(targets)
    if size > MOST_SITUATIONS:
        raise ValueError(
            f"{len(targets)} targets of {base - 1} outcomes within {hunt.moves} moves make "
            f"{size:,} situations, too many for exact recursion (at most {MOST_SITUATIONS:,}): "
            "take fewer moves or targets, or a search"
        )
    joint = hunt.prior[None]
    for target in targets:
        factor = np.vstack([np.ones(len(hunt.prior)), hunt.likelihood[target].T])
        joint = (factor[:, None] * joint).reshape(-1, len(hunt.prior))
    mass = joint.sum(axis=1)
    return Reach(targets, base, mass, surprise(joint).sum(axis=1) - surprise(mass))


def _pool(reach: Reach) -> np.ndarray:
    """Return H(y | z_S) of each set S of targets within reach, float64 (2 ** targets,)."""
    table = reach.uncertain.reshape((reach.base,) * len(reach.targets))
    for axis in range(table.ndim):
        table = np.stack([table.take(0, axis), np.delete(table, 0, axis).sum(axis)], axis)
    return table.reshape(-1)


def _blind(reach: Reach, entropy: np.ndarray) -> Reach:
    """Return ``reach`` for a hunter that learns only which tests were made, with their entropy."""
    return Reach(reach.targets, 2, np.ones(len(entropy)), np.ascontiguousarray(entropy))


def _solve(hunt: Hunt, reach: Reach) -> tuple[float, np.ndarray, np.ndarray]:
    """Return the value of ``hunt``, and `backwards`'s decisions."""
    cells, codes = len(hunt.target), len(reach.mass)
    place = np.full(cells, NO_TARGET)
    for number, target in enumerate(reach.targets):
        place[hunt.target == target] = number
    cost = hunt.test * hunt.cost[list(reach.targets)]
    move = np.zeros((hunt.moves, cells, codes), np.int16)
    test = np.zeros((hunt.moves, cells, codes), np.bool_)
    value, arrived = np.zeros((cells, codes)), np.zeros(cells)
    arc = np.isfinite(hunt.length)
    way = np.where(arc, hunt.distance * np.where(arc, hunt.length, 0.0), np.inf)
    kept = hunt.benefit * reach.uncertain
    backwards(way, place, cost, reach.mass, kept, reach.base, value, arrived, move, test)
    return float(value[hunt.cell, 0]), move, test


def _decode(move: np.ndarray, test: np.ndarray, moves: int, cell: int, code: int) -> Decision:
    """Return the decision with ``moves`` moves to go."""
    there = int(move[moves - 1, cell, code])
    return Decision(there, bool(test[moves - 1, there, code]))


@jit
def backwards(way, place, cost, mass, kept, base, value, arrived, move, test):
    """Solve a hunt backwards, from no moves to go; all values times the probability of the code.

    Parameters
    ----------
    way : float64 (cells, cells), w_D times length, infinite without an arc
    place : int64 (cells,), digit of the code for the cell's target, or `NO_TARGET`
    cost : float64 (digits,), w_J J
    mass, kept : float64 (codes,), P(seen) and w_B P(seen) H(y | seen)
    base : outcomes + 1
    value : float64 (cells, codes), zeros at first; the result, with the most moves to go
    arrived : float64 (cells,), work space
    move, test : int16 and bool (moves, cells, codes), written: with n + 1 moves to go the cell to
        move to from a cell, and whether to measure after arriving in a cell
    """
    for left in range(len(move)):
        # A test leads to a larger code: in rising order that still has the old value.
        for code in range(len(mass)):
            tie = TIE * mass[code]
            for cell in range(len(place)):
                arrived[cell] = value[cell, code]
                if place[cell] == NO_TARGET:
                    continue
                power = base ** place[cell]
                if code // power % base:
                    continue
                tested = kept[code] - cost[place[cell]] * mass[code]
                for outcome in range(1, base):
                    following = code + outcome * power
                    tested += value[cell, following] - kept[following]
                if tested > arrived[cell] + tie:
                    arrived[cell] = tested
                    test[left, cell, code] = True
            for cell in range(len(place)):
                best, chosen = arrived[cell], cell
                for other in range(len(place)):
                    there = arrived[other] - way[cell, other] * mass[code]
                    if way[cell, other] < np.inf and there > best + tie:
                        best, chosen = there, other
                value[cell, code] = best
                move[left, cell, code] = chosen

"""Open, replanned, closed and full information: exact values, in their order, of policies too."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from sim.hunt.measurements import NaiveBayes, detector
from sim.hunt.outcomes import (
    NO_TARGET,
    Decision,
    after,
    chances,
    closed_loop,
    full_information,
    hunt,
    open_loop,
    replan,
    reward,
)
from sim.hunt.reward import Weights
from tests.sim.hunt.hunt_reference import PUBLISHED, Reference, random_hunt, star

HUNTS = [random_hunt(seed, sure=seed % 2 == 0) for seed in range(10)]


@pytest.mark.parametrize("weights", PUBLISHED)
def test_the_twelve_values(weights):
    closed, fixed = PUBLISHED[weights]
    hunts = [star(moves, weights) for moves in (1, 2, 3)]
    assert [closed_loop(at).value for at in hunts] == pytest.approx(closed, abs=1e-6)
    assert [open_loop(at).value for at in hunts] == pytest.approx(fixed, abs=1e-6)


@pytest.mark.parametrize("case", HUNTS)
def test_values_are_those_of_enumeration(case):
    expected = Reference(case)
    assert closed_loop(case).value == pytest.approx(expected.closed_loop(), abs=1e-9)
    assert open_loop(case).value == pytest.approx(expected.open(), abs=1e-9)
    assert full_information(case) == pytest.approx(expected.full_information(), abs=1e-9)


def test_strategies_are_in_their_order():
    """And each step is strict somewhere, so that no two of them are the same by mistake."""
    rows = np.array(
        [
            [solve(case).value for solve in (open_loop, replan, closed_loop)]
            + [full_information(case)]
            for case in HUNTS
        ]
    )
    steps = np.diff(rows, axis=1)
    assert (steps > -1e-9).all()
    assert (steps.max(axis=0) > [0.01, 0.001, 0.01]).all()
    assert rows[:, 0].min() >= 0


def test_who_ignores_outcomes_or_looks_one_step_ahead_does_worse():
    ring = nx.cycle_graph(4)
    nx.set_edge_attributes(ring, 1.0, "length")
    nx.set_node_attributes(ring, {1: (0,), 2: (1,), 3: (2,)}, "targets")
    likelihoods = np.array([[[0.9, 0.1], [0.5, 0.5]], [[1, 0], [0, 1]], [[0.9, 0.1], [0.5, 0.5]]])
    far = hunt(ring, np.full(2, 0.5), likelihoods, Weights(10, 0.5, 0.9), 0, 3)
    assert replan(far, ahead=1).value < open_loop(far).value - 1
    case = star(3, (12, 1, 1))
    blind = open_loop(case).value
    assert blind == pytest.approx(6.820181, abs=1e-6) and closed_loop(case).value > blind + 1
    assert replan(case).value == pytest.approx(8.066800, abs=1e-6)
    assert replan(case, ahead=1).value == pytest.approx(7.820181, abs=1e-6)
    assert full_information(case) == pytest.approx(10.543023, abs=1e-6)


def test_the_plan_of_three_moves():
    """To cell 1 and test, to cell 2 and test, wait."""
    case = star(3, (12, 1, 1))
    plan = open_loop(case)
    assert plan.decisions == (Decision(1, True), Decision(2, True), Decision(2, False))
    benefit = NaiveBayes(case.prior, case.likelihood).value([0, 1])
    assert plan.value == pytest.approx(12 * benefit - 2 - 2.5)


def follow_on(case, strategy):
    """Return the value of a strategy that decides again after each step."""
    value, decision = strategy(case)
    if decision is None:
        return 0.0
    target = case.target[decision.cell] if decision.test else NO_TARGET
    length, total = case.length[case.cell, decision.cell], 0.0
    for outcome, chance in chances(case, target).items():
        then = after(case, decision.cell, 1, target, outcome)
        total += chance * (reward(case, then, length, target) + follow_on(then, strategy))
    assert total == pytest.approx(value, abs=1e-9)
    return total


@pytest.mark.parametrize("case", HUNTS[:5])
def test_the_rest_of_a_strategy_is_the_strategy_of_what_is_left(case):
    """So what it decides first, each time, is worth what it says."""
    for strategy in (replan, closed_loop):
        follow_on(case, strategy)


def test_targets_out_of_reach_cost_nothing():
    """Twenty cells in a row would be 3^20 codes; two moves reach two targets."""
    row = nx.path_graph(21)
    nx.set_edge_attributes(row, 1.0, "length")
    nx.set_node_attributes(row, {cell: (cell - 1,) for cell in range(1, 21)}, "targets")
    likelihoods = np.tile([[[0.9, 0.1], [0.2, 0.8]]], (20, 1, 1))
    near = hunt(row, np.full(2, 0.5), likelihoods, Weights(10, 1, 0.1), 0, 2)
    assert closed_loop(near).value > 0
    with pytest.raises(ValueError, match="20 targets of 2 outcomes within 20 moves"):
        closed_loop(near._replace(moves=20))


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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"prior": np.array([0.5, 0.6])}, "sum to 1"),
        ({"likelihood": np.full((2, 2), 0.5)}, "shape"),
        ({"cost": np.array([1.0])}, "costs of all 2 tests"),
        ({"start": 3}, "cell 0 to 2"),
        ({"last": (0, 1)}, "several targets"),
    ],
)
def test_what_is_no_hunt_is_refused(change, said):
    with pytest.raises(ValueError, match=said):
        row(**change)

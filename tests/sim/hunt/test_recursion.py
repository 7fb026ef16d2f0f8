"""Open, replanned, closed and full information: exact values, in their order, of policies too."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from sim.hunt.measurements import NaiveBayes
from sim.hunt.reward import Weights
from sim.hunt.strategies.hunt import hunt
from sim.hunt.strategies.recursion import (
    Decision,
    Situation,
    closed_loop,
    follow,
    full_information,
    open_loop,
    position,
    replan,
    start,
)
from tests.sim.hunt.hunts import PUBLISHED, random_hunt
from tests.sim.hunt_reference import Reference, star

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


@pytest.mark.parametrize("case", HUNTS[:5])
def test_policies_are_worth_what_their_strategies_say(case):
    for solution in (open_loop(case), replan(case), closed_loop(case)):
        assert follow(case, solution.policy).value == pytest.approx(solution.value, abs=1e-9)


def test_who_ignores_outcomes_or_looks_one_step_ahead_does_worse():
    ring = nx.cycle_graph(4)
    nx.set_edge_attributes(ring, 1.0, "length")
    nx.set_node_attributes(ring, {1: (0,), 2: (1,), 3: (2,)}, "targets")
    likelihoods = np.array([[[0.9, 0.1], [0.5, 0.5]], [[1, 0], [0, 1]], [[0.9, 0.1], [0.5, 0.5]]])
    far = hunt(ring, np.full(2, 0.5), likelihoods, Weights(10, 0.5, 0.9), 0, 3)
    assert replan(far, ahead=1).value < open_loop(far).value - 1
    case = star(3, (12, 1, 1))
    blind = follow(case, open_loop(case).policy).value
    assert blind == pytest.approx(6.820181, abs=1e-6) and closed_loop(case).value > blind + 1
    assert replan(case).value == pytest.approx(8.066800, abs=1e-6)
    assert replan(case, ahead=1).value == pytest.approx(7.820181, abs=1e-6)
    assert full_information(case) == pytest.approx(10.543023, abs=1e-6)


def test_what_is_followed_is_counted():
    """The plan of 3 moves: to cell 1 and test, to cell 2 and test, wait."""
    case = star(3, (12, 1, 1))
    plan = open_loop(case)
    assert plan.decisions == (Decision(1, True), Decision(2, True), Decision(2, False))
    followed = follow(case, plan.policy)
    assert (followed.cost, followed.length) == pytest.approx((2, 2.5))
    assert followed.benefit == pytest.approx(NaiveBayes(case.prior, case.likelihood).value([0, 1]))
    assert len(followed.decisions) == 1 + 2 + 3
    assert followed.decisions[start(case)] == plan.decisions[0]


def test_a_hunt_goes_on_from_where_it_stands():
    """The rest of the best strategy is the best of what is left."""
    case = HUNTS[1]
    whole, decisions = closed_loop(case), follow(case, closed_loop(case).policy).decisions
    assert len(decisions) >= 5
    for situation in decisions:
        rest = position(case, situation)
        followed = follow(rest, lambda now, seen=situation.seen: whole.policy(_join(now, seen)))
        assert closed_loop(rest).value == pytest.approx(followed.value, abs=1e-9)


def _join(situation: Situation, earlier: tuple[int, ...]) -> Situation:
    """Return ``situation`` with what was seen before it."""
    seen = (max(pair) for pair in zip(situation.seen, earlier, strict=True))
    return situation._replace(seen=tuple(seen))


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


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (Decision(3, False), "no arc leads from cell 1 to cell 3"),
        (Decision(1, True), "nothing left to measure in cell 1"),
        (Decision(0, True), "nothing left to measure in cell 0"),
    ],
)
def test_what_cannot_be_done_is_refused(decision, said):
    case = star(2, (12, 1, 1))
    with pytest.raises(ValueError, match=said):
        follow(case, lambda now: decision if now.cell else Decision(1, True))

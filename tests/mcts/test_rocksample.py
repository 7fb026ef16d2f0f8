"""The search against exact values of a small RockSample, each check with a control that fails it.

The published scores of the large maps are figures of the docs, not gates.
"""

import math
from functools import cache

import numpy as np
import pytest

from mcts.contract.testing import check_domain
from mcts.domain import actions
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import new_stream
from mcts.options import Budget, Options
from mcts.problems.rocksample import (
    BAD,
    CHECK,
    EAST,
    GOOD,
    NORTH,
    NOTHING,
    PREFERRED,
    RANDOM,
    SAMPLE,
    SOUTH,
    WEST,
    after,
    observation,
    rocksample,
    rollout,
    start,
    step,
    workspace,
)
from mcts.search import Search

slow = pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")

MOVES = {NORTH: (0, 1), EAST: (1, 0), SOUTH: (0, -1), WEST: (-1, 0)}


class Recursion:
    """The problem again: beliefs are tuples of P(good) a rock, None where it is gone.

    ``right(cell, rock)`` is the probability that a check is right.
    """

    def __init__(self, size, rocks, right):
        self.size, self.rocks, self.right = size, rocks, right
        self.values = cache(self.values)

    def legal(self, cell, beliefs):
        """Return the legal actions."""
        (x, y), last = cell, self.size - 1
        moves = {NORTH: y < last, EAST: True, SOUTH: y > 0, WEST: x > 0}
        left = [rock for rock, good in enumerate(beliefs) if good is not None]
        sample = any(self.rocks[rock] == cell for rock in left)
        return [a for a in moves if moves[a]] + [SAMPLE] * sample + [CHECK + rock for rock in left]

    def outcomes(self, cell, beliefs, action):
        """Yield (probability, expected reward, next cell, next beliefs, what is seen)."""
        if action in MOVES:
            there = cell[0] + MOVES[action][0], cell[1] + MOVES[action][1]
            yield 1.0, 10.0 * (there[0] == self.size), there, beliefs, NOTHING
            return
        rock = self.rocks.index(cell) if action == SAMPLE else action - CHECK
        good, before, behind = beliefs[rock], beliefs[:rock], beliefs[rock + 1 :]
        if action == SAMPLE:
            yield 1.0, 10 * good - 10 * (1 - good), cell, (*before, None, *behind), NOTHING
            return
        right = self.right(cell, rock)
        for seen, if_good in ((GOOD, right), (BAD, 1 - right)):
            chance = good * if_good + (1 - good) * (1 - if_good)
            if chance:
                yield chance, 0.0, cell, (*before, good * if_good / chance, *behind), seen

    def values(self, cell, beliefs, steps):
        """Return the exact value of each action."""
        return {
            action: sum(
                chance * (reward + 0.95 * self.value(there, then, steps - 1))
                for chance, reward, there, then, _ in self.outcomes(cell, beliefs, action)
            )
            for action in self.legal(cell, beliefs)
        }

    def value(self, cell, beliefs, steps):
        """Return the exact value."""
        over = not steps or cell[0] == self.size
        return 0.0 if over else max(self.values(cell, beliefs, steps).values())

    def policy_value(self, choose, p, cell, beliefs, steps):
        """Return the exact value of a policy that believes ``p``, where ``beliefs`` are right."""
        if not steps or cell[0] == self.size:
            return 0.0
        action = choose(p._replace(steps=steps))
        return sum(
            chance
            * (
                reward
                + 0.95 * self.policy_value(choose, after(p, action, seen), there, then, steps - 1)
            )
            for chance, reward, there, then, seen in self.outcomes(cell, beliefs, action)
        )


NOISY = 0.9
"""A sensor as good as this everywhere, for one that is sure of the rock under the rover makes a
single check enough.  (And the rock is under the rover, for UCT that has found a near exit takes
ages to look farther.)"""
ONE, TWO = ((0, 1),), ((0, 1), (1, 1))
STEPS = 4


def noisy(rocks, accuracy=NOISY, **numbers):
    """Return a map of 2 x 2 with the rover on the first rock."""
    p = rocksample(2, rocks, **{"steps": STEPS, **numbers})
    return p._replace(accuracy=np.full(p.accuracy.shape, accuracy))


def recursion(rocks):
    """Return the same for the exact recursion, and what it takes to ask for the start."""
    return Recursion(2, rocks, lambda cell, rock: NOISY), ((0, 1), (0.5,) * len(rocks), STEPS)


def find(p, nodes=20_000):
    """Return the best value that a search finds."""
    search = Search(p, Options(exploration=0.2, nodes=nodes))
    return float(np.nanmax(search.run(Budget(simulations=200_000), 1).values))


@slow
@pytest.mark.parametrize(
    ("rocks", "value", "tolerance"),
    [(ONE, 12.5994, 0.15), (TWO, 12.5994, 0.4)],
    ids=["one rock", "two rocks"],
)
def test_the_start_is_worth_what_it_is(rocks, value, tolerance):
    exact, position = recursion(rocks)
    assert exact.value(*position) == pytest.approx(value, abs=1e-4)
    assert find(noisy(rocks)) == pytest.approx(value, abs=tolerance)


@slow
@pytest.mark.parametrize("rocks", [ONE, TWO], ids=["one rock", "two rocks"])
@pytest.mark.parametrize(
    ("accuracy", "least", "most"),
    [(NOISY, -0.3, 1e-9), (1 - NOISY, -99.0, -3.0)],
    ids=["as it is", "flipped"],
)
def test_what_the_policy_found_is_worth(rocks, accuracy, least, most):
    """A policy that takes good for bad, and bad for good, loses."""
    exact, position = recursion(rocks)
    search = Search(noisy(rocks), Options(exploration=0.2, nodes=20_000))

    def choose(p):
        return search.run(Budget(simulations=20_000), 1, p).best

    regret = exact.policy_value(choose, noisy(rocks, accuracy), *position) - exact.value(*position)
    assert least < regret <= most


SIZE, ROCKS, HALF_DISTANCE = 3, ((0, 2), (1, 1)), 2.0
SMALL = Recursion(
    SIZE,
    ROCKS,
    lambda cell, rock: (1 + 2 ** (-math.dist(cell, ROCKS[rock]) / HALF_DISTANCE)) / 2,
)


def small(**numbers):
    """Return a map of 3 x 3 with rocks to the north and to the east of the rover."""
    return rocksample(SIZE, ROCKS, HALF_DISTANCE, **{"steps": 6, **numbers})


def test_exact_values():
    assert SMALL.values((2, 0), (None, None), 1) == {NORTH: 0, EAST: 10, WEST: 0}
    # one rock, underfoot: check, sample it if it is good, leave
    here = SMALL.values((1, 1), (None, 0.5), 4)
    assert here[CHECK + 1] == pytest.approx(0.95 * (0.5 * (10 + 0.95**2 * 10) + 0.5 * 0.95 * 10))
    assert here[SAMPLE] == pytest.approx(0.95**2 * 10)


def walk(p, *route):
    """Return the workspace after the route, drawn by a fixed stream."""
    s, stream = workspace(p), new_stream(2)
    start(p, s, stream)
    for action in route:
        step(p, s, action, 0.0, stream)
    return s


def one_step(p, action, rounds=4_000):
    """Do one action from the start again and again; return rewards and observations."""
    s, stream = workspace(p), new_stream(5)
    rows = []
    for _ in range(rounds):
        start(p, s, stream)
        rows.append((step(p, s, action, 0.0, stream), float(observation(p, s))))
    return np.array(rows).T


@pytest.mark.parametrize("rock", [0, 1])
@pytest.mark.parametrize("good", [0.0, 1.0])
def test_a_check_is_right_as_often_as_it_should_be(rock, good):
    p = small(good=np.full(2, good))
    reward, seen = one_step(p, CHECK + rock)
    right = (1 + 0.5 ** (1 / 2)) / 2  # both rocks lie one cell away
    assert not reward.any()
    assert (seen == (GOOD if good else BAD)).mean() == pytest.approx(right, abs=0.02)


@pytest.mark.parametrize(
    ("cell", "walked"),
    [((0, 1), ()), ((0, 2), (NORTH,)), ((1, 1), (EAST,)), ((2, 0), (SOUTH, EAST, EAST))],
)
@pytest.mark.parametrize("sampled", [False, True])
def test_legal_actions(cell, walked, sampled):

    p = small()
    here = ROCKS.index(cell) if cell in ROCKS else None
    sampled = sampled and here is not None
    s = walk(p, *walked, *[SAMPLE] * sampled)
    out = np.empty(7, np.int64)
    n = actions(p, s, out, np.empty(7))
    beliefs = [None if sampled and rock == here else 0.5 for rock in range(2)]
    assert sorted(out[:n].tolist()) == sorted(SMALL.legal(cell, beliefs))


def test_the_belief_is_exact():
    p, cell, beliefs = small(), (0, 1), (0.5, 0.5)
    route = ((CHECK, BAD), (EAST, NOTHING), (CHECK, GOOD), (CHECK + 1, GOOD), (SAMPLE, NOTHING))
    for action, seen in route:
        p = after(p, action, seen)
        (then,) = (
            outcome for outcome in SMALL.outcomes(cell, beliefs, action) if outcome[4] == seen
        )
        cell, beliefs = then[2:4]
        assert (p.x, p.y) == cell
        for rock, good in enumerate(beliefs):
            assert p.left[rock] == (good is not None)
            assert good is None or p.good[rock] == pytest.approx(good)
    assert p.balance.tolist() == [0, 1]
    assert p.checks[0] == 2 < p.checks[1]  # the second was certain


def rolled_out(p):
    """Return the return of a roll-out from the start."""
    s, stream = workspace(p), new_stream(9)
    start(p, s, stream)
    return rollout(p, s, stream)


def test_preferred_actions():
    good = np.array([1.0, 1.0])
    # all rocks look bad: straight to the east
    assert rolled_out(small(balance=np.array([-1, -1]))) == pytest.approx(0.95**2 * 10)
    # the rock here looks good and the other one bad: sample, then leave
    p = small(good=good, x=1, balance=np.array([-1, 1]))
    assert rolled_out(p) == pytest.approx(10 + 0.95**2 * 10)
    # nothing to check, for both are clear: to the north, where the first one is
    p = small(good=good, balance=np.array([2, -2]))
    assert rolled_out(p) == pytest.approx(0.95 * 10 + 0.95**4 * 10)


@pytest.mark.parametrize("policy", [RANDOM, PREFERRED])
def test_it_meets_the_contract(policy):
    assert check_domain(small(rollout=policy)) > 100

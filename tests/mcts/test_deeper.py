"""Four to six steps ahead: trees of POMCPOW and PFT-DPW against exact values over beliefs.

Means of returns count what was tried and found bad, and come down to the exact value only slowly.
So trees are backed up again: beliefs from particles, exact rewards, best actions, means over
observations.  What is left to chance is which observations were drawn, and how good beliefs are.
"""

import numpy as np
import pytest
from tabled import clear_sighted, crying_baby, exact, tiger

from mcts.continuous.planner import Planner, Search
from mcts.kernel.compile import INTERPRETED
from mcts.tree import NOWHERE, ROOT

pytestmark = pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")

ENOUGH = 30
"""Simulations that an action needs to count."""

PROBLEMS = {
    "tiger, 4 steps": (tiger(), 4, 100.0, 5, 2.0),
    "baby, 5 steps": (crying_baby(0.3), 5, 40.0, 5, 1.2),
    "baby, 6 steps": (crying_baby(0.5), 6, 40.0, 2, 1.2),
}
"""Problem, steps, exploration, k, and how far values may be from the exact ones."""


def belief_at(tree, node, states, weighted):
    first, size = tree.first[node], tree.size[node]
    place = slice(first, first + size)
    weights = np.diff(tree.reached[place], prepend=0.0) if weighted else np.ones(size)
    found = np.bincount(tree.states[place, 0].astype(int), weights, minlength=states)
    return found / found.sum()


def back_up(p, tree, node, steps, belief, weighted):
    """Return the value of ``node`` with so many steps to go; -inf if nothing was tried enough."""
    if steps == 1:
        return (belief @ p.gains).max()
    best = -np.inf
    for action in range(tree.open[node]):
        ahead, child = [], tree.newest[node, action]
        while child != NOWHERE and tree.edge_visits[node, action] >= ENOUGH:
            after = belief_at(tree, child, len(belief), weighted)
            ahead.append(back_up(p, tree, child, steps - 1, after, weighted))
            child = tree.older[child]
        known = [value for value in ahead if value > -np.inf]
        if known:
            best = max(best, belief @ p.gains[:, action] + p.discount * np.mean(known))
    return best


def value(kind, p, steps, exploration, k):
    """Return the mean of ten trees' values."""
    search = Search(kind, exploration, steps, k, 0.0, leaf="random", particles=60)
    planner = Planner(p, search, 20_000)
    rows = np.repeat([0.0, 1.0], np.round(p.starts * 1_000).astype(int))[:, None]
    values = []
    for key in range(10):
        planner.choose(rows, key)
        values.append(back_up(p, planner.tree, ROOT, steps, p.starts, kind != "pft_dpw"))
    return np.mean(values)


@pytest.mark.parametrize("name", PROBLEMS)
@pytest.mark.parametrize("kind", ["pomcpow", "pft_dpw"])
def test_trees_know_the_exact_value(kind, name):
    p, steps, exploration, k, tolerance = PROBLEMS[name]
    assert abs(value(kind, p, steps, exploration, k) - max(exact(p, steps))) < tolerance


@pytest.mark.parametrize("name", PROBLEMS)
def test_without_weights_they_know_that_of_one_who_sees_all(name):
    """More than the exact one by what knowing is worth."""
    p, steps, exploration, k, tolerance = PROBLEMS[name]
    found = value("pomcp_dpw", p, steps, exploration, k)
    assert found > max(exact(p, steps)) + 2 * tolerance
    assert abs(found - clear_sighted(p, steps)) < 2 * tolerance


def test_exact_values_are_right():
    """One step and two by hand; a baby that is ignored for ever; what seeing all is worth."""
    assert exact(tiger(), 1) == pytest.approx((-1, -45, -45))
    listened = 0.85 * 10 - 0.15 * 100
    assert exact(tiger(), 2)[0] == pytest.approx(-1 + 0.95 * max(listened, -1))
    assert exact(crying_baby(1.0), 2) == pytest.approx((-20 + 0.9 * -20, -30))
    assert clear_sighted(tiger(), 2) == pytest.approx(-1 + 0.95 * 10)

"""Van der Pol Tag, and actions of a node that grow, with controls that fail."""

import math

import numpy as np
import pytest

from mcts.continuous.belief import Belief
from mcts.continuous.model import model_of
from mcts.continuous.planner import Planner, Search
from mcts.continuous.tree import NODES
from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import new_stream
from mcts.problems.vdp_tag import VdpTagParameters, drift, intercept, way
from mcts.tree import ROOT

slow = pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")

P = VdpTagParameters()
MODEL = model_of(P)


def reference(place, seconds, mu=2.0, h=0.1):
    """Return where the equations of Van der Pol lead to, by the method of Runge and Kutta."""

    def slope(z):
        return np.array([mu * (z[0] - z[0] ** 3 / 3 - z[1]), z[0] / mu])

    z = np.array(place)
    for _ in range(round(seconds / h)):
        a = slope(z)
        b = slope(z + h / 2 * a)
        c = slope(z + h / 2 * b)
        z = z + h / 6 * (a + 2 * b + 2 * c + slope(z + h * c))
    return z


@pytest.mark.parametrize("place", [(1.0, 0.5), (-2.0, 1.5), (3.0, -1.0), (0.1, 0.0)])
def test_the_target_drifts_by_van_der_pol(place):
    """Runge and Kutta's steps are the same; where they are short enough they are the solution."""
    found = drift(P, *place)
    assert found == pytest.approx(reference(place, 0.5))
    assert found != pytest.approx(reference(place, 0.4), abs=1e-3)
    assert found != pytest.approx(reference(place, 0.5, mu=1.9), abs=1e-4)
    if abs(place[0]) < 3:
        assert found == pytest.approx(reference(place, 0.5, h=0.001), abs=0.01)


@pytest.mark.parametrize(
    ("x", "y", "dx", "dy", "free"),
    [
        (1.0, -0.2, 0.0, 0.5, 0.4),  # to the eastern barrier
        (1.0, 0.2, 0.0, -0.5, 0.4),  # from the other side
        (0.3, -1.0, -0.5, 0.0, 0.6),  # to the southern one
        (-0.1, 1.5, 0.5, 0.0, 0.2),  # to the northern one
        (0.1, -0.2, 0.0, 0.5, 1.0),  # through the gap in the middle
        (3.1, -0.2, 0.0, 0.5, 1.0),  # past the end
        (1.0, -0.6, 0.0, 0.5, 1.0),  # not as far
        (1.0, 0.1, 0.5, 0.0, 1.0),  # along one
    ],
)
def test_barriers_stop_the_agent(x, y, dx, dy, free):
    assert way(P, x, y, dx, dy) == pytest.approx(free)


def test_barriers_do_not_stop_the_target():
    calm = VdpTagParameters(drift=0.0)
    s, then = np.array([1.0, -0.2, 1.0, -0.05]), np.zeros(4)
    north = calm.angles // 4
    MODEL.step(calm, s, north, then, new_stream(1))
    assert then == pytest.approx([1.0, 0.0, *reference((1.0, -0.05), 0.5)], abs=1e-6)
    assert then[3] > 0 > s[3]
    MODEL.step(calm, then.copy(), north, then, new_stream(1))
    assert then[1] == pytest.approx(0.0, abs=1e-6)


def test_a_tag_pays_and_a_look_costs():
    far, near = np.array([0.0, 0.0, 1.0, 1.0]), np.array([1.0, 1.0, 1.05, 1.05])
    assert [MODEL.reward(P, far, a, far) for a in (7, P.angles + 7)] == [-1, -6]
    assert [MODEL.reward(P, far, a, near) for a in (7, P.angles + 7)] == [100, 95]
    assert MODEL.terminal(P, near) and not MODEL.terminal(P, far)


@slow
@pytest.mark.parametrize(("action", "deviation"), [(0, 5.0), (P.angles, 0.1)])
def test_readings_are_drawn_by_their_density(action, deviation):
    """The target is in the second beam, at a distance of 1.3."""
    then, seen, stream = np.array([1.0, 1.0, 1.5, 2.2]), np.zeros(8), new_stream(3)
    rows, gaps = [], []
    for _ in range(4_000):
        MODEL.observe(P, action, then, seen, stream)
        rows.append(seen.copy())
        others = (then + np.array([0, 0, 0.5, 0]), then - np.array([0, 0, 0, 2.4]))
        gaps.append([MODEL.density(P, action, at, seen) + 1e-300 for at in (then, *others)])
    assert np.std(rows, axis=0) == pytest.approx([5.0] + [deviation] + [5.0] * 6, rel=0.1)
    assert np.mean(rows, axis=0) == pytest.approx([1.0, 1.3] + [1.0] * 6, abs=0.4)
    if action:
        truth, beside, behind = np.log(gaps).mean(axis=0)
        assert truth > beside + 1 and truth > behind


KINDS = {
    "pomcpow": Search("pomcpow", 50.0, 6, 3.0, 0.2, 2.5, 0.3, leaf="random"),
    "pomcp_dpw": Search("pomcp_dpw", 50.0, 6, 3.0, 0.2, 2.5, 0.3, leaf="random"),
    "pft_dpw": Search("pft_dpw", 50.0, 6, 3.0, 0.2, 2.5, 0.3, leaf="random", particles=8),
}


def count_allowed(visits, k, alpha):
    """Return how many there are after so many visits, of which each may bring one."""
    return np.minimum(visits, np.floor(k * np.maximum(visits - 1, 0) ** alpha) + 1)


@pytest.mark.parametrize("kind", KINDS)
def test_actions_and_observations_widen_by_visits(kind):
    """Each node has as many as its visits allow: of a smaller limit, most have too many."""
    planner = Planner(P, KINDS[kind], 400)
    planner.choose(Belief(P, 100, 2).particles, 1)
    tree, nodes = planner.tree, planner.tree.counters[NODES]
    visits, held = tree.visits[1:nodes], tree.open[1:nodes]
    assert visits.max() > 5 and held.max() > 3
    assert (held == count_allowed(visits, 2.5, 0.3)).all()
    assert not (held <= count_allowed(visits, 2.5, 0.1)).all()
    assert tree.open[ROOT] == np.floor(2.5 * 399**0.3) + 1
    for node in range(nodes):
        among = slice(tree.open[node])
        tried = tree.edge_visits[node, among]
        assert (tree.children[node, among] == count_allowed(tried, 3.0, 0.2)).all()
        assert len(set(tree.actions[node, among])) == tree.open[node]


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_action_at_the_root_is_the_suggested_one(kind):
    """It tags at once, which no other is likely to."""
    target = np.array([2.5, -1.5])
    to = np.array(drift(P, *target))
    s = np.array([*(to - 0.5 * np.array([0.6, 0.8])), *target])
    action = Planner(P, KINDS[kind], 100).choose(np.tile(s, (50, 1)), 3)
    assert action == intercept(P, s[None])
    turn = 2 * math.pi * action / P.angles
    assert (math.cos(turn), math.sin(turn)) == pytest.approx((0.6, 0.8), abs=1e-6)

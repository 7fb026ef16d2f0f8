"""Searches that weigh observations, against exact values, with controls that fail."""

import os
import signal
import threading

import numpy as np
import pytest
from tabled import LISTEN, tiger

from mcts.continuous.belief import Belief
from mcts.continuous.episode import play
from mcts.continuous.planner import Planner, Search
from mcts.kernel.compile import INTERPRETED
from mcts.problems.light_dark import FAR_LEFT, FAR_RIGHT, light_dark
from mcts.tree import ROOT

slow = pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")

SEARCHES = {
    "pomcp": Search("pomcp", 60.0, depth=2, leaf="random"),
    "pomcpow": Search("pomcpow", 60.0, depth=2, k=6.0, alpha=0.1, leaf="random"),
    "pft_dpw": Search("pft_dpw", 60.0, depth=2, k=6.0, alpha=0.1, leaf="random", particles=100),
    "pomcp_dpw": Search("pomcp_dpw", 60.0, depth=2, k=6.0, alpha=0.1, leaf="random"),
}


def search(name, simulations=30_000, key=1, accuracy=0.97):
    """Return the tree of a search of Tiger from even chances, and the choice."""
    p = tiger(accuracy)
    planner = Planner(p, SEARCHES[name], simulations)
    action = planner.choose(Belief(p, 1_000, 5).particles, key)
    return planner.tree, action


def test_ctrl_c_ends_a_search_and_a_key_gives_the_same_again():
    planner = Planner(tiger(), SEARCHES["pft_dpw"], 2_000_000)
    belief = Belief(tiger(), 100, 5).particles
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        planner.choose(belief, 1)
    first, second, other = (search("pomcpow", 2_000, key)[0] for key in (1, 1, 2))
    assert all(map(np.array_equal, first, second))
    assert not all(map(np.array_equal, first, other))


@pytest.mark.parametrize("name", ["pomcpow", "pft_dpw"])
@pytest.mark.parametrize(
    ("accuracy", "refused"),
    [(np.nan, True), (np.inf, True), (1e308, True), (3.0, True), (1.0, False), (1e-320, False)],
)
def test_densities_that_are_no_weights_are_refused(name, accuracy, refused):
    """``accuracy`` and 1 - ``accuracy`` are the densities, also where they are no probabilities."""
    p, even = tiger(accuracy), np.array([[0.0], [1.0]] * 20)
    planner = Planner(p, SEARCHES[name], 400)
    belief = Belief(p, 40, 1)
    for act in (lambda: planner.choose(even, 1), lambda: belief.update(LISTEN, np.zeros(1))):
        if refused:
            with pytest.raises(ValueError, match="Tables: rewards and densities must be fin"):
                act()
        else:
            act()


def exact(accuracy):
    """Return the value of listening and then opening the other door."""
    return -1 + 0.95 * (10 * accuracy - 100 * (1 - accuracy))


def average(name, accuracy):
    """Return the mean of four searches' values."""
    values = []
    for key in range(4):
        tree, action = search(name, key=key, accuracy=accuracy)
        assert action == LISTEN
        values.append(tree.edge_value[ROOT].max())
    return np.mean(values)


@slow
@pytest.mark.parametrize("accuracy", [0.95, 0.97])
@pytest.mark.parametrize("name", ["pomcp", "pomcpow", "pft_dpw"])
def test_the_value_of_tiger_is_met(name, accuracy):
    """From below, for some simulations explore."""
    assert exact(accuracy) - 1.4 < average(name, accuracy) < exact(accuracy)


@slow
def test_without_weights_the_search_takes_itself_to_see_all():
    """After a sound each node has one state: it opens the right door, whatever was heard."""
    assert average("pomcp_dpw", 0.97) > exact(0.97) + 1.5


def posterior(p, acts, deviation=0.0):
    """Return the exact belief of Light Dark over places, after pairs of action and observation."""
    places = np.arange(-p.radius, p.radius + 1)
    belief = (abs(places) <= p.radius // 2).astype(float)
    for action, seen in acts:
        by = {FAR_LEFT: -10, FAR_RIGHT: 10}[action]
        moved = np.zeros_like(belief)
        np.add.at(moved, np.clip(places + by, -p.radius, p.radius) + p.radius, belief)
        noise = abs(places - p.light) + 1e-4 + deviation
        belief = moved * np.exp(-0.5 * ((seen - places) / noise) ** 2) / noise
        belief /= belief.sum()
    return belief


ACTS = ((FAR_RIGHT, 21.0), (FAR_LEFT, 7.5), (FAR_RIGHT, 16.0))


def apart(acts, deviation=0.0):
    """Return the total variation between particles and the exact belief."""
    p = light_dark()
    belief = Belief(p, 20_000, 3)
    for action, seen in acts:
        belief.update(action, np.array([seen]))
    assert belief.lost == 0
    found = np.bincount(belief.particles[:, 0].astype(int), minlength=2 * p.radius + 1)
    return abs(found / 20_000 - posterior(p, acts, deviation)).sum() / 2


@slow
def test_particles_of_light_dark_are_the_exact_belief():
    assert apart(ACTS) < 0.03
    assert apart(ACTS, deviation=4.0) > 0.06


@slow
def test_weighing_observations_is_what_light_dark_needs():
    """Published, with 1,000 episodes and a second an action: 56 with weights, -7 without."""
    p = light_dark()

    def play_some(search):
        planner = Planner(p, search, 3_000)
        loops = [play(p, planner.choose, key, 2_000, 60) for key in range(16)]
        return np.mean([loop.returned for loop in loops])

    weighed = play_some(Search("pomcpow", 90.0, 20, 5.0, 1 / 15))
    drawn = play_some(Search("pomcp_dpw", 100.0, 20, 4.0, 1 / 10))
    assert weighed > 30 > drawn


@slow
@pytest.mark.parametrize("kind", ["pomcp", "pomcpow", "pft_dpw"])
def test_a_trial_of_three_steps_is_worth_what_it_is(kind):
    """Though the leaf's values know no end; the controls search as if there were none."""
    widens = {} if kind == "pomcp" else {"k": 6.0, "alpha": 0.1, "particles": 50}
    search = Search(kind, 110.0, 20, leaf="values", final="visits", **widens)
    planner = Planner(tiger(), search, 600)

    def play_all(choose):
        returns = [play(tiger(), choose, key, 200, 3).returned for key in range(400)]
        return np.mean(returns), 1.96 * np.std(returns) / np.sqrt(400)

    mean, error = play_all(planner.choose)
    assert abs(mean - 2.3098) < error < 2
    mean, error = play_all(lambda particles, key, left: planner.choose(particles, key))
    assert mean + error < 0

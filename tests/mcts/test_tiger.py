"""The search against Tiger's exact values, each check with a control that fails it.

Both variants are checked: simulations that carry one side, and those that carry the belief.
Long-horizon root values are no check: exploring simulations pay -100, so they lie far below.
"""

import numpy as np
import pytest

from mcts.kernel.compile import INTERPRETED
from mcts.kernel.rng import new_stream
from mcts.options import Budget, Options
from mcts.problems.tiger import (
    HEARD_LEFT,
    HEARD_RIGHT,
    LISTEN,
    LISTEN_THEN_ACT,
    LISTENING,
    OPEN_LEFT,
    OPEN_RIGHT,
    TigerParameters,
    belief,
    observation,
    start,
    step,
    workspace,
)
from mcts.search import Search

slow = pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")

variants = pytest.mark.parametrize("propagated", [False, True], ids=["drawn", "propagated"])

THREE_STEPS = 2.3098


def many(p, action, rounds=4_000):
    """Do one action from the start again and again.

    Returns the chance of the state as carried before, rewards, observations, and the chance after;
    shape (4, rounds).
    """
    s, stream = workspace(p), new_stream(5)
    rows = []
    for _ in range(rounds):
        start(p, s, stream)
        before = s[0]
        reward = step(p, s, action, 0.0, stream)
        rows.append((before, reward, float(observation(p, s)), s[0]))
    return np.array(rows).T


DIFFERENCES = range(-4, 5)
"""Belief states: sounds from the left less sounds from the right; +-4 stands for more, too."""


def three_steps(nodes, propagated):
    """Return the best value that a search with three steps to go finds at the uniform belief."""
    p = TigerParameters(steps=3, propagated=propagated)
    search = Search(p, Options(exploration=0.2, nodes=nodes))
    return float(np.nanmax(search.run(Budget(simulations=300_000), 1).values))


@slow
@variants
def test_three_steps_are_worth_what_they_are(propagated):
    assert three_steps(1_000, propagated) == pytest.approx(THREE_STEPS, abs=0.15)


@slow
@variants
def test_flat_monte_carlo_does_not_find_that_value(propagated):
    assert three_steps(1, propagated) == pytest.approx(-1 - 0.95 - 0.95**2)


SEARCHES = {False: (40_000, 0.12), True: (6_000, 0.06)}
"""Simulations and exploration by variant: returns vary less where the belief is carried."""


def searching(propagated, steps=25, **numbers):
    """Return what searches a position from a belief and a seed."""
    simulations, exploration = SEARCHES[propagated]
    start = TigerParameters(steps=steps, propagated=propagated, **numbers)
    search = Search(start, Options(exploration=exploration, nodes=simulations))

    def search_from(left, seed):
        return search.run(Budget(simulations=simulations), seed, start._replace(left=left))

    return search_from


def shares(search_from, seeds, sign=1):
    """Search every belief state; return the share of seeds by [difference, action].

    ``sign`` -1 searches from the belief of flipped observations.
    """
    found = np.zeros((len(DIFFERENCES), 3))
    for row, difference in enumerate(DIFFERENCES):
        for seed in range(seeds):
            found[row, search_from(belief(sign * difference), seed).best] += 1
    return found / seeds


def policy_value(share, accuracy=0.85, discount=0.95):
    """Return the exact value at the uniform belief of a policy [difference, action]."""
    n = len(DIFFERENCES)
    system, reward = np.eye(n), np.zeros(n)
    for row, difference in enumerate(DIFFERENCES):
        left = belief(difference)
        listen, open_left, open_right = share[row]
        reward[row] = -listen
        reward[row] += open_left * (10 - 110 * left) + open_right * (10 - 110 * (1 - left))
        sounds_left = left * accuracy + (1 - left) * (1 - accuracy)
        system[row, n // 2] -= discount * (open_left + open_right)
        system[row, min(row + 1, n - 1)] -= discount * listen * sounds_left
        system[row, max(row - 1, 0)] -= discount * listen * (1 - sounds_left)
    return float(np.linalg.solve(system, reward)[n // 2])


def listen_until(enough):
    """Return the policy that opens the better door when the difference is ``enough``."""
    return np.array(
        [np.eye(3)[LISTEN if abs(d) < enough else 1 + (d > 0)] for d in DIFFERENCES], float
    )


@pytest.mark.parametrize(
    ("enough", "value"), [(1, -73.59), (2, 19.3714), (3, 16.2590), (4, 8.6364), (5, -20.0)]
)
def test_policy_values_are_the_published_ones(enough, value):
    assert policy_value(listen_until(enough)) == pytest.approx(value, abs=0.005)


@slow
@variants
def test_the_policy_found_is_good(propagated):
    share = shares(searching(propagated), seeds=2)
    assert (share[3:6, LISTEN] == 1).all()
    assert (share[:2, OPEN_LEFT] == 1).all() and (share[-2:, OPEN_RIGHT] == 1).all()
    assert 15 < policy_value(share) <= 19.3714


@slow
@variants
def test_the_policy_found_from_flipped_observations_is_not(propagated):
    share = shares(searching(propagated), seeds=1, sign=-1)
    assert policy_value(share) < -100


@slow
@variants
@pytest.mark.parametrize(
    ("left", "best"), [(0.5, LISTEN), (0.994534, OPEN_RIGHT), (1 - 0.994534, OPEN_LEFT)]
)
@pytest.mark.parametrize("policy", [LISTENING, LISTEN_THEN_ACT])
def test_decisions(left, best, policy, propagated):
    search_from = searching(propagated, rollout=policy)
    assert [search_from(left, seed).best for seed in range(2)] == [best] * 2


@slow
@variants
def test_determinized_searches_open_at_once(propagated):
    """Each knows the side, so that none has a use for listening: strategy fusion."""
    search_from = searching(propagated, steps=10)
    visits = search_from(0.0, 1).visits + search_from(1.0, 2).visits
    assert search_from(0.5, 3).best == LISTEN
    assert visits[LISTEN] < min(visits[OPEN_LEFT], visits[OPEN_RIGHT])


def test_listening_is_right_as_often_as_it_should_be():
    left, reward, sound, after = many(TigerParameters(left=0.3), LISTEN)
    assert (reward == -1).all() and (left == after).all()
    assert left.mean() == pytest.approx(0.3, abs=0.03)
    assert set(left) == {0.0, 1.0} and set(sound) == {HEARD_LEFT, HEARD_RIGHT}
    assert ((sound == HEARD_LEFT) == left).mean() == pytest.approx(0.85, abs=0.02)


def test_listening_under_a_propagated_belief():
    left, reward, sound, after = many(TigerParameters(left=0.3, propagated=True), LISTEN)
    assert (reward == -1).all() and (left == 0.3).all()
    sounds_left = 0.3 * 0.85 + 0.7 * 0.15
    assert (sound == HEARD_LEFT).mean() == pytest.approx(sounds_left, abs=0.03)
    posterior = np.where(sound == HEARD_LEFT, 0.255 / sounds_left, 0.045 / (1 - sounds_left))
    assert after == pytest.approx(posterior)


@pytest.mark.parametrize(("door", "worth"), [(OPEN_LEFT, -23), (OPEN_RIGHT, -67)])
def test_opening_a_door_under_a_propagated_belief(door, worth):
    _, reward, sound, after = many(TigerParameters(left=0.3, propagated=True), door)
    assert reward == pytest.approx(worth) and (after == 0.5).all()
    assert (sound == HEARD_LEFT).mean() == pytest.approx(0.5, abs=0.04)

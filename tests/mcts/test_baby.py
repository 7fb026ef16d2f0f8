"""The search against the crying baby's exact values, each check with a control that fails it.

Both variants are checked: simulations that carry one state, and those that carry the belief.
"""

from functools import cache

import numpy as np
import pytest
from baby import (
    ANSWERING,
    CRYING,
    FEED,
    IGNORE,
    IGNORING,
    QUIET,
    RANDOM,
    BabyParameters,
)
from two_states import many, returns

from mcts.contract.testing import check_domain
from mcts.kernel.compile import INTERPRETED
from mcts.options import Budget, Options
from mcts.search import Search

slow = pytest.mark.skipif(INTERPRETED, reason="too many simulations for the interpreter")
variants = pytest.mark.parametrize("propagated", [False, True], ids=["drawn", "propagated"])

SATED, EVEN = -16.3055, -24.6749
"""Published values at P(hungry) of 0 and 1/2, and the belief from which feeding is better."""
THRESHOLD = 0.282064


def following(hungry, feed):
    """Yield what may be heard next, with its probability and the belief it leads to."""
    then = 0.0 if feed else 1 - 0.9 * (1 - hungry)
    for sound, if_hungry, if_sated in ((QUIET, 0.2, 0.9), (CRYING, 0.8, 0.1)):
        chance = then * if_hungry + (1 - then) * if_sated
        yield sound, chance, then * if_hungry / chance


@cache
def exact(hungry, steps):
    """Return the exact values of ignoring and of feeding with ``steps`` to go."""
    if not steps:
        return 0.0, 0.0
    return tuple(
        -10 * hungry
        - 5 * feed
        + 0.9 * sum(chance * max(exact(b, steps - 1)) for _, chance, b in following(hungry, feed))
        for feed in (0, 1)
    )


def searching(nodes=5_000, simulations=5_000, exploration=0.4, **numbers):
    """Return what searches a position from a belief and a seed."""
    p = BabyParameters(**{"steps": 20, **numbers})
    search = Search(p, Options(exploration=exploration, nodes=nodes))

    def search_from(hungry, seed):
        return search.run(Budget(simulations=simulations), seed, p._replace(hungry=hungry))

    return search_from


def six_steps(hungry, propagated, nodes=5_000):
    """Return the best value that a search with six steps to go finds."""
    search_from = searching(nodes, 60_000, 0.1, steps=6, propagated=propagated)
    return float(np.nanmax(search_from(hungry, 1).values))


@slow
@variants
@pytest.mark.parametrize("hungry", [0.1, 0.45])
def test_six_steps_are_worth_what_they_are(hungry, propagated):
    assert six_steps(hungry, propagated) == pytest.approx(max(exact(hungry, 6)), abs=0.15)


@slow
@variants
def test_flat_monte_carlo_does_not_find_that_value(propagated):
    assert six_steps(0.1, propagated, nodes=1) < max(exact(0.1, 6)) - 1


@slow
@variants
@pytest.mark.parametrize(("hungry", "best"), [(0.1, IGNORE), (0.45, FEED)])
@pytest.mark.parametrize("policy", [IGNORING, RANDOM, ANSWERING])
def test_decisions(hungry, best, policy, propagated):
    search_from = searching(rollout=policy, propagated=propagated)
    assert [search_from(hungry, seed).best for seed in range(4)] == [best] * 4


@slow
@variants
def test_flat_monte_carlo_feeds_too_early(propagated):
    """Ignoring to the end makes it worth more to feed now."""
    search_from = searching(nodes=1, rollout=IGNORING, propagated=propagated)
    assert search_from(0.1, 1).best == FEED


def beliefs(observations):
    """Return the beliefs that up to so many observations since the last meal lead to, sorted."""
    found = latest = {0.0}
    for _ in range(observations):
        latest = {round(b, 6) for hungry in latest for _, _, b in following(hungry, feed=False)}
        found = found | latest
    return np.array(sorted(found))


BELIEFS = beliefs(3)


def policy_value(feeds):
    """Return the value for a sated baby of feeding with probability ``feeds`` at each belief.

    Exact but for beliefs after more observations, which the nearest of `BELIEFS` stands for.
    """
    system = np.eye(len(BELIEFS))
    system[:, 0] -= 0.9 * feeds
    for row, hungry in enumerate(BELIEFS):
        for _, chance, b in following(hungry, feed=False):
            system[row, abs(BELIEFS - b).argmin()] -= 0.9 * (1 - feeds[row]) * chance
    return float(np.linalg.solve(system, -10 * BELIEFS - 5 * feeds)[0])


def feeding_above(belief):
    """Return the policy that feeds from above a belief."""
    return 1.0 * np.array([hungry > belief for hungry in BELIEFS])


ALWAYS, NEVER = -5 / 0.1, -10 * (1 / 0.1 - 1 / 0.19)


@pytest.mark.parametrize(
    ("above", "value"), [(THRESHOLD, SATED), (-1, ALWAYS), (2, NEVER)], ids=["best", "all", "none"]
)
def test_policy_values_are_those_known(above, value):
    assert policy_value(feeding_above(above)) == pytest.approx(value, abs=0.15)


def find(search_from, seeds, seen_as=lambda hungry: hungry):
    """Return the share of seeds that feed at each of `BELIEFS`, taken for ``seen_as`` it."""
    return np.array(
        [
            np.mean([search_from(seen_as(hungry), seed).best == FEED for seed in range(seeds)])
            for hungry in BELIEFS
        ]
    )


@slow
@variants
def test_the_policy_found_is_good(propagated):
    feeds = find(searching(propagated=propagated), seeds=4)
    assert (feeds[BELIEFS < 0.15] == 0).all() and (feeds[BELIEFS > 0.45] == 1).all()
    assert policy_value(feeds) > SATED - 0.2


@slow
@variants
def test_the_policy_found_from_flipped_beliefs_is_not(propagated):
    feeds = find(searching(propagated=propagated), 2, seen_as=lambda hungry: 1 - hungry)
    assert policy_value(feeds) < ALWAYS + 1


def test_exact_values_are_the_published_ones():
    # at 1/2 it is fed, and what follows is worth what a sated baby is
    assert pytest.approx(EVEN, abs=1e-4) == 0.9 * SATED - 10 * 0.5 - 5
    assert exact(0.0, 1) == (0, -5) and exact(1.0, 1) == (-10, -15)
    # what comes after 14 steps begins with a baby that is a little hungry at the most
    rest = 0.9**14 * np.array([EVEN, SATED])
    assert max(exact(0.0, 14)) + rest[0] < SATED < max(exact(0.0, 14)) + rest[1] + 0.01


def test_ignoring():
    hungry, reward, sound, after = many(BabyParameters(hungry=0.3), IGNORE)
    assert set(hungry) == {0.0, 1.0} and hungry.mean() == pytest.approx(0.3, abs=0.03)
    assert (reward == -10 * hungry).all()
    assert (after[hungry == 1] == 1).all()
    assert after[hungry == 0].mean() == pytest.approx(0.1, abs=0.02)
    assert (sound[after == 1] == CRYING).mean() == pytest.approx(0.8, abs=0.03)
    assert (sound[after == 0] == CRYING).mean() == pytest.approx(0.1, abs=0.02)


def test_feeding():
    hungry, reward, sound, after = many(BabyParameters(hungry=0.3), FEED)
    assert (reward == -10 * hungry - 5).all()
    assert (after == 0).all()
    assert (sound == CRYING).mean() == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize("action", [IGNORE, FEED])
def test_a_propagated_belief(action):
    p = BabyParameters(hungry=0.3, propagated=True)
    hungry, reward, sound, after = many(p, action)
    assert (hungry == 0.3).all()
    assert reward == pytest.approx(-3 - 5 * action)
    for what, chance, b in following(0.3, feed=action == FEED):
        assert (sound == what).mean() == pytest.approx(chance, abs=0.03)
        assert after[sound == what] == pytest.approx(b)


def test_rollouts():
    assert returns(BabyParameters(rollout=IGNORING, steps=200)) == pytest.approx(NEVER, abs=1.5)
    assert returns(BabyParameters(rollout=RANDOM, steps=1)) == pytest.approx(-2.5, abs=0.2)
    # ANSWERING is a Markov chain of (hungry, crying): sated and quiet, sated and crying, hungry ...
    sated, hungry = [0.9, 0.1, 0, 0], [0, 0, 0.2, 0.8]
    ignored = 0.9 * np.array(sated) + 0.1 * np.array(hungry)
    system = np.eye(4) - 0.9 * np.array([ignored, sated, hungry, sated])
    value = np.linalg.solve(system, [0, -5, -10, -15])[0]
    assert returns(BabyParameters(rollout=ANSWERING, steps=200)) == pytest.approx(value, abs=0.6)


@variants
def test_it_meets_the_contract(propagated):
    assert check_domain(BabyParameters(hungry=0.3, steps=5, propagated=propagated)) > 100


NUMBERS = [
    {"hungry": 0.8},
    {"steps": 6},
    {"discount": 0.8},
    {"grows": 0.2},
    {"cries_hungry": 0.7},
    {"cries_sated": 0.2},
    {"hunger": -12.0},
    {"feeding": -6.0},
    {"rollout": IGNORING},
    {"rollout": ANSWERING},
    {"propagated": True},
]


def test_every_number_changes_the_search():
    values = set()
    for numbers in [{}, *NUMBERS]:
        p = BabyParameters(**{"hungry": 0.3, "steps": 5, **numbers})
        values.add(tuple(Search(p, Options(nodes=500)).run(Budget(simulations=200), 1).values))
    assert len(values) == 1 + len(NUMBERS)

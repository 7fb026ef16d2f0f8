"""The particle filter beside Bayes' rule, and what it does when particles run out."""

import random
from collections import Counter

import numpy as np
import pytest

from mcts.plain.particle_filter import Deprived, ParticleFilter

ACCURACY = 0.85


def listen(left, action, chance):
    """Tiger: listening reports the side, a door places the tiger again."""
    if action == "open":
        left = chance.random() < 0.5
        return left, chance.random() < 0.5
    return left, (chance.random() < ACCURACY) == left


def inform(left, action, heard_left):
    return 0.5 if action == "open" else ACCURACY if left == heard_left else 1 - ACCURACY


@pytest.mark.parametrize("likelihood", [None, inform], ids=["rejected", "weighed"])
@pytest.mark.parametrize(
    ("history", "left"),
    [
        ([("listen", True)], 0.85),
        ([("listen", True), ("listen", False)], 0.5),
        ([("listen", False), ("listen", False)], 0.15**2 / (0.15**2 + 0.85**2)),
        ([("listen", True), ("open", False), ("listen", True)], 0.85),
    ],
)
def test_particles_follow_bayes_rule(likelihood, history, left):
    chance = random.Random(1)
    belief = ParticleFilter([True, False] * 2_000, listen, likelihood)
    for action, heard_left in history:
        belief.update(action, heard_left, chance)
    assert np.mean(belief.states) == pytest.approx(left, abs=0.03)
    assert len(belief.states) == 4_000


def test_a_sensor_that_is_read_the_other_way_round_does_not():
    belief = ParticleFilter([True, False] * 2_000, lambda *given: (listen(*given)[0], False))
    with pytest.raises(Deprived):
        belief.update("listen", True, random.Random(1))
    wrong = ParticleFilter([True, False] * 2_000, listen, lambda *given: 1 - inform(*given))
    wrong.update("listen", True, random.Random(1))
    assert np.mean(wrong.states) == pytest.approx(0.15, abs=0.03)


ROCKS = 8


def check(rocks, rock, chance):
    """RockSample's sensor close by; which rocks are good is hidden and never moves."""
    return rocks, (chance.random() < 0.9) == bool(rocks >> rock & 1)


def flip(rocks, chance):
    return rocks ^ 1 << int(chance.random() * ROCKS)


GOOD = 0b10110010


def check_all(vary, particles=30, rounds=6, key=1):
    """Return the mean error of P(a rock is good), when all rocks were checked again and again."""
    chance = random.Random(key)
    states = [int(chance.random() * 2**ROCKS) for _ in range(particles)]
    belief = ParticleFilter(states, check, vary=vary)
    for _ in range(rounds):
        for rock in range(ROCKS):
            belief.update(rock, bool(GOOD >> rock & 1), chance)
    seen = np.mean(
        [[state >> rock & 1 for rock in range(ROCKS)] for state in belief.states], axis=0
    )
    right = [GOOD >> rock & 1 for rock in range(ROCKS)]
    return float(np.abs(seen - right).mean()), len(set(belief.states))


def test_reinvigorated_particles_find_what_none_of_the_first_was():
    """Thirty of 256 states: without variation the belief ends where no particle was right."""
    keys = range(6)
    varied = np.array([check_all(flip, key=key) for key in keys])
    stuck = np.array([check_all(None, key=key) for key in keys])
    assert varied[:, 0].mean() < 0.08 < stuck[:, 0].mean()
    assert (varied[:, 1] > 1).all() and (stuck[:, 1] == 1).mean() > 0.5


def test_what_cannot_be_explained_is_told_and_changes_nothing():
    belief = ParticleFilter([1, 2], lambda state, action, chance: (state, "seen"), attempts=3)
    with pytest.raises(Deprived, match="none of 6 simulations from 2 particles explains 'else'"):
        belief.update("look", "else", random.Random(1))
    assert belief.states == [1, 2]
    zero = ParticleFilter([1, 2], belief.simulate, lambda *_: 0.0)
    with pytest.raises(Deprived, match="increase particles, or give vary or likelihood"):
        zero.update("look", "else", random.Random(1))


def test_stratified_resampling_keeps_proportions():
    weights = {"a": 0.5, "b": 0.3, "c": 0.2}
    belief = ParticleFilter([*"abc"] * 1_000, lambda n, *_: (n, 0), lambda n, *_: weights[n])
    belief.update("look", 0, random.Random(1))
    counts = Counter(belief.states)
    assert [counts[n] for n in "abc"] == pytest.approx([1500, 900, 600], abs=40)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"states": []}, "needs at least one particle"),
        ({"states": [1], "share": 2}, "share must be from 0"),
    ],
)
def test_what_cannot_be_is_refused(given, said):
    with pytest.raises(ValueError, match=said):
        ParticleFilter(simulate=listen, **given)


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf"), None, "1", np.ones(1)])
def test_a_likelihood_that_is_none_is_refused(weight):
    belief = ParticleFilter([1, 2], listen, lambda state, *_: weight if state == 1 else 0.5)
    with pytest.raises((ValueError, TypeError), match=r"^likelihood.* must be a number"):
        belief.update("listen", True, random.Random(1))


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"simulate": lambda *_: None}, "next state and the observation, not None"),
        ({"simulate": lambda n, *_: (n, np.array([n, n]))}, r"same\(.*True or False, not array"),
        ({"same": lambda *_: None}, r"same\(.* must be True or False, not None"),
    ],
)
def test_functions_that_return_something_else_are_named(parts, said):
    belief = ParticleFilter(**{"states": [1, 2], "simulate": listen, **parts})
    with pytest.raises(TypeError, match=said):
        belief.update("listen", np.array([1, 1]) if "simulate" in parts else True, random.Random(1))

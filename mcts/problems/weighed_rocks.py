"""RockSample for searches that weight observations: a model with numbered states.

The problem is that of `mcts.problems.rocksample`, except that, as in the first paper, a sampled
rock is bad from then on, and may be checked and sampled again.  The values of the MDP are exact and
need no table of all states: under full observability the rover goes straight from one good rock to
the next, and finally to the east.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mcts.continuous.model import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, uniform
from mcts.problems.rocksample import (
    BAD,
    CHECK,
    EAST,
    GOOD,
    NORTH,
    NOTHING,
    SAMPLE,
    SOUTH,
    rocksample,
)


class WeighedRocksParameters(NamedTuple):
    """The problem's numbers.

    A state is (x * size + y) * 2 ** rocks + the sum of 2 ** i over good rocks i, or size ** 2 * 2
    ** rocks when the rover has left.
    """

    rocks: np.ndarray
    """int64 (k, 2): their cells."""
    rock_at: np.ndarray
    """int64 (size, size): number of the rock in the cell, or -1."""
    accuracy: np.ndarray
    """float64 (size, size, k): probability that a check from the cell is right."""
    worth: np.ndarray
    """float64 (k, 2 ** k): MDP value of sampling a rock from its cell, by the set of good rocks."""
    fade: np.ndarray
    """float64 (2 size,): discount by number of actions."""
    start: int
    """The cell, x * size + y."""
    discount: float = 0.95
    exit: float = 10.0
    sample_good: float = 10.0
    sample_bad: float = -10.0


def weighed_rocks(size: int, rocks: Any, **numbers: Any) -> WeighedRocksParameters:
    """Return the problem with its MDP solved; arguments as of `mcts.problems.rocksample`."""
    found = rocksample(size, rocks)
    k, discount = len(found.rocks), numbers.get("discount", 0.95)
    p = WeighedRocksParameters(
        *(found.rocks, found.rock_at, found.accuracy, np.zeros((k, 1 << k))),
        discount ** np.arange(2.0 * size),
        found.x * size + found.y,
        **numbers,
    )
    _solve(p)
    return p


@jit
def _solve(p):
    """Write `worth`, from few good rocks to many."""
    for good in range(p.worth.shape[1]):
        for rock in range(len(p.rocks)):
            rest = good & ~(1 << rock)
            gain = p.sample_good if rest != good else p.sample_bad
            at = _value(p, p.rocks[rock, 0], p.rocks[rock, 1], rest) if rest != good else 0.0
            p.worth[rock, good] = gain + p.discount * at


@jit
def _value(p, x, y, good):
    """Return the value at x, y for the known set of ``good`` rocks."""
    best = p.exit * p.fade[len(p.rock_at) - 1 - x]
    for rock in range(len(p.rocks)):
        if good >> rock & 1:
            way = abs(p.rocks[rock, 0] - x) + abs(p.rocks[rock, 1] - y)
            best = max(best, p.fade[way] * p.worth[rock, good])
    return best


@jit
def _parts(p, s):
    """Return x, y and the set of good rocks, from the state number."""
    cell, good = divmod(s, p.worth.shape[1])
    x, y = divmod(cell, len(p.rock_at))
    return x, y, good


@jit
def _number_left(p):
    """Return the number of the state in which the rover has left."""
    return len(p.rock_at) ** 2 * p.worth.shape[1]


@jit
def draw(p, s, stream):
    """Draw which rocks are good, each with 1/2; one draw."""
    s[0] = p.start * p.worth.shape[1] + below(stream, p.worth.shape[1])


@jit
def outcome(p, s, action, number):
    """Return the deterministic successor."""
    chance = 1.0 if number == 0 else 0.0
    if s == _number_left(p):
        return s, chance
    x, y, good = _parts(p, s)
    if action == NORTH:
        y += 1
    elif action == SOUTH:
        y -= 1
    elif action == EAST:
        x += 1
    elif action == SAMPLE:
        good &= ~(1 << p.rock_at[x, y])
    elif action < CHECK:
        x -= 1
    if x == len(p.rock_at):
        return _number_left(p), chance
    return (x * len(p.rock_at) + y) * p.worth.shape[1] + good, chance


@jit
def reward(p, s, action, then):
    """Return the reward of sampling or leaving.

    ``then`` may have come from another state than ``s``, so ``s`` does not say which rock was good.
    """
    if terminal(p, then):
        return p.exit
    if action != SAMPLE:
        return 0.0
    x, y, good = _parts(p, int(s[0]))
    return p.sample_good if good >> p.rock_at[x, y] & 1 else p.sample_bad


@jit
def terminal(p, s):
    """Return whether the rover has left."""
    return s[0] == _number_left(p)


@jit
def legal(p, s, action):
    """Return whether ``action`` stays on the map, or leaves to the east, and has its rock."""
    x, y, _ = _parts(p, int(s[0]))
    if action == NORTH:
        return y + 1 < len(p.rock_at)
    if action == SOUTH:
        return y > 0
    if action == SAMPLE:
        return p.rock_at[x, y] >= 0
    return action == EAST or action >= CHECK or x > 0


@jit
def _accuracy(p, then, rock):
    """Return the accuracy of a check, and whether the rock is good."""
    x, y, good = _parts(p, int(then[0]))
    return p.accuracy[x, y, rock], good >> rock & 1


@jit
def observe(p, action, then, seen, stream):
    """Draw the sensor's report."""
    seen[0] = NOTHING
    if action >= CHECK:
        accuracy, good = _accuracy(p, then, action - CHECK)
        says_good = (good != 0) == (uniform(stream) < accuracy)
        seen[0] = GOOD if says_good else BAD


@jit
def density(p, action, then, seen):
    """Return the probability of the sensor's report."""
    if action < CHECK:
        return 1.0
    accuracy, good = _accuracy(p, then, action - CHECK)
    return accuracy if (good != 0) == (seen[0] == GOOD) else 1.0 - accuracy


@jit
def values(p, s, action):
    """Return the value of ``action`` when the good rocks are known."""
    following, _ = outcome(p, int(s[0]), action, 0)
    if following == _number_left(p):
        return p.exit
    gain = 0.0
    if action == SAMPLE:
        gain = p.sample_good if following != s[0] else p.sample_bad
    x, y, good = _parts(p, following)
    return gain + p.discount * _value(p, x, y, good)


register(
    WeighedRocksParameters,
    draw=draw,
    outcome=outcome,
    reward=reward,
    terminal=terminal,
    observe=observe,
    density=density,
    legal=legal,
    values=values,
    actions=lambda p: CHECK + len(p.rocks),
    seen=1,
    discount=lambda p: p.discount,
)

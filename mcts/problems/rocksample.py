"""RockSample[n, k], by [Smith & Simmons 2004], in the form of POMCP [Silver & Veness 2010].

A rover crosses a map of n x n cells from the west edge to the east, where leaving pays.  k rocks
lie in known places and are good or bad; sampling one, from its cell, pays or costs.  A sensor
reports the quality of a rock from afar, correctly with probability (1 + 2**(-d / half_distance)) /
2 at Euclidean distance d.

As in POMCP's program, a sampled rock disappears, and moves off the map to the north, south and
west, samples of nothing and checks of removed rocks are illegal (there some cost 100).  There
preferred actions also get initial visits in the tree; here they are a roll-out policy alone.

The rocks are drawn from the root belief once per simulation; nodes are keyed by what was sensed.
Cells are (x, y) from the south-west corner, x to the east.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, uniform
from mcts.problems.beams import STEPS
from mcts.threads import private

NORTH, EAST, SOUTH, WEST, SAMPLE, CHECK = 0, 1, 2, 3, 4, 5
"""Actions; `CHECK` + i checks rock i."""
NOTHING, GOOD, BAD = 0, 1, 2
"""Observations: `NOTHING` except after a check."""
RANDOM, PREFERRED = 0, 1
"""Roll-out policies: uniform over legal actions, or over POMCP's preferred ones (`_prefer`)."""

PUBLISHED = {
    (7, 8): ((2, 0), (0, 1), (3, 1), (6, 3), (2, 4), (3, 4), (5, 5), (1, 6)),
    (11, 11): (
        *((0, 3), (0, 7), (1, 8), (2, 4), (3, 3), (3, 8)),
        *((4, 3), (5, 8), (6, 1), (9, 3), (9, 9)),
    ),
    (15, 15): (
        *((0, 4), (0, 8), (1, 10), (3, 5), (4, 4), (4, 10), (5, 3), (7, 10)),
        *((7, 1), (14, 5), (11, 12), (12, 2), (2, 6), (6, 14), (9, 11)),
    ),
}
"""The rocks of the maps that the papers share, by (n, k).

There is none for [15, 15]: this one is from the program of HyP-DESPOT [Cai et al. 2018], which has
two rovers; other papers draw the rocks.
"""

_NO_ROCK = -1
_X, _Y, _TO_GO, _SEEN, _ROCKS = 0, 1, 2, 3, 4
_ENOUGH_CHECKS, _CLEAR_BALANCE = 5, 2


class RockSampleParameters(NamedTuple):
    """A position of the problem and its numbers; made by `rocksample` and `after`."""

    rocks: np.ndarray
    """int64 (k, 2): their cells."""
    rock_at: np.ndarray
    """int64 (n, n): number of the rock in cell [x, y], or -1."""
    accuracy: np.ndarray
    """float64 (n, n, k): probability that a check of a rock from cell [x, y] is right."""
    good: np.ndarray
    """float64 (k,): belief at the root, the probability that a rock is good."""
    left: np.ndarray
    """bool (k,): rocks not sampled yet."""
    balance: np.ndarray
    """int64 (k,): checks that said good minus those that said bad."""
    checks: np.ndarray
    """int64 (k,): checks so far; `_ENOUGH_CHECKS` once one was certain."""
    x: int
    y: int
    """The rover's cell."""
    steps: int = 90
    """Actions to go (the horizon, if the problem has no end)."""
    discount: float = 0.95
    exit: float = 10.0
    """Reward of leaving to the east."""
    sample_good: float = 10.0
    sample_bad: float = -10.0
    rollout: int = PREFERRED
    """`RANDOM` or `PREFERRED`."""


def rocksample(
    size: int, rocks: Sequence[tuple[int, int]], half_distance: float = 20.0, **numbers: Any
) -> RockSampleParameters:
    """Return the start: the rover in the middle of the west edge, each rock good with 1/2.

    ``size``: n; ``rocks``: their cells, such as those of `PUBLISHED`; ``half_distance``:
    the distance, in cells, at which the sensor's advantage over chance is halved; ``numbers``:
    further fields of `RockSampleParameters`.  Raises ValueError if two rocks share a cell or one
    lies off the map.
    """
    cells = np.array(rocks, np.int64).reshape(-1, 2)
    on_map = ((cells >= 0) & (cells < size)).all()
    if not on_map or len(np.unique(cells, axis=0)) < len(cells):
        raise ValueError(f"rocks must lie in different cells of {size} x {size}, not {rocks}")
    k = len(cells)
    rock_at = np.full((size, size), _NO_ROCK, np.int64)
    rock_at[cells[:, 0], cells[:, 1]] = np.arange(k)
    east, north = np.indices((size, size))[..., None] - cells.T[:, None, None]
    start = {
        "rocks": cells,
        "rock_at": rock_at,
        "accuracy": (1.0 + 2.0 ** (-np.hypot(east, north) / half_distance)) / 2.0,
        "good": np.full(k, 0.5),
        "left": np.ones(k, bool),
        "balance": np.zeros(k, np.int64),
        "checks": np.zeros(k, np.int64),
        "x": 0,
        "y": size // 2,
    }
    return RockSampleParameters(**{**start, **numbers})


def workspace(p: RockSampleParameters) -> np.ndarray:
    """Return a workspace: int64 (9 + 5 k,), the rover's cell (x = n when it has left), steps to go,
    what was seen; of every rock whether it is good, left, its balance, its checks; 5 + k for lists
    of actions."""
    return private(_ROCKS + 4 * len(p.good) + max_actions(p), np.int64)


def max_actions(p: RockSampleParameters) -> int:
    """Return the length of the longest list of actions."""
    return CHECK + len(p.good)


@jit
def start(p, s, stream):
    """Draw the rocks from the belief; one draw a rock."""
    s[_X], s[_Y], s[_TO_GO], s[_SEEN] = p.x, p.y, p.steps, NOTHING
    k = len(p.good)
    for rock in range(k):
        s[_ROCKS + rock] = 1 if uniform(stream) < p.good[rock] else 0
        s[_ROCKS + k + rock] = p.left[rock]
        s[_ROCKS + 2 * k + rock] = p.balance[rock]
        s[_ROCKS + 3 * k + rock] = p.checks[rock]


@jit
def _rock_here(p, s):
    """Return the rock left in the rover's cell, or -1."""
    rock = p.rock_at[s[_X], s[_Y]]
    return rock if rock != _NO_ROCK and s[_ROCKS + len(p.good) + rock] else _NO_ROCK


@jit
def _legal(p, s, action):
    """Return whether ``action``, below the length of the longest list, is legal; east always is."""
    if action >= CHECK:
        return s[_ROCKS + len(p.good) + action - CHECK] != 0
    if action == SAMPLE:
        return _rock_here(p, s) != _NO_ROCK
    if action == NORTH:
        return s[_Y] + 1 < len(p.rock_at)
    if action == SOUTH:
        return s[_Y] > 0
    return action == EAST or s[_X] > 0


@jit
def actions(p, s, out, edge_data):
    """List the legal actions; the set of remaining rocks is known."""
    n = 0
    for action in range(CHECK + len(p.good)):
        if _legal(p, s, action):
            out[n] = action
            edge_data[n] = 0.0
            n += 1
    return n


@jit
def step(p, s, action, edge_data, stream):
    """Move, sample or check; one draw for a check, none otherwise."""
    s[_TO_GO] -= 1
    s[_SEEN] = NOTHING
    k = len(p.good)
    if action >= CHECK:
        rock = action - CHECK
        accuracy = p.accuracy[s[_X], s[_Y], rock]
        right = uniform(stream) < accuracy
        says_good = (s[_ROCKS + rock] != 0) == right
        s[_SEEN] = GOOD if says_good else BAD
        s[_ROCKS + 2 * k + rock] += 1 if says_good else -1
        s[_ROCKS + 3 * k + rock] += 1 if accuracy < 1.0 else _ENOUGH_CHECKS
        return 0.0
    if action == SAMPLE:
        rock = p.rock_at[s[_X], s[_Y]]
        s[_ROCKS + k + rock] = 0
        return p.sample_good if s[_ROCKS + rock] else p.sample_bad
    east, north = STEPS[action]
    s[_X] += east
    s[_Y] += north
    return p.exit if s[_X] == len(p.rock_at) else 0.0


@jit
def observation(p, s):
    """Return the sensor's report; the rover's cell follows from its actions."""
    return np.uint64(s[_SEEN])


@jit
def terminal(p, s):
    """Return whether the rover has left or no steps are left."""
    return s[_TO_GO] <= 0 or s[_X] == len(p.rock_at)


@jit
def _prefer(p, s, out, first):
    """Write POMCP's preferred actions to ``out`` from ``first`` on; return the end.

    Sample a rock with a positive balance.  Go east if every rock left has a negative balance.
    Otherwise move towards rocks without one, or check a rock that has fewer than five checks, none
    of them certain, and a balance below two either way.
    """
    k = len(p.good)
    left, balance, checks = _ROCKS + k, _ROCKS + 2 * k, _ROCKS + 3 * k
    here = _rock_here(p, s)
    if here != _NO_ROCK and s[balance + here] > 0:
        out[first] = SAMPLE
        return first + 1
    hopeful = north = east = south = west = False
    last = first
    for rock in range(k):
        if not s[left + rock]:
            continue
        if s[balance + rock] >= 0:
            hopeful = True
            north |= p.rocks[rock, 1] > s[_Y]
            east |= p.rocks[rock, 0] > s[_X]
            south |= p.rocks[rock, 1] < s[_Y]
            west |= p.rocks[rock, 0] < s[_X]
        if s[checks + rock] < _ENOUGH_CHECKS and abs(s[balance + rock]) < _CLEAR_BALANCE:
            out[last] = CHECK + rock
            last += 1
    if not hopeful:
        out[first] = EAST
        return first + 1
    for action, towards in ((NORTH, north), (EAST, east), (SOUTH, south), (WEST, west)):
        if towards:
            out[last] = action
            last += 1
    return last


@jit
def _rollout_action(p, s, stream):
    """Return the roll-out policy's action; draws until an action is legal, at least once."""
    if p.rollout == PREFERRED:
        first = _ROCKS + 4 * len(p.good)
        preferred = _prefer(p, s, s, first) - first
        if preferred > 0:
            return s[first + below(stream, preferred)]
    action = below(stream, CHECK + len(p.good))
    while not _legal(p, s, action):
        action = below(stream, CHECK + len(p.good))
    return action


@jit
def rollout(p, s, stream):
    """Play the roll-out policy to the end; draws for actions and as `step` does."""
    total = 0.0
    weight = 1.0
    while not terminal(p, s):
        total += weight * step(p, s, _rollout_action(p, s, stream), 0.0, stream)
        weight *= p.discount
    return total


def after(p: RockSampleParameters, action: int, seen: int) -> RockSampleParameters:
    """Return the position after ``action`` and the observation ``seen``, with the exact belief.

    Rocks are independent, so each has its own Bayes update.  Steps to go decrease by one.
    """
    p = p._replace(steps=p.steps - 1)
    if action < SAMPLE:
        east, north = STEPS[action]
        return p._replace(x=p.x + east, y=p.y + north)
    if action == SAMPLE:
        left = p.left.copy()
        left[p.rock_at[p.x, p.y]] = False
        return p._replace(left=left)
    rock = action - CHECK
    good, balance, checks = p.good.copy(), p.balance.copy(), p.checks.copy()
    accuracy = float(p.accuracy[p.x, p.y, rock])
    by_good, by_bad = (accuracy, 1 - accuracy) if seen == GOOD else (1 - accuracy, accuracy)
    joint = by_good * good[rock]
    good[rock] = joint / (joint + by_bad * (1 - good[rock]))
    balance[rock] += 1 if seen == GOOD else -1
    checks[rock] += 1 if accuracy < 1 else _ENOUGH_CHECKS
    return p._replace(good=good, balance=balance, checks=checks)


def _rewards(p: RockSampleParameters, a_rock: float, leaving: float) -> float:
    """Return the value ``a_rock`` for each rock left, then ``leaving``."""
    rewards = np.array([a_rock] * int(p.left.sum()) + [leaving])[: p.steps]
    return float(np.sum(rewards * p.discount ** np.arange(len(rewards))))


register(
    RockSampleParameters,
    discount=lambda p: p.discount,
    low=lambda p: _rewards(p, min(p.sample_bad, 0.0), 0.0),
    high=lambda p: _rewards(p, max(p.sample_good, 0.0), p.exit),
    max_depth=lambda p: p.steps,
)

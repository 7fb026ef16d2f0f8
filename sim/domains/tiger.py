"""Tiger [Kaelbling, Littman & Cassandra 1998]: the smallest problem in which listening pays.

A tiger is behind one of two doors.  Listening tells its side with an accuracy; opening the other
door is rewarded, opening the tiger's punished, and either way the tiger is placed anew.  Its exact
values are known, so it checks that a search gathers information for what it is worth:
19.3714 at the uniform belief with the default numbers and no end, 2.3098 with three steps to go.

The hidden side is drawn from ``p.left`` once a simulation and nodes are keyed by what was heard
[POMCP: Silver & Veness 2010].
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, uniform
from mcts.threads import private

LISTEN, OPEN_LEFT, OPEN_RIGHT = 0, 1, 2
"""Actions."""
NOTHING, HEARD_LEFT, HEARD_RIGHT = 0, 1, 2
"""Observations: `NOTHING` after opening a door."""
LISTENING, RANDOM, LISTEN_THEN_ACT = 0, 1, 2
"""Roll-out policies: listen to the end; any action; open once the odds are those of two more
sounds from one side than from the other."""

LEFT, RIGHT = 0, 1
_SIDE, _TO_GO, _HEARD, _EVIDENCE = 0, 1, 2, 3
_ENOUGH = 2.0 - 1e-9  # evidence at the root is a rounded logarithm


class TigerParameters(NamedTuple):
    """A position of the problem and its numbers."""

    left: float = 0.5
    """Belief at the root: the probability that the tiger is on the left."""
    steps: int = 60
    """Actions to go (the horizon, where the problem has no end)."""
    discount: float = 0.95
    accuracy: float = 0.85
    """Probability that listening tells the true side; above 1/2 and below 1."""
    listen: float = -1.0
    tiger: float = -100.0
    gold: float = 10.0
    rollout: int = LISTENING
    """`LISTENING`, `RANDOM` or `LISTEN_THEN_ACT`."""


def workspace(p: TigerParameters) -> np.ndarray:
    """Return a workspace: float64 (4,), the tiger's side, steps to go, what was heard, and the
    evidence for the left, in sounds, since the tiger was placed."""
    return private(4)


def belief(difference: float, accuracy: float = 0.85) -> float:
    """Return P(left) after ``difference`` more sounds from the left than from the right."""
    return 1.0 / (1.0 + (1.0 / accuracy - 1.0) ** difference)


@jit
def start(p, s, stream):
    """Draw the tiger's side from the belief; one draw."""
    s[_SIDE] = LEFT if uniform(stream) < p.left else RIGHT
    s[_TO_GO] = p.steps
    s[_HEARD] = NOTHING
    s[_EVIDENCE] = 0.0
    if p.rollout == LISTEN_THEN_ACT:
        bounded = min(max(p.left, 1e-12), 1.0 - 1e-12)
        sound = math.log(p.accuracy / (1.0 - p.accuracy))
        s[_EVIDENCE] = math.log(bounded / (1.0 - bounded)) / sound


@jit
def actions(p, s, out, notes):
    """List the three actions."""
    for action in range(3):
        out[action] = action
        notes[action] = 0.0
    return 3


@jit
def step(p, s, action, note, stream):
    """Listen or open a door; one draw."""
    s[_TO_GO] -= 1
    if action == LISTEN:
        right_about_it = uniform(stream) < p.accuracy
        if (s[_SIDE] == LEFT) == right_about_it:
            s[_HEARD] = HEARD_LEFT
            s[_EVIDENCE] += 1.0
        else:
            s[_HEARD] = HEARD_RIGHT
            s[_EVIDENCE] -= 1.0
        return p.listen
    met = (action == OPEN_LEFT) == (s[_SIDE] == LEFT)
    s[_SIDE] = LEFT if uniform(stream) < 0.5 else RIGHT
    s[_HEARD] = NOTHING
    s[_EVIDENCE] = 0.0
    return p.tiger if met else p.gold


@jit
def observation(p, s):
    """Return the side just heard."""
    return np.uint64(s[_HEARD])


@jit
def terminal(p, s):
    """Tell whether no steps are left."""
    return s[_TO_GO] <= 0


@jit
def _rollout_action(p, s, stream):
    """Return the roll-out policy's action; one draw for `RANDOM`, none otherwise."""
    if p.rollout == RANDOM:
        return below(stream, 3)
    if p.rollout == LISTEN_THEN_ACT:
        if s[_EVIDENCE] >= _ENOUGH:
            return OPEN_RIGHT
        if s[_EVIDENCE] <= -_ENOUGH:
            return OPEN_LEFT
    return LISTEN


@jit
def rollout(p, s, stream):
    """Play the roll-out policy to the end; draws as it acts."""
    total = 0.0
    weight = 1.0
    while s[_TO_GO] > 0:
        total += weight * step(p, s, _rollout_action(p, s, stream), 0.0, stream)
        weight *= p.discount
    return total


def _annuity(p: TigerParameters) -> float:
    """Return what a reward of 1 a step is worth over all steps."""
    if p.discount == 1.0:
        return float(p.steps)
    return (1.0 - p.discount**p.steps) / (1.0 - p.discount)


register(
    TigerParameters,
    start=start,
    actions=actions,
    step=step,
    observation=observation,
    terminal=terminal,
    rollout=rollout,
    workspace=workspace,
    discount=lambda p: p.discount,
    low=lambda p: p.tiger * _annuity(p),
    high=lambda p: p.gold * _annuity(p),
    max_actions=3,
    max_depth=lambda p: p.steps,
)

"""Tiger [Kaelbling, Littman & Cassandra 1998]: the smallest problem in which listening pays.

A tiger is behind one of two doors.  Listening reports its side with an accuracy; opening the other
door is rewarded, opening the tiger's punished, and either way the tiger is placed again and an
uninformative sound is heard.  Its exact values are known, so it checks that a search gathers
information at the right price: 19.3714 at the uniform belief with the default numbers and no end,
2.3098 with three steps to go.

Nodes are keyed by what was heard.  What a simulation samples is set by the parameters: one side,
drawn from the belief at its start and whenever the tiger is placed [POMCP: Silver & Veness 2010],
or nothing: under ``propagated`` the belief itself is carried along, sounds are drawn from its
prediction, and a door pays its expected value [BMCTS: Ledford 2018, 3.4].
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
"""Observations: `NOTHING` before the first action."""
LISTENING, RANDOM, LISTEN_THEN_ACT = 0, 1, 2
"""Roll-out policies: listen to the end; any action; open once the odds equal two more sounds from
one side than from the other."""

_LEFT, _TO_GO, _HEARD, _EVIDENCE = 0, 1, 2, 3
_ENOUGH = 2.0 - 1e-9  # evidence at the root is a rounded logarithm


class TigerParameters(NamedTuple):
    """A position of the problem and its numbers."""

    left: float = 0.5
    """Belief at the root: the probability that the tiger is on the left."""
    steps: int = 60
    """Actions to go (the horizon, if the problem has no end)."""
    discount: float = 0.95
    accuracy: float = 0.85
    """Probability that listening reports the true side; above 1/2 and below 1."""
    listen: float = -1.0
    tiger: float = -100.0
    gold: float = 10.0
    rollout: int = LISTENING
    """`LISTENING`, `RANDOM` or `LISTEN_THEN_ACT`."""
    propagated: bool = False
    """Whether simulations carry the belief instead of one side drawn from it."""


def workspace(p: TigerParameters) -> np.ndarray:
    """Return a workspace: float64 (4,).

    The probability that the tiger is on the left (1 or 0 for a side that was drawn), steps to go,
    what was heard, and the evidence for the left, in sounds.
    """
    return private(4)


def belief(difference: float, accuracy: float = 0.85) -> float:
    """Return P(left) after ``difference`` more sounds from the left than from the right."""
    return 1.0 / (1.0 + (1.0 / accuracy - 1.0) ** difference)


@jit
def _place(p, s, left, stream):
    """Place the tiger: on the left with probability ``left``; one draw, none if propagated."""
    s[_LEFT] = left
    if not p.propagated:
        s[_LEFT] = 1.0 if uniform(stream) < left else 0.0


@jit
def _sound(p):
    """Return the log-odds increment of one sound."""
    return math.log(p.accuracy / (1.0 - p.accuracy))


@jit
def start(p, s, stream):
    """Place the tiger by the belief; one draw, none if propagated."""
    _place(p, s, p.left, stream)
    s[_TO_GO] = p.steps
    s[_HEARD] = NOTHING
    bounded = min(max(p.left, 1e-12), 1.0 - 1e-12)
    s[_EVIDENCE] = math.log(bounded / (1.0 - bounded)) / _sound(p)


@jit
def actions(p, s, out, edge_data):
    """List the three actions."""
    for action in range(3):
        out[action] = action
        edge_data[action] = 0.0
    return 3


@jit
def step(p, s, action, edge_data, stream):
    """Listen or open a door.

    Takes one draw, one more to place the tiger unless the belief is propagated.
    """
    s[_TO_GO] -= 1
    left = s[_LEFT]
    if action == LISTEN:
        from_left = left * p.accuracy + (1.0 - left) * (1.0 - p.accuracy)
        # Bayes' rule; a sampled side does not change
        if uniform(stream) < from_left:
            s[_HEARD] = HEARD_LEFT
            s[_EVIDENCE] += 1.0
            s[_LEFT] = left * p.accuracy / from_left
        else:
            s[_HEARD] = HEARD_RIGHT
            s[_EVIDENCE] -= 1.0
            s[_LEFT] = left * (1.0 - p.accuracy) / (1.0 - from_left)
        return p.listen
    met = left if action == OPEN_LEFT else 1.0 - left
    _place(p, s, 0.5, stream)
    s[_HEARD] = HEARD_LEFT if uniform(stream) < 0.5 else HEARD_RIGHT
    s[_EVIDENCE] = 0.0
    return met * p.tiger + (1.0 - met) * p.gold


@jit
def observation(p, s):
    """Return the side just heard, and the noise."""
    return np.uint64(s[_HEARD])


@jit
def terminal(p, s):
    """Return whether no steps are left."""
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


@jit
def action_type(p, s, action):
    """Return 0 for listening, 1 for opening a door."""
    return min(action, 1)


def after(p: TigerParameters, action: int, seen: int) -> TigerParameters:
    """Return the position after ``action`` and the observation ``seen``, with the exact belief.

    Steps to go decrease by one.
    """
    p = p._replace(steps=p.steps - 1)
    if action != LISTEN:
        return p._replace(left=0.5)
    by_left = p.accuracy if seen == HEARD_LEFT else 1.0 - p.accuracy
    joint = by_left * p.left
    return p._replace(left=joint / (joint + (1.0 - by_left) * (1.0 - p.left)))


def _annuity(p: TigerParameters) -> float:
    """Return the discounted sum of a reward of 1 per step over all steps."""
    if p.discount == 1.0:
        return float(p.steps)
    return (1.0 - p.discount**p.steps) / (1.0 - p.discount)


register(
    TigerParameters,
    discount=lambda p: p.discount,
    low=lambda p: p.tiger * _annuity(p),
    high=lambda p: p.gold * _annuity(p),
    max_actions=3,
    max_depth=lambda p: p.steps,
)

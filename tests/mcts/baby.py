"""Crying baby [Kochenderfer 2015, s. 6.1.1]: two actions, and acting too early or too late costs.

A baby is hungry or not, which only its crying shows, and that not for sure.  Feeding it costs
something and ends its hunger; a hungry baby costs more, until it is fed.  Exact values are known:
with the default numbers and no end -16.3055 if it is not hungry and -24.6749 if the chances are
even, and it should be fed if it is hungry with a probability above 0.282064.

One step: pay for hunger and for feeding, then hunger changes, then the baby cries or not, by its
new state.  As in `mcts.problems.tiger`, a simulation carries one state drawn from the belief, or
under ``propagated`` the belief itself.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, uniform
from mcts.threads import private

IGNORE, FEED = 0, 1
"""Actions."""
QUIET, CRYING = 0, 1
"""Observations."""
IGNORING, RANDOM, ANSWERING = 0, 1, 2
"""Roll-out policies: ignore to the end; any action; feed after crying."""

_HUNGRY, _TO_GO, _HEARD = 0, 1, 2


class BabyParameters(NamedTuple):
    """A position of the problem and its numbers."""

    hungry: float = 0.0
    """Belief at the root: the probability that the baby is hungry."""
    steps: int = 60
    """Actions to go (the horizon, where the problem has no end)."""
    discount: float = 0.9
    grows: float = 0.1
    """Probability that a baby which is neither hungry nor fed becomes hungry in a step."""
    cries_hungry: float = 0.8
    """Probability that a hungry baby cries; above 0 and below 1 ..."""
    cries_sated: float = 0.1
    """... and that another does; likewise."""
    hunger: float = -10.0
    """Reward of a step that begins hungry; not above 0."""
    feeding: float = -5.0
    """Reward of feeding; not above 0."""
    rollout: int = RANDOM
    """`IGNORING`, `RANDOM` or `ANSWERING`."""
    propagated: bool = False
    """Whether simulations carry the belief, in place of one state drawn from it."""


def workspace(p: BabyParameters) -> np.ndarray:
    """Return a workspace: float64 (3,), the probability that the baby is hungry (1 or 0 for a
    state that was drawn), steps to go, and what was heard."""
    return private(3)


@jit
def _settle(p, s, hungry, stream):
    """Let the baby be hungry with probability ``hungry``; one draw, none if propagated."""
    s[_HUNGRY] = hungry
    if not p.propagated:
        s[_HUNGRY] = 1.0 if uniform(stream) < hungry else 0.0


@jit
def start(p, s, stream):
    """Settle whether the baby is hungry by the belief; one draw, none if propagated."""
    _settle(p, s, p.hungry, stream)
    s[_TO_GO] = p.steps
    s[_HEARD] = QUIET


@jit
def actions(p, s, out, edge_data):
    """List both actions."""
    for action in range(2):
        out[action] = action
        edge_data[action] = 0.0
    return 2


@jit
def step(p, s, action, edge_data, stream):
    """Ignore or feed, and listen; two draws, one if propagated."""
    s[_TO_GO] -= 1
    reward = p.hunger * s[_HUNGRY]
    if action == FEED:
        reward += p.feeding
        _settle(p, s, 0.0, stream)
    else:
        _settle(p, s, s[_HUNGRY] + (1.0 - s[_HUNGRY]) * p.grows, stream)
    hungry = s[_HUNGRY]
    crying = hungry * p.cries_hungry + (1.0 - hungry) * p.cries_sated
    # Bayes' rule; a state that was drawn stays what it is
    if uniform(stream) < crying:
        s[_HEARD] = CRYING
        s[_HUNGRY] = hungry * p.cries_hungry / crying
    else:
        s[_HEARD] = QUIET
        s[_HUNGRY] = hungry * (1.0 - p.cries_hungry) / (1.0 - crying)
    return reward


@jit
def observation(p, s):
    """Return what was just heard."""
    return np.uint64(s[_HEARD])


@jit
def terminal(p, s):
    """Return whether no steps are left."""
    return s[_TO_GO] <= 0


@jit
def rollout(p, s, stream):
    """Play the roll-out policy to the end; draws as `step` does, one more a step for `RANDOM`."""
    total = 0.0
    weight = 1.0
    while s[_TO_GO] > 0:
        action = IGNORE
        if p.rollout == RANDOM:
            action = below(stream, 2)
        elif p.rollout == ANSWERING and s[_HEARD] == CRYING:
            action = FEED
        total += weight * step(p, s, action, 0.0, stream)
        weight *= p.discount
    return total


register(
    BabyParameters,
    start=start,
    actions=actions,
    step=step,
    observation=observation,
    terminal=terminal,
    rollout=rollout,
    workspace=workspace,
    discount=lambda p: p.discount,
    low=lambda p: (p.hunger + p.feeding) * float(np.sum(p.discount ** np.arange(p.steps))),
    high=0.0,
    max_actions=2,
    max_depth=lambda p: p.steps,
)

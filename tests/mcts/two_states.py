"""Tiger and the crying baby, which begin their workspaces with the chance of one of two states."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from mcts.kernel.rng import new_stream


def many(p: Any, action: int, rounds: int = 4_000) -> np.ndarray:
    """Do one action from the start of the problem ``p`` again and again.

    Returns the chance of the state as carried before, rewards, observations, and the chance after;
    shape (4, rounds).
    """
    domain = sys.modules[type(p).__module__]
    s, stream = domain.workspace(p), new_stream(5)
    rows = []
    for _ in range(rounds):
        domain.start(p, s, stream)
        before = s[0]
        reward = domain.step(p, s, action, 0.0, stream)
        rows.append((before, reward, float(domain.observation(p, s)), s[0]))
    return np.array(rows).T


def returns(p: Any, rounds: int = 3_000) -> float:
    """Return the mean return of roll-outs from the start of the problem ``p``."""
    domain = sys.modules[type(p).__module__]
    s, stream = domain.workspace(p), new_stream(9)
    total = 0.0
    for _ in range(rounds):
        domain.start(p, s, stream)
        total += domain.rollout(p, s, stream)
        assert domain.terminal(p, s)
    return total / rounds

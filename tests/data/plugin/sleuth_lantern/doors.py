"""Doors: one choice among prizes that are known, the least that can be searched."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts import jit, register


class Doors(NamedTuple):
    """Prizes behind the doors: float64 (n,), each from 0 to 1."""

    prizes: np.ndarray


@jit
def start(p, s, stream):
    """Close all doors."""
    s[0] = 0


@jit
def actions(p, s, out, edge_data):
    """List the doors."""
    for door in range(len(p.prizes)):
        out[door] = door
        edge_data[door] = 0.0
    return len(p.prizes)


@jit
def step(p, s, action, edge_data, stream):
    """Open a door."""
    s[0] = 1
    return p.prizes[action]


@jit
def observation(p, s):
    """Return nothing seen."""
    return np.uint64(0)


@jit
def terminal(p, s):
    """Return whether a door is open."""
    return s[0] == 1


@jit
def rollout(p, s, stream):
    """Return nothing: roll-outs begin behind a door."""
    return 0.0


register(
    Doors,
    start=start,
    actions=actions,
    step=step,
    observation=observation,
    terminal=terminal,
    rollout=rollout,
    workspace=lambda p: np.zeros(1, np.int64),
    discount=1.0,
    low=0.0,
    high=1.0,
    max_actions=lambda p: len(p.prizes),
    max_depth=1,
)

"""A game of two players, one of whom alone knows a bit: sound, or with a planted fault."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below

BIT, STAGE, LAST, WHISPER, GUESS = range(5)
"""Places in a workspace."""

NONE, LIST_PEEKS, TOO_HIGH, CHANCE, MOVER, PERSPECTIVES = range(6)
"""Planted faults."""


class Whisper(NamedTuple):
    """Player 0 acts, player 1 whispers a number, player 0 guesses the bit that player 1 knows.

    Player 1 is paid for whispering the bit, player 0 for guessing it; 2 may be whispered only if
    the bit is 1.
    """

    views: int = 1
    """One tree or two."""
    selfish: int = 1
    """0: everybody is paid what player 0 gets."""
    honest: int = 0
    """1: nothing but the bit may be whispered."""
    fault: int = NONE


@jit
def start(p, s, stream):
    s[BIT] = below(stream, 2)
    s[STAGE] = 0
    s[LAST] = 0


@jit
def actions(p, s, out, edge_data):
    n = 3 if s[STAGE] == 1 else 2
    for i in range(n):
        out[i] = i
        edge_data[i] = 0.0
    if p.fault == LIST_PEEKS and s[STAGE] == 1:
        out[0] = s[BIT]
        return 1
    return n


@jit
def available(p, s, action):
    if s[STAGE] != 1:
        return True
    return action == s[BIT] if p.honest else action < 2 or s[BIT] == 1


@jit
def step(p, s, action, edge_data, stream):
    if s[STAGE] == 1:
        if action == 2 and s[BIT] == 0:
            raise ValueError("a whisper that could not be")
        s[WHISPER] = action
    s[GUESS] = action
    s[LAST] = action
    s[STAGE] += 1
    return 100.0  # not counted where there are several players


@jit
def observation(p, s):
    return np.uint64(1 + s[LAST])


@jit
def observation_of(p, s, player):
    if s[STAGE] == 0:
        return np.uint64(s[BIT] if player == 1 else 0)
    return np.uint64(1 + s[LAST])


@jit
def terminal(p, s):
    return s[STAGE] == 3


@jit
def mover(p, s):
    if p.fault == MOVER:
        return 2
    return 1 if s[STAGE] == 1 else 0


@jit
def rollout(p, s, stream):
    while s[STAGE] < 3:
        step(p, s, below(stream, 2), 0.0, stream)
    return 0.0


@jit
def payoff(p, s, player):
    if player == 1 and p.selfish:
        paid = 0.75 if s[WHISPER] == s[BIT] else 0.25
    else:
        paid = 1.0 if s[GUESS] == s[BIT] else 0.0
    if p.fault == TOO_HIGH and player == 1:
        return paid + 0.5
    if p.fault == CHANCE:
        return paid * np.random.random()
    return paid


register(
    Whisper,
    workspace=lambda p: np.zeros(5, np.int64),
    discount=1.0,
    low=0.0,
    high=1.0,
    max_actions=3,
    max_depth=3,
    players=2,
    perspectives=lambda p: 3 if p.fault == PERSPECTIVES else p.views,
)

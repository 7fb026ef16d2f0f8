"""Problems given by tables of probabilities, as models to be weighed, and their exact values."""

from functools import cache
from typing import NamedTuple

import numpy as np

from mcts.continuous.model import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform


class Tables(NamedTuple):
    moves: np.ndarray
    """float64 (actions, states, states): probabilities of what follows."""
    shows: np.ndarray
    """float64 (actions, states, observations): by the state that follows."""
    gains: np.ndarray
    """float64 (states, actions)"""
    starts: np.ndarray
    """float64 (states,)"""
    discount: float
    best: float = 0.0
    """The most that a step can gain, for ever: for one who sees all."""


LISTEN = 0


def tiger(accuracy=0.85):
    """Return Tiger: listen, open the left door, open the right one."""
    even, stays = np.full((2, 2), 0.5), np.eye(2)
    heard = np.array([[accuracy, 1 - accuracy], [1 - accuracy, accuracy]])
    gains = np.array([[-1.0, -100.0, 10.0], [-1.0, 10.0, -100.0]])
    moves, shows = np.array([stays, even, even]), np.array([heard, even, even])
    return Tables(moves, shows, gains, np.array([0.5, 0.5]), 0.95, 10.0)


def crying_baby(hungry=0.0):
    """Return the crying baby: ignore or feed; it is sated or hungry, quiet or crying.

    Hunger costs twice as much as in `baby`, and crying says less, so that guesses cost more.
    """
    moves = np.array([[[0.9, 0.1], [0.0, 1.0]], [[1.0, 0.0], [1.0, 0.0]]])
    cries = np.array([[0.7, 0.3], [0.3, 0.7]])
    gains = np.array([[0.0, -10.0], [-20.0, -30.0]])
    return Tables(moves, np.array([cries, cries]), gains, np.array([1 - hungry, hungry]), 0.9)


def exact(p, steps):
    """Return the exact value of each action from the first belief, with ``steps`` to go."""

    @cache
    def action_values(belief, left):
        at, found = np.array(belief), []
        for action in range(len(p.moves)):
            joint = (at @ p.moves[action])[:, None] * p.shows[action]
            ahead = 0.0
            for likely in joint.T if left > 1 else ():
                if likely.sum() > 0:
                    after = tuple((likely / likely.sum()).round(12))
                    ahead += likely.sum() * max(action_values(after, left - 1))
            found.append(float(at @ p.gains[:, action] + p.discount * ahead))
        return tuple(found)

    return action_values(tuple(p.starts), steps)


def clear_sighted(p, steps):
    """Return the value of one who sees all from the next step on, as QMDP takes it."""
    ahead = np.zeros(len(p.starts))
    for _ in range(steps):
        q = p.gains + p.discount * (p.moves @ ahead).T
        ahead = q.max(axis=1)
    return float((p.starts @ q).max())


@jit
def _draw(row, stream):
    left = uniform(stream)
    for i in range(len(row) - 1):
        left -= row[i]
        if left < 0:
            return i
    return len(row) - 1


@jit
def draw(p, s, stream):
    s[0] = _draw(p.starts, stream)


@jit
def step(p, s, action, then, stream):
    then[0] = _draw(p.moves[action, int(s[0])], stream)


@jit
def reward(p, s, action, then):
    return p.gains[int(s[0]), action]


@jit
def terminal(p, s):
    return False


@jit
def observe(p, action, then, seen, stream):
    seen[0] = _draw(p.shows[action, int(then[0])], stream)


@jit
def density(p, action, then, seen):
    return p.shows[action, int(then[0]), int(seen[0])]


@jit
def values(p, s, action):
    return p.gains[int(s[0]), action] + p.discount * p.best / (1.0 - p.discount)


register(
    Tables,
    actions=lambda p: len(p.moves),
    seen=1,
    discount=lambda p: p.discount,
)

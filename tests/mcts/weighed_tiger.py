"""Tiger as a model whose observations can be weighed; exact values are in `mcts.problems.tiger`.

State: the tiger's side, and the other one, so that states of several numbers are tried.
"""

from typing import NamedTuple

from mcts.continuous.model import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, uniform

LISTEN, OPEN_LEFT, OPEN_RIGHT = 0, 1, 2


class WeighedTiger(NamedTuple):
    accuracy: float = 0.85
    discount: float = 0.95


@jit
def draw(p, s, stream):
    s[0] = below(stream, 2)
    s[1] = 1 - s[0]


@jit
def step(p, s, action, then, stream):
    then[0] = s[0] if action == LISTEN else below(stream, 2)
    then[1] = 1 - then[0]


@jit
def reward(p, s, action, then):
    if action == LISTEN:
        return -1.0
    return -100.0 if (action == OPEN_LEFT) == (s[0] == 0) else 10.0


@jit
def terminal(p, s):
    return False


@jit
def observe(p, action, then, seen, stream):
    right = uniform(stream) < (p.accuracy if action == LISTEN else 0.5)
    seen[0] = then[0] if right else then[1]


@jit
def density(p, action, then, seen):
    if action != LISTEN:
        return 0.5
    return p.accuracy if seen[0] == then[0] else 1.0 - p.accuracy


@jit
def values(p, s, action):
    return reward(p, s, action, s) + p.discount * 10.0 / (1.0 - p.discount)


register(
    WeighedTiger,
    draw=draw,
    step=step,
    reward=reward,
    terminal=terminal,
    observe=observe,
    density=density,
    values=values,
    actions=3,
    seen=1,
    width=2,
    discount=lambda p: p.discount,
)

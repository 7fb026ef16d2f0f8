"""Van der Pol Tag [Sunberg & Kochenderfer 2018]: states, actions and observations are continuous.

The agent starts in the middle of a plane and chases a target that drifts by the Van der Pol
equations, with noise.  It moves half a unit in any direction; four barriers, along the axes, stop
it, but not the target.  Coming within 0.1 pays 100 and ends the problem; each action costs 1.

Eight beams around the agent are read: the target's reads its distance, the others 1, all with a
deviation of 5.  The agent may look as it moves, which costs 5: the target's beam then has 0.1.

An action is a number: below `angles` the direction, counted from east; from there on the same, with
a look.  The 2 ** 32 directions approximate all, or a few are used.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from mcts.continuous.model import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform
from mcts.problems.beams import BEAMS, beam_of, draw_readings, normal, weigh_readings

_ULP = 2.0**-52
_MOVES = 5
"""Runge-Kutta steps, of `VdpTagParameters.step` each, while an agent moves."""


class VdpTagParameters(NamedTuple):
    """The problem's numbers.  State: x and y of the agent, x and y of the target."""

    angles: int = 2**32  # Directions to go.
    mu: float = 2.0
    step: float = 0.1
    stride: float = 0.5  # Distance of one move.
    drift: float = 0.05  # Deviation of the target's place, after each action.
    start: float = 4.0  # Half the side of the square in which the target starts.
    radius: float = 0.1
    tagged: float = 100.0
    move: float = -1.0
    look: float = -5.0
    close: float = 0.1  # Deviation of a look, ...
    noise: float = 5.0  # ... and of all other readings.
    barrier: float = 0.2  # Distance of barriers from the middle, ...
    length: float = 2.8  # ... and their length.
    discount: float = 0.95


@jit
def draw(p, s, stream):
    """Draw where the target starts; two draws."""
    s[0] = s[1] = 0.0
    s[2] = p.start * (2.0 * uniform(stream) - 1.0)
    s[3] = p.start * (2.0 * uniform(stream) - 1.0)


@jit
def _slope(p, x, y):
    """Return the target's velocity."""
    return p.mu * (x - x**3 / 3.0 - y), x / p.mu


@jit
def drift(p, x, y):
    """Return the place of a noiseless target after one action."""
    h = p.step
    for _ in range(_MOVES):
        x1, y1 = _slope(p, x, y)
        x2, y2 = _slope(p, x + h / 2.0 * x1, y + h / 2.0 * y1)
        x3, y3 = _slope(p, x + h / 2.0 * x2, y + h / 2.0 * y2)
        x4, y4 = _slope(p, x + h * x3, y + h * y3)
        x += h / 6.0 * (x1 + 2.0 * x2 + 2.0 * x3 + x4)
        y += h / 6.0 * (y1 + 2.0 * y2 + 2.0 * y3 + y4)
    return x, y


@jit
def way(p, x, y, dx, dy):
    """Return the part of the move from (x, y) by (dx, dy) before a barrier: at most 1."""
    free = 1.0 + 2.0 * _ULP
    for along_x, along_y in ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)):
        bx, by = p.length * along_x, p.length * along_y
        crossing = bx * dy - by * dx
        if crossing != 0.0:
            to_x, to_y = x - p.barrier * along_x, y - p.barrier * along_y
            here = (to_x * by - to_y * bx) / crossing
            there = (to_x * dy - to_y * dx) / crossing
            if 0.0 <= here < free and 0.0 <= there <= 1.0:
                free = here
    return free - 2.0 * _ULP


@jit
def step(p, s, action, then, stream):
    """Move agent and target; four draws."""
    angle = 2.0 * math.pi * (action % p.angles + 0.5) / p.angles
    dx, dy = p.stride * math.cos(angle), p.stride * math.sin(angle)
    free = way(p, s[0], s[1], dx, dy)
    then[0], then[1] = s[0] + free * dx, s[1] + free * dy
    x, y = drift(p, s[2], s[3])
    then[2], then[3] = x + p.drift * normal(stream), y + p.drift * normal(stream)


@jit
def terminal(p, s):
    """Return whether the target is tagged."""
    return math.hypot(s[0] - s[2], s[1] - s[3]) < p.radius


@jit
def reward(p, s, action, then):
    """Return the reward of a tag or a move, with the cost of a look."""
    gain = p.tagged if terminal(p, then) else p.move
    return gain + p.look if action >= p.angles else gain


@jit
def _reading(p, action, then):
    """Return the argument ``reading`` of `mcts.problems.beams`."""
    x, y = then[2] - then[0], then[3] - then[1]
    deviation = p.close if action >= p.angles else p.noise
    return beam_of(x, y), math.hypot(x, y), deviation, 1.0, p.noise


@jit
def observe(p, action, then, seen, stream):
    """Draw the readings of the beams."""
    draw_readings(_reading(p, action, then), seen, stream)


@jit
def density(p, action, then, seen):
    """Return the density of the readings."""
    return weigh_readings(_reading(p, action, then), seen)


def intercept(p: VdpTagParameters, particles: np.ndarray, look: bool = False) -> int:
    """Return the move from the mean agent to the mean target's next place."""
    x, y, target_x, target_y = (float(mean) for mean in particles.mean(axis=0))
    to_x, to_y = drift(p, target_x, target_y)
    turn = math.atan2(to_y - y, to_x - x) / (2.0 * math.pi)
    return int(turn % 1.0 * p.angles) % p.angles + look * p.angles


def manage_uncertainty(p: VdpTagParameters, particles: np.ndarray) -> int:
    """Return `intercept`, with a look while the target's place is uncertain by 0.01 or more.

    The authors' heuristic: the root of the determinant of the covariance.
    """
    spread: Any = np.linalg.det(np.cov(particles[:, 2:].T, bias=True))
    return intercept(p, particles, look=bool(max(spread, 0.0) ** 0.5 > 0.01))


register(
    VdpTagParameters,
    actions=lambda p: 2 * p.angles,
    seen=BEAMS,
    width=4,
    discount=lambda p: p.discount,
    suggest=intercept,
)

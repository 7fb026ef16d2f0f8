"""Normal noise for kernels, and eight noisy beams around an agent.

One of the beams may hold the target.
"""

from __future__ import annotations

import math

from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform

BEAMS = 8
"""Of 45 degrees each: the first from east, exclusive, to north-east."""

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1))
"""Steps in x and y on a grid: north, east, south, west, then the diagonals from north-east on."""

_SQRT_2_PI = math.sqrt(2 * math.pi)


@jit
def normal(stream):
    """Return a standard normal variable [Box & Muller 1958]; two draws."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(stream)))
    return radius * math.cos(2.0 * math.pi * uniform(stream))


@jit
def bell(x, mean, deviation):
    """Return the normal density at ``x``."""
    z = (x - mean) / deviation
    return math.exp(-0.5 * z * z) / (deviation * _SQRT_2_PI)


@jit
def beam_of(x, y):
    """Return the beam that contains a place relative to the agent."""
    angle = math.atan2(y, x)
    if angle <= 0.0:
        angle += 2.0 * math.pi
    return min(max(math.ceil(8.0 * angle / (2.0 * math.pi)), 1), BEAMS) - 1


@jit
def draw_readings(reading, seen, stream):
    """Draw the readings of all beams into ``seen``.

    ``reading``: the beam of the target, or -1; mean and deviation in it, and in the others.
    """
    beam, mean, deviation, other, noise = reading
    for i in range(len(seen)):
        if i == beam:
            seen[i] = mean + deviation * normal(stream)
        else:
            seen[i] = other + noise * normal(stream)


@jit
def weigh_readings(reading, seen):
    """Return the density of the readings of all beams."""
    beam, mean, deviation, other, noise = reading
    found = 1.0
    for i in range(len(seen)):
        found *= bell(seen[i], mean, deviation) if i == beam else bell(seen[i], other, noise)
    return found

"""Normal variables for kernels."""

from __future__ import annotations

import math

from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform

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

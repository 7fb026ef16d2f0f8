"""Particle filter of a model: propagate by the action, weigh by the observation, resample.

Bootstrap filter [Gordon, Salmond & Smith 1993] with systematic resampling [Kitagawa 1996], which
leaves particles of equal weight unchanged.  Terminal states are dropped: the episode has not ended.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mcts.continuous.model import density, draw, model_of, step, terminal
from mcts.kernel.compile import jit, specialise
from mcts.kernel.rng import new_stream, uniform


@jit
def resample(moved, weights, total, into, stream):
    """Fill ``into`` with rows of ``moved`` in proportion to ``weights``; one draw."""
    part = total / len(into)
    reached, place = weights[0], 0
    offset = uniform(stream)
    for i in range(len(into)):
        while reached < (i + offset) * part and place < len(weights) - 1:
            place += 1
            reached += weights[place]
        for k in range(into.shape[1]):
            into[i, k] = moved[place, k]


def refuse_densities(p: Any, *totals: float) -> None:
    """Raise ValueError if ``totals``, sums of densities of ``p``, cannot be weights."""
    if not all(0.0 <= total < np.inf for total in totals):
        raise ValueError(
            f"{type(p).__name__}: rewards and densities must be finite, densities at least 0, "
            "and their sum over the particles finite"
        )


def _draw_all(p, particles, stream):
    for i in range(len(particles)):
        draw(p, particles[i], stream)


def _weigh(p, particles, action, seen, moved, weights, stream):
    """Propagate ``particles`` into ``moved`` and weigh them; return the sum and the maximum."""
    total = most = 0.0
    for i in range(len(particles)):
        weights[i] = 0.0
        if terminal(p, particles[i]):
            continue
        step(p, particles[i], action, moved[i], stream)
        if not terminal(p, moved[i]):
            weights[i] = density(p, action, moved[i], seen)
            if not weights[i] >= 0.0:  # nan as well
                return np.nan, most
            total += weights[i]
            most = max(most, weights[i])
    return total, most


class Belief:
    """Particles of the model ``p``, initially from its initial belief, by ``key``."""

    def __init__(self, p: Any, count: int, key: int) -> None:
        self._p, self._stream = p, new_stream(key)
        module = type(p).__module__
        self._kernel = specialise(_weigh, module)
        self.particles = np.zeros((count, int(model_of(p).number("width", p))))
        self._moved, self._weights = np.zeros_like(self.particles), np.zeros(count)
        self.lost = 0
        """Observations that no particle explained; particles were then propagated, not weighed."""
        specialise(_draw_all, module)(p, self.particles, self._stream)

    def update(self, action: int, seen: np.ndarray) -> None:
        """Update on ``seen`` after ``action``; ValueError if densities cannot be weights."""
        total, most = self._kernel(
            self._p, self.particles, action, seen, self._moved, self._weights, self._stream
        )
        refuse_densities(self._p, total)
        if total <= 0.0:
            self.lost += 1
            self._weights[:] = 1.0
            total, most = float(len(self._weights)), 1.0
        if most * len(self._weights) <= total * (1 + 1e-12):
            self.particles, self._moved = self._moved, self.particles
        else:
            resample(self._moved, self._weights, total, self.particles, self._stream)

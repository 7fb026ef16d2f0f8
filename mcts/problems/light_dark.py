"""Light Dark in one dimension [Sunberg & Kochenderfer 2018]: localise in the light, then act.

The agent is on a line of integers and must stop at 0, which pays 100; stopping elsewhere costs 100,
and both end the problem.  It moves by 1 or 10, which costs 1.  It observes its place with normal
noise, whose deviation is the distance from the light at 10.  Steps off the line end at its end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mcts.continuous.model import register, solve
from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from mcts.problems.beams import bell, normal

FAR_LEFT, LEFT, STOP, RIGHT, FAR_RIGHT = 0, 1, 2, 3, 4
"""Actions."""

_FAR, _NEAR = 10, 1
_CERTAIN = 1e-4
"""Deviation of the noise in the light."""


class LightDarkParameters(NamedTuple):
    """The problem's numbers.  State: place + radius; 2 radius + 1 when terminal."""

    q: np.ndarray  # float32 (2 radius + 2, 5): values of the MDP.
    radius: int = 60
    light: int = 10
    correct: float = 100.0
    wrong: float = -100.0
    discount: float = 0.95


def light_dark(**numbers: Any) -> LightDarkParameters:
    """Return the problem with its MDP solved; ``numbers``: fields of `LightDarkParameters`."""
    radius = numbers.get("radius", LightDarkParameters._field_defaults["radius"])
    return solve(LightDarkParameters(q=np.zeros((2 * radius + 2, 5), np.float32), **numbers))


@jit
def draw(p, s, stream):
    """Draw a place of the inner half of the line; one draw."""
    half = p.radius // 2
    s[0] = p.radius - half + below(stream, 2 * half + 1)


@jit
def outcome(p, s, action, number):
    """Return the deterministic successor."""
    chance = 1.0 if number == 0 else 0.0
    if action == STOP or s > 2 * p.radius:
        return 2 * p.radius + 1, chance
    by = _FAR if action in (FAR_LEFT, FAR_RIGHT) else _NEAR
    to = s + by if action > STOP else s - by
    return min(max(to, 0), 2 * p.radius), chance


@jit
def reward(p, s, action, then):
    """Return the reward of stopping, or the cost of a move."""
    if action != STOP:
        return -1.0
    return p.correct if s[0] == p.radius else p.wrong


@jit
def terminal(p, s):
    """Return whether the agent has stopped."""
    return s[0] > 2 * p.radius


@jit
def observe(p, action, then, seen, stream):
    """Draw the observation: the place, with noise."""
    place = then[0] - p.radius
    seen[0] = place + (abs(place - p.light) + _CERTAIN) * normal(stream)


@jit
def density(p, action, then, seen):
    """Return the density of the observation."""
    place = then[0] - p.radius
    return bell(seen[0], place, abs(place - p.light) + _CERTAIN)


def go_to_the_side(p: LightDarkParameters, particles: np.ndarray) -> int | None:
    """Return `FAR_RIGHT` until one place has 90 % of the belief; then None: use values.

    The authors' heuristic "side".
    """
    most = np.bincount(particles[:, 0].astype(int)).max()
    return None if most > 0.9 * len(particles) else FAR_RIGHT


register(
    LightDarkParameters,
    actions=5,
    seen=1,
    discount=lambda p: p.discount,
)

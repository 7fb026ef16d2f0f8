"""Sub Hunt [Sunberg & Kochenderfer 2018]: find a submarine by sonar and engage it.

Both are on a grid of 20 x 20 cells.  The target starts at one edge and heads for the opposite one,
where it escapes: 2 cells ahead with 1/2, or 1 ahead and 1 to either side.  The agent starts in the
middle, moves 3 cells, pings or engages.  Engaging within 2 cells kills, which pays 100: with
certainty if the target is unaware of the agent, else with 0.6.  A ping makes it aware.

Eight beams of 45 degrees are read with normal noise.  Passive sonar reads the distance of a target
within 3 cells in its beam, with a deviation of 0.5; other readings are 3 with a deviation of 5.  A
ping reads the distance of any target in its beam, and 20 in the others, with a deviation of 0.5.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from mcts.continuous.model import register, solve
from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from mcts.problems.beams import BEAMS, STEPS, beam_of, draw_readings, weigh_readings

NORTH, EAST, SOUTH, WEST, PING, ENGAGE = 0, 1, 2, 3, 4, 5
"""Actions; the first four are also the target's headings."""


class SubHuntParameters(NamedTuple):
    """The problem's numbers.

    A state is ((((x * size + y) * size + target's x) * size + target's y) * 4 + its direction) * 2
    + whether it is aware, or 8 size ** 4 when it is killed.
    """

    q: np.ndarray  # float32 (8 size ** 4 + 1, 6): values of the MDP.
    size: int = 20
    speed: int = 3
    kill_radius: float = 2.0
    kill_aware: float = 0.6
    passive_radius: float = 3.0
    passive: float = 5.0  # Deviation of passive readings, ...
    close: float = 0.5  # ... of those of a target within the radius, ...
    active: float = 0.5  # ... and of a ping's.
    discount: float = 0.99


def sub_hunt(**numbers: Any) -> SubHuntParameters:
    """Return the problem with its MDP solved; ``numbers``: fields of `SubHuntParameters`."""
    size = numbers.get("size", SubHuntParameters._field_defaults["size"])
    return solve(SubHuntParameters(q=np.zeros((8 * size**4 + 1, 6), np.float32), **numbers))


@jit
def place(p, x, y, target_x, target_y, goal, aware):
    """Return the number of a state; places outside the grid are moved to its edge."""
    last = p.size - 1
    number = min(max(x, 0), last) * p.size + min(max(y, 0), last)
    number = number * p.size + min(max(target_x, 0), last)
    number = number * p.size + min(max(target_y, 0), last)
    return (number * 4 + goal) * 2 + aware


@jit
def parts(p, s):
    """Return x, y, target's x and y, its direction and awareness, from the state number."""
    s, aware = divmod(s, 2)
    s, goal = divmod(s, 4)
    s, target_y = divmod(s, p.size)
    s, target_x = divmod(s, p.size)
    x, y = divmod(s, p.size)
    return x, y, target_x, target_y, goal, aware


@jit
def draw(p, s, stream):
    """Draw the target's heading and start; two draws."""
    middle, last = p.size // 2 - 1, p.size - 1
    goal, along = below(stream, 4), below(stream, p.size)
    east, north = STEPS[goal]
    x = along if east == 0 else 0 if east > 0 else last
    y = along if north == 0 else 0 if north > 0 else last
    s[0] = place(p, middle, middle, x, y, goal, 0)


@jit
def _number_killed(p):
    """Return the number of the state in which the target is killed."""
    return 8 * p.size**4


@jit
def _odds(p, s, action):
    """Return the probability that ``action`` kills."""
    x, y, target_x, target_y, _, aware = parts(p, s)
    if action != ENGAGE or math.hypot(target_x - x, target_y - y) > p.kill_radius:
        return 0.0
    return p.kill_aware if aware else 1.0


@jit
def outcome(p, s, action, number):
    """Return a successor: target killed, or ahead, or ahead and to a side."""
    if s == _number_killed(p) or number > 3:
        return s, 1.0 if number == 0 else 0.0
    kills = _odds(p, s, action)
    if number == 0:
        return _number_killed(p), kills
    x, y, target_x, target_y, goal, aware = parts(p, s)
    if action == PING:
        aware = 1
    elif action < PING:
        east, north = STEPS[action]
        x, y = x + p.speed * east, y + p.speed * north
    east, north = STEPS[goal]
    if number == 1:
        to_x, to_y = target_x + 2 * east, target_y + 2 * north
    else:
        side = 1 if number == 2 else -1
        to_x, to_y = target_x + east + side * north, target_y + north + side * east
    chance = (0.5 if number == 1 else 0.25) * (1.0 - kills)
    return place(p, x, y, to_x, to_y, goal, aware), chance


@jit
def reward(p, s, action, then):
    """Return 100 for a kill."""
    return 100.0 if then[0] == _number_killed(p) else 0.0


@jit
def terminal(p, s):
    """Return whether the target is killed or has escaped."""
    if s[0] == _number_killed(p):
        return True
    _, _, target_x, target_y, goal, _ = parts(p, int(s[0]))
    east, north = STEPS[goal]
    ahead = target_x * east + target_y * north
    return ahead == (p.size - 1 if east + north > 0 else 0)


@jit
def _reading(p, action, then):
    """Return the beam of the target, or -1; mean and deviation in it, and in the others."""
    x = y = 0
    if then[0] != _number_killed(p):
        own_x, own_y, target_x, target_y, _, _ = parts(p, int(then[0]))
        x, y = target_x - own_x, target_y - own_y
    distance = math.hypot(x, y)
    if action == PING:
        return beam_of(x, y), distance, p.active, float(p.size), p.active
    if distance <= p.passive_radius:
        return beam_of(x, y), distance, p.close, p.passive_radius, p.passive
    return -1, 0.0, 1.0, p.passive_radius, p.passive


@jit
def observe(p, action, then, seen, stream):
    """Draw the readings of the beams."""
    draw_readings(_reading(p, action, then), seen, stream)


@jit
def density(p, action, then, seen):
    """Return the density of the readings."""
    return weigh_readings(_reading(p, action, then), seen)


def ping_first(p: SubHuntParameters, particles: np.ndarray) -> int | None:
    """Return `PING` while the target is unaware; then None: use values.

    The authors' heuristic.
    """
    return None if int(particles[0, 0]) % 2 else PING


register(
    SubHuntParameters,
    actions=6,
    seen=BEAMS,
    discount=lambda p: p.discount,
)

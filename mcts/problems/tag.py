"""Laser Tag [Somani et al. 2013]: chase a fleeing opponent by lasers.

Robot and opponent are on a grid.  A move costs 1; tagging pays 10 in the opponent's cell, which
ends the problem, and costs 10 elsewhere.  The opponent flees from the robot's previous cell: with
0.4 along x and 0.4 along y, if it can; level with the robot along an axis, 0.2 either way;
otherwise it stays.  A robot whose move is blocked stays.

The robot does not know its cell.  Eight beams, along the axes and the diagonals, read the distance
to the next obstacle, short by the absolute value of a normal variable; in the opponent's cell the
reading is unmistakable.  As in the program of POMCPOW's authors, the obstacles are eight cells
drawn per episode, both may start anywhere, even on one, and a failed tag lets the opponent move.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from mcts.continuous.model import register, solve
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, new_stream, shuffle
from mcts.problems.beams import STEPS, normal

NORTH, EAST, SOUTH, WEST, TAG = 0, 1, 2, 3, 4
"""Actions; north is up, and cells are (x, y) from the south-west corner."""

SAME = -1.0
"""The only observation in the opponent's cell."""

_BEAMS = 8
_ROOT_2 = math.sqrt(2.0)
_OBSTACLES = 8


class TagParameters(NamedTuple):
    """The problem's numbers.

    A state is (robot's cell) * cells + (opponent's cell), or cells ** 2 when it is tagged; a cell
    is x * height + y.
    """

    q: np.ndarray  # float32 (cells ** 2 + 1, 5): values of the MDP.
    blocked: np.ndarray  # bool (width, height)
    clear: np.ndarray  # int64 (cells, 8): free cells along each beam, ignoring the opponent.
    reading: np.ndarray
    """float64 (2, free cells, readings): probabilities, along axes and diagonals."""
    deviation: float = 2.5  # Deviation of the beams' noise, in cells.
    hit: float = 10.0
    miss: float = -10.0
    move: float = -1.0
    discount: float = 0.95


def laser_tag(key: int, width: int = 11, height: int = 7, **numbers: Any) -> TagParameters:
    """Return Laser Tag with obstacles drawn by ``key``, its MDP solved."""
    count = width * height
    cells = np.arange(count)
    shuffle(new_stream(key), cells)
    blocked = np.zeros(count, bool)
    blocked[cells[:_OBSTACLES]] = True
    blocked = blocked.reshape(width, height)
    clear = np.zeros((count, _BEAMS), np.int64)
    _measure(blocked, clear)
    q = np.zeros((count**2 + 1, 5), np.float32)
    p = TagParameters(q, blocked, clear, np.zeros((2, 1, 1)), **numbers)
    return solve(p._replace(reading=_readings(max(width, height), p.deviation)))


def _readings(longest: int, deviation: float) -> np.ndarray:
    """Return the probability of each reading by the number of free cells."""
    found = np.zeros((2, longest, int(_ROOT_2 * longest) + 2))

    def below_(noise: float) -> float:
        return (1 + math.erf(noise / (deviation * _ROOT_2))) / 2

    for diagonal, free in np.ndindex(2, longest):
        distance = (1.0, _ROOT_2)[diagonal] * (free + 1)
        for reading in range(math.ceil(distance)):
            least = below_(reading - distance) if reading else 0.0
            most = below_(min(reading + 1 - distance, 0.0))
            found[diagonal, free, reading] = 2 * (most - least)
    return found


@jit
def _open(blocked, x, y):
    """Return whether a cell is on the grid and free."""
    return 0 <= x < blocked.shape[0] and 0 <= y < blocked.shape[1] and not blocked[x, y]


@jit
def _measure(blocked, clear):
    """Write the free cells along each beam from each cell."""
    for cell in range(len(clear)):
        for beam in range(_BEAMS):
            east, north = STEPS[beam]
            x, y = divmod(cell, blocked.shape[1])
            free = 0
            while _open(blocked, x + (free + 1) * east, y + (free + 1) * north):
                free += 1
            clear[cell, beam] = free


@jit
def draw(p, s, stream):
    """Draw both cells; two draws."""
    robot = below(stream, p.blocked.size)
    s[0] = robot * p.blocked.size + below(stream, p.blocked.size)


@jit
def outcome(p, s, action, number):
    """Return a successor: the opponent flees along x, along y, or stays."""
    cells, height = p.blocked.size, p.blocked.shape[1]
    robot, opponent = divmod(s, cells)
    if s == cells**2 or (action == TAG and robot == opponent):
        return cells**2, 1.0 if number == 0 else 0.0
    x, y = divmod(robot, height)
    at_x, at_y = divmod(opponent, height)
    if action != TAG:
        east, north = STEPS[action]
        if _open(p.blocked, x + east, y + north):
            robot = (x + east) * height + y + north
    stays = 1.0
    for direction in range(4):
        east, north = STEPS[direction]
        away = (at_x - x) * east + (at_y - y) * north
        chance = 0.0
        if _open(p.blocked, at_x + east, at_y + north):
            level = at_x == x if east != 0 else at_y == y
            chance = 0.2 if level else 0.4 if away > 0 else 0.0
        if number == direction:
            return robot * cells + (at_x + east) * height + at_y + north, chance
        stays -= chance
    return robot * cells + opponent, stays if number == 4 else 0.0


@jit
def reward(p, s, action, then):
    """Return the reward of tagging, or the cost of a move."""
    if action != TAG:
        return p.move
    robot, opponent = divmod(int(s[0]), p.blocked.size)
    return p.hit if robot == opponent else p.miss


@jit
def terminal(p, s):
    """Return whether the opponent is tagged."""
    return s[0] == p.blocked.size**2


@jit
def _free_cells(p, robot, opponent, beam):
    """Return the free cells along a beam, given the opponent."""
    height = p.blocked.shape[1]
    east, north = STEPS[beam]
    ahead = opponent // height - robot // height, opponent % height - robot % height
    reach = max(abs(ahead[0]), abs(ahead[1]))
    free = p.clear[robot, beam]
    if ahead[0] == reach * east and ahead[1] == reach * north:
        return min(free, reach - 1)
    return free


@jit
def observe(p, action, then, seen, stream):
    """Draw the observation: the robot's cell in Tag, eight readings in Laser Tag."""
    robot, opponent = divmod(int(then[0]), p.blocked.size)
    same = robot == opponent or terminal(p, then)
    for beam in range(len(seen)):
        if same:
            seen[beam] = SAME
        else:
            distance = _free_cells(p, robot, opponent, beam) + 1.0
            distance *= 1.0 if beam < 4 else _ROOT_2
            seen[beam] = max(0.0, np.floor(distance - abs(p.deviation * normal(stream))))


@jit
def density(p, action, then, seen):
    """Return the probability of the observation."""
    robot, opponent = divmod(int(then[0]), p.blocked.size)
    same = robot == opponent or terminal(p, then)
    if same or seen[0] == SAME:
        return 1.0 if same and seen[0] == SAME else 0.0
    found = 1.0
    for beam in range(len(seen)):
        free = _free_cells(p, robot, opponent, beam)
        found *= p.reading[0 if beam < 4 else 1, free, int(seen[beam])]
    return found


register(
    TagParameters,
    actions=5,
    seen=_BEAMS,
    discount=lambda p: p.discount,
)

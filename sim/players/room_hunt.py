"""Value of each room as the first to visit: the treasure hunt over rooms [Ferrari & Cai 2009].

Possible rooms are targets; a suggestion in one is assumed to reveal whether it is the hidden one
[eq. 27].  A hunt visits at least one target, each at most once, and is worth w_B per nat, less w_J
J per suggestion and w_D per unit of length (`sim.hunt.reward`).

*Open*: the best route through a set of rooms, independent of outcomes.  *Closed*: the best policy
given the current room and the excluded ones; finding the room ends the hunt.

Sets of rooms are masks over the r targets, bit i for target i.  No function consumes randomness.
"""

from __future__ import annotations

from functools import cache
from math import inf, log
from typing import NamedTuple

import numpy as np

from belief.evidence import count, lowest
from mcts.kernel.compile import jit, jit_owning
from sim.board import N_ROOMS, door_spots
from sim.hunt.paths.held_karp import fill
from sim.hunt.reward import Weights
from sim.policies.walking import distance, turns_now
from sim.rules import Rules, world
from sim.state import State, World

BINS_A_TURN = 3.0
"""J: "the median distance that can be traveled in one turn, i.e., three bins"."""

OUT_AND_IN = 2.0
"""Bins, and turns, to leave and re-enter the pawn's room."""

_NONE = 1e-12


class Ways(NamedTuple):
    """Lengths, and the cost J of a suggestion in the same unit."""

    start: np.ndarray
    """float64 (r,): from the pawn to each target."""
    between: np.ndarray
    """float64 (r, r): from target to target."""
    goal: np.ndarray
    """float64 (r,): from each target to the end of the hunt; 0 for a free end."""
    test: float
    """J."""


@cache
def lengths(rules: Rules, unit: str) -> np.ndarray:
    """Return lengths between rooms, float64 (9, 9), in a unit of `sim.players.hunter.UNITS`."""
    board = world(rules)[0]
    steps = np.array([board.steps[:, door_spots(room)].min(axis=1) for room in range(N_ROOMS)])
    found = steps.astype(float) if unit == "bins" else board.turns[steps]
    for room in range(N_ROOMS):
        found[room, room] = OUT_AND_IN
        if board.passage[room] >= 0:
            found[room, board.passage[room]] = 0.0 if unit == "bins" else 1.0
    return found


@jit
def starts(world: World, s: State, seat: int, turns: bool, start: np.ndarray) -> None:
    """Fill ``start`` (9,) with the length from ``seat`` to each room, in bins or turns."""
    if turns:
        turns_now(world, s, seat, start)
        return
    here = world.room_of[s.spot[seat]]
    for room in range(N_ROOMS):
        start[room] = OUT_AND_IN if room == here else distance(world, s, seat, room)


@jit
def surprise(p: float) -> float:
    """Return -p ln p, and 0 for p = 0."""
    return -p * log(p) if p > 0.0 else 0.0


@jit_owning
def information(chances: np.ndarray) -> np.ndarray:
    """Return the nats (2**r,) of each set of rooms with ``chances`` (r,): eq. 27."""
    size = 1 << len(chances)
    mass, found, nats = np.zeros(size), np.zeros(size), np.zeros(size)
    for measured in range(1, size):
        room, rest = lowest(measured), measured & (measured - 1)
        mass[measured] = mass[rest] + chances[room]
        found[measured] = found[rest] + surprise(chances[room])
        nats[measured] = found[measured] + surprise(max(0.0, 1.0 - mass[measured]))
    return nats


@jit_owning
def open_values(benefit: np.ndarray, ways: Ways, weights: Weights) -> np.ndarray:
    """Return the value of the best route that visits each target first, float64 (r,).

    ``benefit`` (2**r,): benefit of each set, in nats.
    """
    r = len(ways.start)
    seen, values = np.empty(r, np.int64), np.full(r, -inf)
    for room in range(r):
        seen[room] = 1 << room
    # Computed from the end: the last room of the table is the first of the route.
    length = np.empty((1 << r, r))
    fill(ways.goal, ways.between.T.copy(), seen, length)
    for visited in range(1, 1 << r):
        worth = weights.benefit * benefit[visited] - weights.test * ways.test * count(visited)
        for room in range(r):
            if visited >> room & 1:
                value = worth - weights.distance * (ways.start[room] + length[visited, room])
                values[room] = max(values[room], value)
    return values


@jit_owning
def closed_values(chances: np.ndarray, ways: Ways, weights: Weights) -> np.ndarray:
    """Return the value of visiting each target first under the best closed-loop policy, (r,).

    ``chances`` (r,): probability that each target is the hidden room.
    """
    r = len(chances)
    mass = np.zeros(1 << r)
    for tested in range(1, 1 << r):
        mass[tested] = mass[tested & (tested - 1)] + chances[lowest(tested)]
    later, values = np.zeros((1 << r, r)), np.empty(r)
    for tested in range((1 << r) - 1, -1, -1):
        left = max(0.0, 1.0 - mass[tested])
        for at in range(r):
            if tested and not tested >> at & 1:
                continue
            # At the start the hunt may not end.
            best = -weights.distance * ways.goal[at]
            for room in range(r):
                if tested >> room & 1 or (left <= _NONE and tested):
                    continue
                found = min(1.0, chances[room] / left)
                nats = surprise(found) + surprise(1.0 - found)
                length = ways.between[at, room] if tested else ways.start[room]
                value = (
                    weights.benefit * nats
                    - weights.test * ways.test
                    - weights.distance * length
                    + (1.0 - found) * later[tested | 1 << room, room]
                )
                if not tested:
                    values[room] = value
                best = max(best, value)
            later[tested, at] = best
    return values

"""Moves of a pawn: plain searches on the graph, for kernels that check play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from sim.board import N_CORRIDOR, N_ROOMS, N_SPOTS, graph
from sim.policies.registry import number
from sim.state import ACCUSE, ASK, EXTERNAL, N_ACTIONS

RANDOM = number("random")


class Ground(NamedTuple):
    """The graph of the board, and scratch for searches on it."""

    near: np.ndarray  # (spots, 4) neighbours, -1 where there are fewer
    room: np.ndarray  # (spots,) room of a spot, or -1
    barred: np.ndarray  # (spots,) scratch: 1 where another pawn stands in the way
    away: np.ndarray  # (spots,) scratch: steps from where the pawn stands
    home: np.ndarray  # (spots,) scratch: steps to a room
    queue: np.ndarray  # (spots,) scratch
    options: np.ndarray  # (actions,) scratch


def ground(walls: bool = True) -> Ground:
    """Return the ground, from the graph."""
    config = graph(walls)
    near = np.full((N_SPOTS, 4), -1)
    for spot in config:
        near[spot, : len(config[spot])] = sorted(config[spot])
    room = np.array([config.nodes[spot]["room"] for spot in range(N_SPOTS)])
    scratch = (np.zeros(N_SPOTS, np.int64) for _ in range(4))
    return Ground(near, room, *scratch, np.zeros(N_ACTIONS, np.int64))


@jit
def bar(world, s, g) -> None:
    """Mark the squares on which pawns stand in the way of the seat whose turn it is."""
    g.barred[:] = 0
    for seat in range(world.players):
        if world.blocking and seat != s.seat and s.spot[seat] < N_CORRIDOR:
            g.barred[s.spot[seat]] = 1


@jit
def by_first(world, s) -> bool:
    """Return whether the seat whose turn it is walks to the first entrance of a room."""
    return world.to_first == 1 and s.policy[s.seat] != EXTERNAL


@jit
def steps_out(g, start: int, roll: int, landed: int) -> int:
    """Return whether who leaves ``start`` to come back may land there: as `lands`."""
    beside, ways = False, 0
    for i in range(4):
        near = g.near[start, i]
        if near >= 0 and not g.barred[near]:
            ways += 1
            beside = beside or near == landed
    if ways == 0:
        return -1
    return landed == start if roll > 1 else beside


@jit
def flood(g, spot: int, room: int, far: np.ndarray) -> None:
    """Write the steps from ``spot``, or if that is -1 from any door of ``room``, into ``far``."""
    filled = 0
    for at in range(N_SPOTS):
        far[at] = -1
        if at == spot or (spot < 0 and g.room[at] == room):
            far[at] = 0
            g.queue[filled] = at
            filled += 1
    done = 0
    while done < filled:
        at = g.queue[done]
        done += 1
        for i in range(4):
            on = g.near[at, i]
            if on >= 0 and far[on] < 0 and not g.barred[on]:
                far[on] = far[at] + 1
                g.queue[filled] = on
                filled += 1


@jit
def lands(world, before, g, goal: int, landed: int) -> int:
    """Return whether who walks to ``goal`` may land there: 1 yes, 0 no, -1 there is no way."""
    start = before.spot[before.seat]
    here = g.room[start]
    first = by_first(world, before)
    entrance = world.first_door[goal] if first else -1
    if here == goal and (not first or start == entrance):
        return steps_out(g, start, before.roll, landed)
    flood(g, entrance, goal, g.home)
    door = -1
    leaves = here >= 0 and here != goal and world.any_door
    row = goal + N_ROOMS if first else goal
    for spot in range(N_SPOTS):
        if spot == start or (leaves and g.room[spot] == here):
            shorter = door < 0 or world.distance[row, spot] < world.distance[row, door]
            if g.home[spot] >= 0 and shorter:
                door = spot
    if door < 0:
        return -1
    steps = min(before.roll, g.home[door])
    flood(g, door, -1, g.away)
    return g.away[landed] == steps and g.home[landed] == g.home[door] - steps


@jit
def check_walk(world, before, after, g, goal: int) -> bool:
    """Return whether the pawn went towards ``goal``, or else to another room that has a way."""
    start, landed = before.spot[before.seat], after.spot[before.seat]
    bar(world, before, g)
    right = lands(world, before, g, goal, landed)
    if right >= 0:
        return right == 1
    if landed == start:
        return True
    here = g.room[start]
    if world.again and before.policy[before.seat] != EXTERNAL and here >= 0:
        passage = world.passage[here]
        if passage >= 0 and landed == world.first_door[passage]:
            return True
    goal = after.goal[before.seat]
    return (goal != here or world.reenter == 1) and lands(world, before, g, goal, landed) == 1


@jit
def check_call(world, before, action: int) -> int:
    """Return the seat whose pawn a suggestion moves, -1 if none."""
    moves = world.board and world.summons and ASK <= action < ACCUSE
    if world.random_calls and before.policy[before.seat] != RANDOM:
        moves = False
    return world.seat_of[(action - ASK) // 6] if moves else -1

"""Where a pawn may go: plain searches over the edges of the graph, for kernels that check play."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from sim.board import N_CORRIDOR, N_SPOTS, graph
from sim.state import N_ACTIONS


class Ground(NamedTuple):
    """The graph of the board, and scratch for searches on it."""

    near: np.ndarray  # (spots, 4) neighbours, -1 where there are fewer
    room: np.ndarray  # (spots,) room of a spot, or -1
    barred: np.ndarray  # (spots,) scratch: 1 where another pawn stands in the way
    away: np.ndarray  # (spots,) scratch: steps from where the pawn stands
    home: np.ndarray  # (spots,) scratch: steps to a room
    queue: np.ndarray  # (spots,) scratch
    options: np.ndarray  # (actions,) scratch


def ground() -> Ground:
    """Return the ground, from the graph."""
    config = graph()
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
    """Tell whether who walks to ``goal`` may land there: 1 yes, 0 no, -1 there is no way."""
    start = before.spot[before.seat]
    here = g.room[start]
    flood(g, -1, goal, g.home)
    door = -1
    for spot in range(N_SPOTS):
        if spot == start or (here >= 0 and world.any_door and g.room[spot] == here):
            shorter = door < 0 or world.distance[goal, spot] < world.distance[goal, door]
            if g.home[spot] >= 0 and shorter:
                door = spot
    if door < 0:
        return -1
    steps = min(before.roll, g.home[door])
    flood(g, door, -1, g.away)
    return g.away[landed] == steps and g.home[landed] == g.home[door] - steps


@jit
def walked(world, before, after, g, goal: int) -> bool:
    """Tell whether the pawn went towards ``goal``, or else to another room that has a way."""
    start, landed = before.spot[before.seat], after.spot[before.seat]
    bar(world, before, g)
    right = lands(world, before, g, goal, landed)
    if right >= 0:
        return right == 1
    if landed == start:
        return True
    goal = after.goal[before.seat]
    return goal != g.room[start] and lands(world, before, g, goal, landed) == 1

"""Movement on the board around other pawns: where a pawn ends, and where it may stop.

Kernels over the tables of `sim.board`; none consumes randomness.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import lowest
from mcts.kernel.compile import jit, jit_owning
from sim.board import N_CORRIDOR, N_ROOMS, N_SPOTS, ROWS, WAYS, WORDS
from sim.state import EXTERNAL, State, World


@jit
def _free_rows(board: np.record, occupied: np.ndarray, free: np.ndarray) -> None:
    """Write the corridor squares without pawns into ``free``, by row as bits by column."""
    for y in range(ROWS):
        free[y] = board.open[y]
    for word in range(WORDS):
        rest = np.int64(occupied[word])
        while rest:
            spot = 32 * word + lowest(rest)
            free[board.row[spot]] &= ~(1 << board.column[spot])
            rest &= rest - 1


@jit
def _spread(wet: np.ndarray, free: np.ndarray, grown: np.ndarray) -> int:
    """Write the squares within one step of ``wet`` into ``grown``; return 0 if none is new."""
    new = 0
    grown[0] = 0
    grown[ROWS - 1] = 0
    for y in range(1, ROWS - 1):
        grown[y] = (wet[y] | wet[y] << 1 | wet[y] >> 1 | wet[y - 1] | wet[y + 1]) & free[y]
        new |= grown[y] ^ wet[y]
    return new


@jit
def _is_goal(board: np.record, spot: int, goal: int) -> bool:
    return board.room_of[spot] == goal if goal < N_ROOMS else board.entrance[goal - N_ROOMS] == spot


@jit_owning
def _detour(board: np.record, occupied: np.ndarray, start: int, goal: int, roll: int) -> int:
    """Return the spot after ``roll`` steps of a shortest path around the pawns, -1 if none.

    Breadth-first search from the goal, by rows as bit sets, until it reaches the start;
    ``within[k]`` holds the squares at most k steps from it.  Then it descends.  A pawn leaves a
    room only through its door; without walls, paths cross rooms and enter them from all sides.
    """
    free = np.empty(ROWS, np.int64)
    _free_rows(board, occupied, free)
    within = np.empty((N_SPOTS, ROWS), np.int64)
    for y in range(ROWS):
        if board.through:
            free[y] |= board.doors[y]
        within[0, y] = 0
        within[1, y] = board.front_rows[goal, y] & free[y]
    for spot in range(N_CORRIDOR, N_SPOTS):
        if _is_goal(board, spot, goal):
            within[0, board.row[spot]] |= 1 << board.column[spot]
    at, steps, far = start, roll, 0 if board.through else 1
    if start >= N_CORRIDOR and not board.through:
        at, steps = board.neighbours[start, 0], roll - 1
    row, bit = board.row[at], 1 << board.column[at]
    if not free[row] & bit:
        return -1
    while not within[far, row] & bit:
        if not _spread(within[far], free, within[far + 1]):
            return -1
        far += 1
    for _ in range(min(steps, far)):
        far -= 1
        for i in range(4):
            near = board.neighbours[at, i]
            if near >= 0 and within[far, board.row[near]] >> board.column[near] & 1:
                at = near
                break
    return at


@jit
def _holds(occupied: np.ndarray, spot: int) -> bool:
    return np.int64(occupied[spot >> 5]) >> (spot & 31) & 1 == 1


@jit
def _shut_in(board: np.record, occupied: np.ndarray, start: int, goal: int) -> bool:
    """Return whether pawns block all doors of ``goal`` or all neighbours of ``start``."""
    # This covers nearly all pawns without a path, for which a search would scan the whole board.
    free = np.uint32(0)
    for word in range(WORDS):
        free |= board.fronts[goal, word] & ~occupied[word]
    if free == 0:
        return True
    for i in range(4):
        near = board.neighbours[start, i]
        if near >= N_CORRIDOR:
            if _is_goal(board, near, goal):
                return False
        elif near >= 0 and not _holds(occupied, near):
            return False
    return True


@jit
def come_back(board: np.record, occupied: np.ndarray, start: int, roll: int) -> int:
    """Return the spot after leaving and re-entering the room of ``start``, -1 if shut in.

    Parameters as for `walk`; a roll of 1 ends outside.
    """
    for i in range(4):
        near = board.neighbours[start, i]
        if near >= N_CORRIDOR or (near >= 0 and not _holds(occupied, near)):
            return start if roll > 1 else near
    return -1


@jit
def walk(board: np.record, occupied: np.ndarray, start: int, goal: int, roll: int) -> int:
    """Return the spot after ``roll`` steps of a shortest path to ``goal``.

    Returns -1 if pawns block every path [Ledford 2018, s. 3.1].

    Parameters
    ----------
    board : record of `BOARD`
    occupied : uint32 bit set of the corridor squares with *other* pawns
    start : spot of the moving pawn, not at its goal
    goal : room by any door, or + `N_ROOMS` by its first entrance; the pawn stops inside the door
    roll : steps, at most `MAX_ROLL`
    """
    for way in range(WAYS):
        path = board.path[way, goal, start]
        met = np.uint32(0)
        for word in range(WORDS):
            met |= path[word] & occupied[word]
        if met == 0:
            return np.int64(board.landing[way, goal, start, roll])
    if not board.through and _shut_in(board, occupied, start, goal):
        return -1
    return _detour(board, occupied, start, goal, roll)


@jit_owning
def squares_within(
    board: np.record,
    occupied: np.ndarray,
    start: int,
    any_door: int,
    roll: int,
    out: np.ndarray,
    n: int,
    base: int,
) -> int:
    """Append ``base`` + square to ``out[n:]`` for every legal stop; return the new end.

    Legal stops are the corridor squares without a pawn, other than ``start``, within ``roll`` steps
    around pawns and outside rooms.  A pawn leaves a room by its door, or by any with ``any_door``.
    """
    free = np.empty(ROWS, np.int64)
    _free_rows(board, occupied, free)
    wet = np.zeros(ROWS, np.int64)
    grown = np.empty(ROWS, np.int64)
    steps = roll
    if start < N_CORRIDOR:
        wet[board.row[start]] = 1 << board.column[start]
    else:
        steps -= 1
        for i in range(4):
            front = board.neighbours[start, i]
            if 0 <= front < N_CORRIDOR:
                wet[board.row[front]] |= 1 << board.column[front]
        for y in range(ROWS):
            if any_door:
                wet[y] = board.front_rows[board.room_of[start], y]
            wet[y] &= free[y]
    for _ in range(steps):
        if not _spread(wet, free, grown):
            break
        wet, grown = grown, wet
    for square in range(N_CORRIDOR):
        if square != start and wet[board.row[square]] >> board.column[square] & 1:
            out[n] = base + square
            n += 1
    return n


@jit
def barred_room(world: World, s: State, seat: int) -> int:
    """Return the room that ``seat`` may not walk to, -1 if none.

    It is the pawn's room, or, in the corridor under rules without returns, its last room [Xu 2013,
    s. 3].
    """
    if world.reenter:
        return -1
    here = world.room_of[s.spot[seat]]
    return here if here >= 0 else s.last_room[seat] - 1


@jit
def survey(world: World, s: State) -> None:
    """Fill ``s.occupied`` with the corridor squares blocked for the current seat's pawn."""
    s.occupied[:] = 0
    if world.blocking:
        for other in range(world.players):
            spot = s.spot[other]
            if other != s.seat and spot < N_CORRIDOR:
                s.occupied[spot >> 5] |= np.uint32(1 << (spot & 31))


@jit
def walk_out(world: World, s: State, room: int) -> int:
    """Return the spot after a walk to ``room``, nearest own door first; -1 without a path."""
    start = s.spot[s.seat]
    here = world.room_of[start]
    by_first = world.to_first and s.policy[s.seat] != EXTERNAL
    if here == room and (not by_first or start == world.first_door[room]):
        return come_back(world, s.occupied, start, s.roll)
    goal = room + N_ROOMS if by_first else room
    if here < 0 or here == room or not world.any_door:
        return walk(world, s.occupied, start, goal, s.roll)
    tried = 0
    while True:
        nearest = -1
        for spot in range(N_CORRIDOR, N_SPOTS):
            if world.room_of[spot] != here or tried >> (spot - N_CORRIDOR) & 1:
                continue
            if nearest < 0 or world.distance[goal, spot] < world.distance[goal, nearest]:
                nearest = spot
        if nearest < 0:
            return -1
        reached = walk(world, s.occupied, nearest, goal, s.roll)
        if reached >= 0:
            return reached
        tried |= 1 << (nearest - N_CORRIDOR)

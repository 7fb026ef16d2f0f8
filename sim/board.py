"""The board: its facts, the graph they make, and tables that kernels read.

A *spot* is where a pawn can stand: a corridor square, or the square just inside a door.  Standing
inside a door is being in that room, so the door by which a pawn entered is part of where it is
[Ledford 2018, s. 1.5: a room is left by the door of entry].  Steps are counted as walked; the step
through a door counts as one.  A path never leads through another room, because the spot inside a
door touches nothing but the one corridor square that the door opens on.
"""

from __future__ import annotations

from functools import cache

import networkx as nx
import numpy as np

from mcts.kernel.compile import jit
from sim.cards import ROOMS

PLAN = """
#######.########1#######
#######..######..#######
#######..######..#######
######S..######..#######
#........H#####..#######
6........######..O######
######...##HH##........#
#######................2
######L..#####.........#
#######..#####..#D######
###L##...#####..########
#........#####..########
#B####...#####..D#######
######...#####..########
######...#####..########
#####B.............#####
######.................#
#.......#A####A#........
5.......########..#K####
####C...A######A..######
######..########..######
######..########..######
######..########..######
#######...####...#######
#########4####3#########
"""
"""24 columns by 25 rows; ``.`` and digits are corridor, letters the squares inside doors."""

DOORS = (
    ("Study", ((6, 3, "S"),)),
    ("Hall", ((9, 4, "W"), (11, 6, "S"), (12, 6, "S"))),
    ("Lounge", ((17, 5, "S"),)),
    ("Library", ((6, 8, "E"), (3, 10, "S"))),
    ("Billiard Room", ((1, 12, "N"), (5, 15, "E"))),
    ("Dining Room", ((17, 9, "N"), (16, 12, "W"))),
    ("Conservatory", ((4, 19, "E"),)),
    ("Ballroom", ((8, 19, "W"), (9, 17, "N"), (14, 17, "N"), (15, 19, "E"))),
    ("Kitchen", ((19, 18, "N"),)),
)
"""Each room's doors: column, row and the side on which the door opens, first listed first."""

PASSAGES = (("Study", "Kitchen"), ("Lounge", "Conservatory"))

STARTS = {
    "Scarlett": (16, 0),
    "Mustard": (23, 7),
    "White": (14, 24),
    "Green": (9, 24),
    "Peacock": (0, 18),
    "Plum": (0, 5),
}
"""Start squares in the order of play."""

_SIDES = {"N": (0, -1), "S": (0, 1), "W": (-1, 0), "E": (1, 0)}

N_ROOMS = len(ROOMS)
N_CORRIDOR = 188
N_DOORS = sum(len(doors) for _, doors in DOORS)
N_SPOTS = N_CORRIDOR + N_DOORS
MAX_ROLL = 12
_WORDS = (N_CORRIDOR + 63) // 64

BOARD = np.dtype(
    [
        ("room_of", np.int64, (N_SPOTS,)),  # room of a spot, -1 in the corridor
        ("first_door", np.int64, (N_ROOMS,)),  # spot inside the first listed door
        ("passage", np.int64, (N_ROOMS,)),  # room at the other end of the passage, or -1
        ("distance", np.int64, (N_ROOMS, N_SPOTS)),  # steps to be in the room, pawns ignored
        ("landing", np.int64, (N_ROOMS, N_SPOTS, MAX_ROLL + 1)),  # spot after so many steps
        ("path", np.uint64, (N_ROOMS, N_SPOTS, _WORDS)),  # corridor squares of that way, as bits
        ("neighbours", np.int64, (N_SPOTS, 4)),  # touching spots, -1 where there are fewer
    ]
)


def corridor() -> list[tuple[int, int]]:
    """Return the (column, row) of every corridor square; the place in the list is its spot."""
    rows = PLAN.strip().splitlines()
    return [(x, y) for y, row in enumerate(rows) for x, c in enumerate(row) if c in ".123456"]


@cache
def graph() -> nx.Graph:
    """Return the graph of spots: an edge is one step.

    Nodes are spot numbers with attributes ``xy`` and ``room`` (a room number, -1 in the corridor).
    """
    squares = {xy: spot for spot, xy in enumerate(corridor())}
    made = nx.Graph()
    for (x, y), spot in squares.items():
        made.add_node(spot, xy=(x, y), room=-1)
    for (x, y), spot in squares.items():
        for beside in ((x + 1, y), (x, y + 1)):
            if beside in squares:
                made.add_edge(spot, squares[beside])
    spot = len(squares)
    for room, (_, doors) in enumerate(DOORS):
        for x, y, side in doors:
            dx, dy = _SIDES[side]
            made.add_node(spot, xy=(x, y), room=room)
            made.add_edge(spot, squares[x + dx, y + dy])
            spot += 1
    return made


def door_spots(room: int) -> list[int]:
    """Return the spots inside the doors of ``room``, first listed first."""
    return [spot for spot, at in graph().nodes(data="room") if at == room]


def start_spot(suspect: str) -> int:
    """Return the start square of the pawn of ``suspect``."""
    return corridor().index(STARTS[suspect])


def _fill_ways(record: np.record, room: int) -> None:
    """Fill the distance, landing and path tables towards one room (lowest spot first on ties)."""
    plan = graph()
    far = nx.multi_source_dijkstra_path_length(plan, set(door_spots(room)))
    for spot in plan:
        record.distance[room, spot] = far[spot]
        at = spot
        for roll in range(MAX_ROLL + 1):
            record.landing[room, spot, roll] = at
            if far[at]:
                at = min(n for n in plan[at] if far[n] == far[at] - 1)
        at = spot
        while far[at]:
            at = min(n for n in plan[at] if far[n] == far[at] - 1)
            if at < N_CORRIDOR:
                record.path[room, spot, at // 64] |= np.uint64(1 << at % 64)


@cache
def tables() -> np.recarray:
    """Return the board as one record (dtype `BOARD`), computed from `graph`; do not write to it."""
    made = np.zeros(1, BOARD).view(np.recarray)
    record = made[0]
    plan = graph()
    record.neighbours[:] = -1
    for spot in plan:
        record.room_of[spot] = plan.nodes[spot]["room"]
        around = sorted(plan[spot])
        record.neighbours[spot, : len(around)] = around
    record.passage[:] = -1
    for one, other in PASSAGES:
        record.passage[ROOMS.index(one)] = ROOMS.index(other)
        record.passage[ROOMS.index(other)] = ROOMS.index(one)
    for room in range(N_ROOMS):
        record.first_door[room] = door_spots(room)[0]
        _fill_ways(record, room)
    return made


@jit
def _detour(board: np.record, occupied: np.ndarray, start: int, room: int, roll: int) -> int:
    """Return the spot ``roll`` steps along a shortest path round the pawns, -1 if none."""
    steps = np.full(N_SPOTS, -1, np.int64)
    queue = np.empty(N_SPOTS, np.int64)
    # From the goal outwards, so that the walk is a descent from the start.
    head, tail = 0, 0
    for spot in range(N_CORRIDOR, N_SPOTS):
        if board.room_of[spot] == room:
            steps[spot] = 0
            queue[tail] = spot
            tail += 1
    while head < tail and steps[start] < 0:
        at = queue[head]
        head += 1
        for i in range(4):
            near = board.neighbours[at, i]
            if near < 0 or steps[near] >= 0:
                continue
            if near != start and (near >= N_CORRIDOR or _holds(occupied, near)):
                continue
            steps[near] = steps[at] + 1
            queue[tail] = near
            tail += 1
    if steps[start] < 0:
        return -1
    at = start
    for _ in range(roll):
        if steps[at] == 0:
            break
        here = steps[at]
        for i in range(4):
            near = board.neighbours[at, i]
            if near >= 0 and steps[near] == here - 1:
                at = near
                break
    return at


@jit
def _holds(occupied: np.ndarray, spot: int) -> bool:
    """Tell whether the corridor square ``spot`` is in the bit set ``occupied``."""
    return (occupied[spot >> 6] >> np.uint64(spot & 63)) & np.uint64(1) != np.uint64(0)


@jit
def walk(board: np.record, occupied: np.ndarray, start: int, room: int, roll: int) -> int:
    """Return where a pawn ends that walks ``roll`` steps of a shortest path to ``room``.

    Parameters
    ----------
    board : record of `BOARD`
    occupied : uint64 bit set of the corridor squares on which *other* pawns stand
    start : spot of the walking pawn, not in ``room``
    room : goal; the walk stops inside its door
    roll : steps, at most `MAX_ROLL`

    Returns
    -------
    int
        The spot reached, or -1 if pawns close every path [Ledford 2018, s. 3.1].
    """
    path = board.path[room, start]
    for word in range(_WORDS):
        if path[word] & occupied[word]:
            return _detour(board, occupied, start, room, roll)
    return board.landing[room, start, roll]

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

from belief.evidence import lowest
from mcts.kernel.compile import jit, jit_owning
from sim.cards import ROOMS

FLOOR_PLAN = """
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
WORDS = (N_CORRIDOR + 31) // 32
_ROWS = 25 + 2  # an empty one on either side

_PREFERRED = (
    lambda at, near: near,  # up and to the left
    lambda at, near: -near,  # down and to the right
    lambda at, near: abs(near - at) > 1,  # along the row
    lambda at, near: abs(near - at) <= 1,  # along the column
)
WAYS = len(_PREFERRED)

BOARD = np.dtype(
    [
        ("room_of", np.int64, (N_SPOTS,)),  # room of a spot, -1 in the corridor
        ("first_door", np.int64, (N_ROOMS,)),  # spot inside the first listed door
        ("passage", np.int64, (N_ROOMS,)),  # room at the other end of the passage, or -1
        ("distance", np.int8, (N_ROOMS, N_SPOTS)),  # steps to be in the room, pawns ignored
        # A few shortest ways on the empty board, for when pawns close the first.
        ("landing", np.uint8, (WAYS, N_ROOMS, N_SPOTS, MAX_ROLL + 1)),  # spot after so many steps
        ("path", np.uint32, (WAYS, N_ROOMS, N_SPOTS, WORDS)),  # corridor squares, as bits
        ("fronts", np.uint32, (N_ROOMS, WORDS)),  # squares in front of a room's doors, as bits
        ("row", np.int64, (N_CORRIDOR,)),  # of a corridor square, one more than its y
        ("column", np.int64, (N_CORRIDOR,)),
        ("open", np.int64, (_ROWS,)),  # corridor squares of each row, as bits by column
        ("front_rows", np.int64, (N_ROOMS, _ROWS)),  # those of ``fronts``
        ("neighbours", np.int64, (N_SPOTS, 4)),  # touching spots, -1 where there are fewer
    ]
)


def corridor() -> list[tuple[int, int]]:
    """Return the (column, row) of every corridor square; the place in the list is its spot."""
    rows = FLOOR_PLAN.strip().splitlines()
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
    """Fill the distance, landing and path tables towards one room."""
    plan = graph()
    far = nx.multi_source_dijkstra_path_length(plan, set(door_spots(room)))
    record.distance[room] = [far[spot] for spot in range(N_SPOTS)]
    for way, preferred in enumerate(_PREFERRED):
        landing, path = record.landing[way, room], record.path[way, room]
        onward = np.arange(N_SPOTS)
        for at in sorted(plan, key=far.get):
            if far[at] == 0:
                continue
            nearer = sorted(near for near in plan[at] if far[near] == far[at] - 1)
            step = onward[at] = min(nearer, key=lambda near, at=at: preferred(at, near))
            path[at] = path[step]
            if step < N_CORRIDOR:
                path[at, step // 32] |= np.uint32(1 << step % 32)
        landing[:, 0] = np.arange(N_SPOTS)
        for roll in range(MAX_ROLL):
            landing[:, roll + 1] = onward[landing[:, roll]]


@cache
def tables() -> np.recarray:
    """Return the tables, computed from `graph`, in one record; kernels get `sim.rules.world`."""
    made = np.zeros(1, BOARD).view(np.recarray)
    record = made[0]
    plan = graph()
    record.neighbours[:] = -1
    for spot in plan:
        record.room_of[spot] = plan.nodes[spot]["room"]
        around = sorted(plan[spot])
        record.neighbours[spot, : len(around)] = around
    for spot, (x, y) in enumerate(corridor()):
        record.row[spot], record.column[spot] = y + 1, x
        record.open[y + 1] |= 1 << x
    record.passage[:] = -1
    for one, other in PASSAGES:
        record.passage[ROOMS.index(one)] = ROOMS.index(other)
        record.passage[ROOMS.index(other)] = ROOMS.index(one)
    for room in range(N_ROOMS):
        record.first_door[room] = door_spots(room)[0]
        for door in door_spots(room):
            (front,) = plan[door]
            record.fronts[room, front // 32] |= np.uint32(1 << front % 32)
            record.front_rows[room, record.row[front]] |= 1 << record.column[front]
        _fill_ways(record, room)
    return made


@jit
def _free_rows(board: np.record, occupied: np.ndarray, free: np.ndarray) -> None:
    """Write the corridor squares of each row without a pawn into ``free``, as bits by column."""
    for y in range(_ROWS):
        free[y] = board.open[y]
    for word in range(WORDS):
        rest = np.int64(occupied[word])
        while rest:
            spot = 32 * word + lowest(rest)
            free[board.row[spot]] &= ~(1 << board.column[spot])
            rest &= rest - 1


@jit
def _spread(wet: np.ndarray, free: np.ndarray, grown: np.ndarray) -> int:
    """Write the squares at most a step from ``wet`` into ``grown``; return 0 if none is new."""
    new = 0
    grown[0] = 0
    grown[_ROWS - 1] = 0
    for y in range(1, _ROWS - 1):
        grown[y] = (wet[y] | wet[y] << 1 | wet[y] >> 1 | wet[y - 1] | wet[y + 1]) & free[y]
        new |= grown[y] ^ wet[y]
    return new


@jit_owning
def _detour(board: np.record, occupied: np.ndarray, start: int, room: int, roll: int) -> int:
    """Return the spot ``roll`` steps along a shortest path round the pawns, -1 if none.

    Floods the board from the room's doors, all squares of a row at once, until the start is wet;
    ``within[k]`` holds the squares at most k steps from being in the room.  Then walks downhill.
    """
    free = np.empty(_ROWS, np.int64)
    _free_rows(board, occupied, free)
    within = np.empty((N_CORRIDOR + 1, _ROWS), np.int64)
    for y in range(_ROWS):
        within[1, y] = board.front_rows[room, y] & free[y]
    # Out of a room there is one way, through the door by which the pawn stands.
    inside = start >= N_CORRIDOR
    first = board.neighbours[start, 0] if inside else start
    row, bit = board.row[first], 1 << board.column[first]
    if not free[row] & bit:
        return -1
    far = 1
    while not within[far, row] & bit:
        if not _spread(within[far], free, within[far + 1]):
            return -1
        far += 1
    at = first
    for _ in range(roll - 1 if inside else roll):
        far -= 1
        for i in range(4):
            near = board.neighbours[at, i]
            if near < 0:
                continue
            if far == 0:
                if board.room_of[near] == room:
                    return near
            elif near < N_CORRIDOR and within[far, board.row[near]] >> board.column[near] & 1:
                at = near
                break
    return at


@jit
def _holds(occupied: np.ndarray, spot: int) -> bool:
    """Tell whether the corridor square ``spot`` is in the bit set ``occupied``."""
    return np.int64(occupied[spot >> 5]) >> (spot & 31) & 1 == 1


@jit
def _shut_in(board: np.record, occupied: np.ndarray, start: int, room: int) -> bool:
    """Tell whether pawns stand before all doors of ``room``, or all round ``start``.

    Nearly every pawn without a path is one of these, and a search would look at the whole board.
    """
    free = np.uint32(0)
    for word in range(WORDS):
        free |= board.fronts[room, word] & ~occupied[word]
    if free == 0:
        return True
    for i in range(4):
        near = board.neighbours[start, i]
        if near >= N_CORRIDOR:
            if board.room_of[near] == room:
                return False
        elif near >= 0 and not _holds(occupied, near):
            return False
    return True


@jit
def walk(board: np.record, occupied: np.ndarray, start: int, room: int, roll: int) -> int:
    """Return where a pawn ends that walks ``roll`` steps of a shortest path to ``room``.

    Parameters
    ----------
    board : record of `BOARD`
    occupied : uint32 bit set of the corridor squares on which *other* pawns stand
    start : spot of the walking pawn, not in ``room``
    room : goal; the walk stops inside its door
    roll : steps, at most `MAX_ROLL`

    Returns
    -------
    int
        The spot reached, or -1 if pawns close every path [Ledford 2018, s. 3.1].
    """
    for way in range(WAYS):
        path = board.path[way, room, start]
        met = np.uint32(0)
        for word in range(WORDS):
            met |= path[word] & occupied[word]
        if met == 0:
            return np.int64(board.landing[way, room, start, roll])
    if _shut_in(board, occupied, start, room):
        return -1
    return _detour(board, occupied, start, room, roll)


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
    """Append ``base`` + square to ``out[n:]`` for every square a pawn may stop on; return the end.

    Those are the corridor squares, without a pawn and other than ``start``, at most ``roll`` steps
    away round pawns and not through rooms.  A pawn in a room leaves by the door it stands at, or
    with ``any_door`` by any.
    """
    free = np.empty(_ROWS, np.int64)
    _free_rows(board, occupied, free)
    wet = np.zeros(_ROWS, np.int64)
    grown = np.empty(_ROWS, np.int64)
    steps = roll
    if start < N_CORRIDOR:
        wet[board.row[start]] = 1 << board.column[start]
    else:
        steps -= 1
        front = board.neighbours[start, 0]
        wet[board.row[front]] = 1 << board.column[front]
        for y in range(_ROWS):
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

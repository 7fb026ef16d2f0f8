"""The board: its layout, its graph, and the tables that kernels read.

A *spot* is a possible place of a pawn: a corridor square, or the square just inside a door.  A pawn
inside a door is in that room, so its spot includes the door of entry [Ledford 2018, s. 1.5: a pawn
leaves a room by that door].  The step through a door counts as one.  Paths never cross another
room, because a spot inside a door touches only the corridor square in front of it.  Without walls,
as in the released program, it touches all adjacent spots, and paths cross rooms.

A *goal* is a room, entered by any door, or its number plus `N_ROOMS`: the room by its `FIRST` door.
"""

from __future__ import annotations

from functools import cache

import networkx as nx
import numpy as np

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
"""Doors of each room: column, row and the side on which the door opens, in listed order."""

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

FIRST = {"Hall": (11, 6), "Dining Room": (16, 12)}
"""First entrance in the released program, where it differs from the first of `DOORS`."""

_SIDES = {"N": (0, -1), "S": (0, 1), "W": (-1, 0), "E": (1, 0)}

N_ROOMS = len(ROOMS)
N_GOALS = 2 * N_ROOMS
N_CORRIDOR = 188
N_DOORS = sum(len(doors) for _, doors in DOORS)
N_SPOTS = N_CORRIDOR + N_DOORS
MAX_ROLL = 12
WORDS = (N_CORRIDOR + 31) // 32
ROWS = 25 + 2  # one empty row on either side

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
        ("entrance", np.int64, (N_ROOMS,)),  # spot inside the door of `FIRST`
        ("through", np.int64),  # 1: no walls, paths cross rooms
        ("passage", np.int64, (N_ROOMS,)),  # room at the other end of the passage, or -1
        ("distance", np.int8, (N_GOALS, N_SPOTS)),  # steps to be in the room, pawns ignored
        # Several shortest paths on the empty board, in case pawns block the first.
        ("landing", np.uint8, (WAYS, N_GOALS, N_SPOTS, MAX_ROLL + 1)),  # spot by number of steps
        ("path", np.uint32, (WAYS, N_GOALS, N_SPOTS, WORDS)),  # corridor squares, as bits
        ("fronts", np.uint32, (N_GOALS, WORDS)),  # squares in front of the doors, as bits
        ("row", np.int64, (N_SPOTS,)),  # y of the spot's square, plus one
        ("column", np.int64, (N_SPOTS,)),
        ("open", np.int64, (ROWS,)),  # corridor squares of each row, as bits by column
        ("doors", np.int64, (ROWS,)),  # squares inside doors, as bits by column
        ("front_rows", np.int64, (N_GOALS, ROWS)),  # ``fronts`` as bits by column
        ("neighbours", np.int64, (N_SPOTS, 4)),  # adjacent spots, padded with -1
    ]
)


def corridor() -> list[tuple[int, int]]:
    """Return the (column, row) of every corridor square, indexed by spot."""
    rows = FLOOR_PLAN.strip().splitlines()
    return [(x, y) for y, row in enumerate(rows) for x, c in enumerate(row) if c in ".123456"]


@cache
def graph(walls: bool = True) -> nx.Graph:
    """Return the graph of spots: an edge is one step.

    Nodes are spot numbers with attributes ``xy`` and ``room`` (a room number, -1 in the corridor).
    Without ``walls`` a spot inside a door is connected to all adjacent spots.
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
            for beside in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if not walls and beside in squares:
                    made.add_edge(spot, squares[beside])
            if not walls:
                squares[x, y] = spot
            spot += 1
    return made


def door_spots(room: int) -> list[int]:
    """Return the spots inside the doors of ``room``, in listed order."""
    return [spot for spot, at in graph().nodes(data="room") if at == room]


def start_spot(suspect: str) -> int:
    """Return the start square of the pawn of ``suspect``."""
    return corridor().index(STARTS[suspect])


def entrance(room: int) -> int:
    """Return the spot inside the first entrance of ``room`` in the released program."""
    spots = door_spots(room)
    listed = FIRST.get(ROOMS[room], graph().nodes[spots[0]]["xy"])
    return next(spot for spot in spots if graph().nodes[spot]["xy"] == listed)


def _fill_ways(record: np.record, plan: nx.Graph, goal: int) -> None:
    doors = door_spots(goal) if goal < N_ROOMS else [entrance(goal - N_ROOMS)]
    for front in {near for door in doors for near in plan[door] if near < N_CORRIDOR}:
        record.fronts[goal, front // 32] |= np.uint32(1 << front % 32)
        record.front_rows[goal, record.row[front]] |= 1 << record.column[front]
    far = nx.multi_source_dijkstra_path_length(plan, set(doors))
    record.distance[goal] = [far[spot] for spot in range(N_SPOTS)]
    for way, preferred in enumerate(_PREFERRED):
        landing, path = record.landing[way, goal], record.path[way, goal]
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
def tables(walls: bool = True) -> np.recarray:
    """Return the tables computed from `graph` as one record; kernels read `sim.rules.world`."""
    made = np.zeros(1, BOARD).view(np.recarray)
    record = made[0]
    plan = graph(walls)
    record.through = not walls
    record.neighbours[:] = -1
    for spot in plan:
        record.room_of[spot] = plan.nodes[spot]["room"]
        around = sorted(plan[spot])
        record.neighbours[spot, : len(around)] = around
        x, y = plan.nodes[spot]["xy"]
        record.row[spot], record.column[spot] = y + 1, x
        squares = record.open if spot < N_CORRIDOR else record.doors
        squares[y + 1] |= 1 << x
    record.passage[:] = -1
    for one, other in PASSAGES:
        record.passage[ROOMS.index(one)] = ROOMS.index(other)
        record.passage[ROOMS.index(other)] = ROOMS.index(one)
    for room in range(N_ROOMS):
        record.first_door[room] = door_spots(room)[0]
        record.entrance[room] = entrance(room)
    for goal in range(N_GOALS):
        _fill_ways(record, plan, goal)
    return made

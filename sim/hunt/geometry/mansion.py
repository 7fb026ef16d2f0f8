"""The mansion of Clue as a workspace like any other [Ferrari & Cai 2009, s. VII-B].

No other module of `sim.hunt` knows the game.

A square of the board is a unit square, y runs downwards, the pawn is a point.  A suggestion is a
measurement, for which the pawn must stand at the right place; what is an observation cell follows.
The paper's figure of the cells is not at hand, so there are two readings of that place:

* ``inside``, as everywhere in this project: the squares just inside a room's doors are the target,
  and a wall stands on each side of them but the one to which the door opens;
* ``before``: rooms are obstacles, and the corridor squares before the doors are the target.
"""

from __future__ import annotations

import networkx as nx
import shapely

from sim.board import DOORS, FLOOR_PLAN, PASSAGES, corridor
from sim.hunt.geometry.connectivity import make_graph
from sim.hunt.geometry.workspace import Passage, Workspace

SIDES = {
    "N": ((0, 0), (1, 0), (0, -1)),
    "E": ((1, 0), (1, 1), (1, 0)),
    "S": ((0, 1), (1, 1), (0, 1)),
    "W": ((0, 0), (0, 1), (-1, 0)),
}
"""A square's side: its ends, from the square's corner at (x, y), and the way to the next square."""

READINGS = ("inside", "before")


def workspace(doors: str = "inside", passage: float | None = 0.0) -> Workspace:
    """Return the mansion; target i is room i of `sim.cards.ROOMS`.

    ValueError if ``doors`` is unknown.  ``doors``: a value of `READINGS`: whether one suggests
    inside a door or on the square before it; ``passage``: length of a secret passage in squares;
    None for a mansion without.
    """
    if doors not in READINGS:
        raise ValueError(f"unknown doors={doors!r}: choose inside or before")
    places = [[_place(door, doors) for door in found] for _, found in DOORS]
    rows = FLOOR_PLAN.strip().splitlines()
    free = {*corridor(), *(place for room in places for place in room)}
    blocked = [
        _square((x, y)) for y, row in enumerate(rows) for x in range(len(row)) if (x, y) not in free
    ]
    return Workspace(
        bounds=shapely.box(0, 0, len(rows[0]), len(rows)),
        obstacles=[shapely.union_all(blocked), *([_walls()] if doors == "inside" else [])],
        targets=[shapely.union_all([_square(place) for place in room]) for room in places],
        passages=[] if passage is None else _passages(places, passage),
    )


def mansion(by: str = "refinement", doors: str = "inside", passage: float | None = 0.0) -> nx.Graph:
    """Return the graph of the mansion with taxicab distances, in squares.

    ``by``: which rectangles: "row", "column", "refinement", or "grid" for one cell a square;
    ``doors``, ``passage``: as in `workspace`; each door has a cell of its own.
    """
    step = 1.0 if by == "grid" else None
    cuts = shapely.union_all(
        [_square(_place(door, doors)).boundary for _, at in DOORS for door in at]
    )
    found = workspace(doors, passage)
    return make_graph(found, "rectangles", "taxicab", by=by, step=step, cuts=cuts)


def _place(door: tuple[int, int, str], doors: str) -> tuple[int, int]:
    """Return the square on which one suggests at a door."""
    x, y, opens = door
    dx, dy = SIDES[opens][2] if doors == "before" else (0, 0)
    return x + dx, y + dy


def _square(place: tuple[int, int]) -> shapely.Polygon:
    x, y = place
    return shapely.box(x, y, x + 1, y + 1)


def _walls() -> shapely.MultiLineString:
    """Return the walls round the squares inside doors."""
    return shapely.MultiLineString(
        [
            [(x + dx, y + dy) for dx, dy in ends]
            for _, found in DOORS
            for x, y, opens in found
            for side, (*ends, _) in SIDES.items()
            if side != opens
        ]
    )


def _passages(places: list[list[tuple[int, int]]], length: float) -> list[Passage]:
    """Return the secret passages, from one room's first place to the other's."""
    middle = {
        room: (x + 0.5, y + 0.5) for (room, _), ((x, y), *_) in zip(DOORS, places, strict=True)
    }
    return [Passage(middle[one], middle[other], length) for one, other in PASSAGES]

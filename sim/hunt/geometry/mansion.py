"""The mansion of Clue as a hunt: rectangles of its board's squares [Ferrari & Cai 2009, s. VII-B].

No other module of `sim.hunt` knows the game.

A square of the board is a unit square, y runs downwards, distances are taxicab.  A suggestion is a
measurement that requires the pawn at the right place; that square is a separate observation cell.
The paper's figure of the cells is not available, so there are two readings of the place:

* ``inside``, as everywhere in this project: the squares just inside a room's doors, which open to
  one side only;
* ``before``: the corridor squares in front of the doors.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby

import networkx as nx
import numpy as np
import shapely

from sim import board
from sim.board import DOORS, PASSAGES

BOUNDS = shapely.box(0, 0, 24, 25)

READINGS = ("inside", "before")

Square = tuple[int, int]
"""Column and row."""


def mansion(by: str = "refinement", doors: str = "inside", passage: float | None = 0.0) -> nx.Graph:
    """Return the graph of the mansion, as `sim.hunt.geometry.connectivity.make_graph` does.

    ValueError if ``doors`` is unknown.  Target i is room i of `sim.cards.ROOMS`.

    Parameters
    ----------
    by : rectangles of void squares: "row" and "column", maximal runs, merged with adjacent ones of
        equal ends; "refinement", where both agree; or "grid", squares
    doors : a value of `READINGS`, the place of suggestions: inside a door or the square before it
    passage : length of a secret passage in squares; None for a mansion without
    """
    if doors not in READINGS:
        raise ValueError(f"unknown doors={doors!r}: choose inside or before")
    spots = board.graph()
    steps = nx.relabel_nodes(spots, dict(spots.nodes("xy")))
    inside = {(x, y): room for room, (_, found) in enumerate(DOORS) for x, y, _ in found}
    place = inside
    if doors == "before":
        place = {next(iter(steps.adj[door])): room for door, room in inside.items()}
        steps.remove_nodes_from(inside)
    cell = _cells(sorted(steps, key=lambda at: at[::-1]), place, by)
    made = nx.Graph(lost=0.0)
    held: dict[int, list[Square]] = defaultdict(list)
    for square, number in cell.items():
        held[number].append(square)
    for number, squares in held.items():
        (left, low), (right, high) = min(squares), max(squares)
        seen = (place[left, low],) if (left, low) in place else ()
        at = (left + right + 1) / 2, (low + high + 1) / 2
        polygon = shapely.box(left, low, right + 1, high + 1)
        made.add_node(number, targets=seen, polygon=polygon, at=at)
    borders: dict[tuple[int, int], list[np.ndarray]] = defaultdict(list)
    for one, other in steps.edges:
        both = sorted((cell[one], cell[other]))
        if both[0] != both[1]:
            borders[both[0], both[1]].append((np.add(one, other) + 1) / 2)
    for (one, other), sides in sorted(borders.items()):
        middle = np.mean(sides, axis=0)
        way = np.array([made.nodes[one]["at"], middle, made.nodes[other]["at"]])
        length = float(np.abs(np.diff(way, axis=0)).sum())
        made.add_edge(one, other, length=length, line=shapely.LineString(way))
    for rooms in PASSAGES if passage is not None else ():
        first = [next(at for at, room in place.items() if DOORS[room][0] == name) for name in rooms]
        one, other = (cell[at] for at in first)
        line = shapely.LineString([made.nodes[one]["at"], made.nodes[other]["at"]])
        made.add_edge(one, other, length=float(passage or 0), line=line, passage=True)
    return made


def _cells(squares: list[Square], place: dict[Square, int], by: str) -> dict[Square, int]:
    """Return the cell of each of ``squares``, numbered in their order."""
    void = [square for square in squares if square not in place]
    row, column = ({at: (at,) for at in squares} | _runs(void, axis) for axis in (0, 1))
    name = {
        "row": row,
        "column": column,
        "refinement": {at: (row[at], column[at]) for at in squares},
        "grid": {at: at for at in squares},
    }[by]
    number: dict[object, int] = {}
    return {at: number.setdefault(name[at], len(number)) for at in squares}


def _runs(squares: list[Square], axis: int) -> dict[Square, tuple]:
    """Return the first run of each square's rectangle: runs along ``axis``, merged if alike."""
    found: dict[Square, tuple] = {}
    before: dict[tuple[int, int], tuple] = {}
    for line in range(25):
        here = {}
        along = sorted(at[axis] for at in squares if at[1 - axis] == line)
        for _, run in groupby(enumerate(along), lambda pair: pair[1] - pair[0]):
            places = [at for _, at in run]
            ends = places[0], places[-1]
            here[ends] = before.get(ends, (line, *ends))
            for at in places:
                found[(at, line) if axis == 0 else (line, at)] = here[ends]
        before = here
    return found

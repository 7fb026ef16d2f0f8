"""The board, the cards and the numbers of actions for the pages.

All facts come from `sim.board`, `sim.cards`, `sim.rules` and `sim.state`, so that the scripts
repeat none of them.  Pages get them as a block of JSON, which is data and not a script:

    <script type="application/json" id="facts">{{ facts | tojson }}</script>

Coordinates are column and row of a square on the floor plan, from 0 at the top left.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import networkx as nx
from shapely import box, union_all

from sim.board import DOORS, FLOOR_PLAN, N_CORRIDOR, N_ROOMS, STARTS, corridor, graph, tables
from sim.cards import CARDS, ROOMS, SUSPECTS, WEAPONS
from sim.rules import RELEASED_SEATS
from sim.state import ACCUSE, ASK, MOVE, PASS, PASSAGE, REVEAL, WALK

Square = tuple[int, int]

_BESIDE = ((1, 0), (-1, 0), (0, 1), (0, -1))


@cache
def facts() -> dict[str, Any]:
    """Return the facts of the game that are equal for all tables.

    Keys: ``columns``, ``rows``; ``squares`` of the corridor by spot; ``rooms`` by number, each with
    ``name``, ``outline`` (corners), ``label`` (position of its name), ``doors`` and ``passage``;
    ``closed``, the outlines of squares outside rooms and corridor; ``starts`` by rules and suspect;
    ``steps`` from each place by room; ``suspects``, ``weapons``, ``cards``; ``actions``, the first
    number of each kind.
    """
    rows = FLOOR_PLAN.strip().splitlines()
    areas = regions()
    inside = set().union(*areas)
    passages = tables()[0].passage
    walls = {(x, y) for y, row in enumerate(rows) for x in range(len(row))}
    return {
        "columns": len(rows[0]),
        "rows": len(rows),
        "squares": [list(xy) for xy in corridor()],
        "rooms": [
            {
                "name": name,
                "outline": _outlines(areas[room])[0],
                "label": [  # its middle, in quarters of a square
                    round(4 * (sum(along) / len(along) + 0.5)) / 4
                    for along in zip(*areas[room], strict=True)
                ],
                "doors": [{"xy": [x, y], "side": side} for x, y, side in DOORS[room][1]],
                "passage": None if (other := passages[room]) < 0 else ROOMS[other],
            }
            for room, name in enumerate(ROOMS)
        ],
        "closed": _outlines(walls - inside - set(corridor())),
        "starts": {
            "box": {name: list(xy) for name, xy in STARTS.items()},
            "released": {name: list(xy) for name, xy in RELEASED_SEATS.items()},
        },
        "steps": _steps(),
        "suspects": list(SUSPECTS),
        "weapons": list(WEAPONS),
        "cards": list(CARDS),
        "actions": {
            "move": MOVE,
            "passage": PASSAGE,
            "suggest": ASK,
            "accuse": ACCUSE,
            "show": REVEAL,
            "pass": PASS,
            "walk": WALK,
        },
    }


@cache
def regions() -> tuple[frozenset[Square], ...]:
    """Return the squares of each room.

    The plan has one character for rooms and walls.  A room is all squares connected with its doors,
    without the squares at the edge of the board that only bound the corridor.
    """
    rows = FLOOR_PLAN.strip().splitlines()
    open_squares = set(corridor())
    last = (len(rows[0]) - 1, len(rows) - 1)

    def closes_off(x: int, y: int) -> bool:
        inward = [(1 if x == 0 else last[0] - 1, y)] if x in (0, last[0]) else []
        inward += [(x, 1 if y == 0 else last[1] - 1)] if y in (0, last[1]) else []
        return any(neighbour in open_squares for neighbour in inward)

    plan = nx.Graph()
    plan.add_nodes_from(
        (x, y)
        for y, row in enumerate(rows)
        for x in range(len(row))
        if (x, y) not in open_squares and not closes_off(x, y)
    )
    plan.add_edges_from(
        ((x, y), near) for x, y in plan for dx, dy in _BESIDE if (near := (x + dx, y + dy)) in plan
    )
    return tuple(frozenset(nx.node_connected_component(plan, doors[0][:2])) for _, doors in DOORS)


def _outlines(squares: frozenset[Square] | set[Square]) -> list[list[list[int]]]:
    """Return the corners of each connected part of ``squares``, clockwise or not."""
    whole = union_all([box(x, y, x + 1, y + 1) for x, y in squares]).simplify(0)
    parts = getattr(whole, "geoms", [whole])
    return [[[int(x), int(y)] for x, y in part.exterior.coords[:-1]] for part in parts]


def _steps() -> dict[str, list[int]]:
    """Return, by ``column,row`` of a spot, the steps to each room, without regard to pawns."""
    distance = tables()[0].distance[:N_ROOMS]
    found = {}
    for spot, xy in graph().nodes(data="xy"):
        found["{},{}".format(*xy)] = distance[:, spot].tolist()
    assert len(found) == distance.shape[1] > N_CORRIDOR
    return found

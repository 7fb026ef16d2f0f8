"""The board against the rule book and, pawn by pawn, against NetworkX."""

import networkx as nx
import pytest

from sim.board import (
    DOORS,
    N_CORRIDOR,
    N_ROOMS,
    N_SPOTS,
    PASSAGES,
    corridor,
    door_spots,
    graph,
    tables,
)
from sim.cards import ROOMS

DISTANCES = [
    ("Study", "Hall", 4),
    ("Hall", "Lounge", 8),
    ("Lounge", "Dining Room", 4),
    ("Dining Room", "Kitchen", 11),
    ("Kitchen", "Ballroom", 7),
    ("Ballroom", "Conservatory", 4),
    ("Conservatory", "Billiard Room", 7),
    ("Billiard Room", "Library", 4),
    ("Library", "Study", 7),
    ("Library", "Hall", 7),
    ("Dining Room", "Hall", 8),
    ("Ballroom", "Billiard Room", 6),
    ("Ballroom", "Dining Room", 7),
]

DOOR_LIST = """
Study 6,3 S; Hall 9,4 W; Hall 11,6 S; Hall 12,6 S; Lounge 17,5 S; Library 6,8 E; Library 3,10 S;
Billiard Room 1,12 N; Billiard Room 5,15 E; Dining Room 17,9 N; Dining Room 16,12 W;
Conservatory 4,19 E; Ballroom 8,19 W; Ballroom 9,17 N; Ballroom 14,17 N; Ballroom 15,19 E;
Kitchen 19,18 N
"""

STEP = {"N": (0, -1), "S": (0, 1), "W": (-1, 0), "E": (1, 0)}


def test_the_corridor_is_188_connected_squares():
    squares = corridor()
    assert len(squares) == len(set(squares)) == N_CORRIDOR == 188
    assert nx.is_connected(graph().subgraph(range(N_CORRIDOR)))


def test_doors_are_where_they_should_be():
    found = "; ".join(f"{room} {x},{y} {side}" for room, doors in DOORS for x, y, side in doors)
    assert found == " ".join(DOOR_LIST.split())


def test_a_door_joins_its_room_to_one_corridor_square():
    config = graph()
    assert len(config) == N_SPOTS == N_CORRIDOR + 17
    for room, (name, doors) in enumerate(DOORS):
        assert name == ROOMS[room]
        spots = door_spots(room)
        assert len(spots) == len(doors)
        for spot, (x, y, side) in zip(spots, doors, strict=True):
            (front,) = config[spot]
            assert config.nodes[spot]["xy"] == (x, y)
            assert config.nodes[front]["xy"] == (x + STEP[side][0], y + STEP[side][1])
            assert front < N_CORRIDOR
        assert tables()[0].first_door[room] == spots[0]


def test_passages():
    assert {frozenset(pair) for pair in PASSAGES} == {
        frozenset(("Study", "Kitchen")),
        frozenset(("Lounge", "Conservatory")),
    }
    passage = tables()[0].passage
    named = {ROOMS[room]: ROOMS[there] for room, there in enumerate(passage) if there >= 0}
    assert named == {
        "Study": "Kitchen",
        "Kitchen": "Study",
        "Lounge": "Conservatory",
        "Conservatory": "Lounge",
    }


@pytest.mark.parametrize(("one", "other", "steps"), DISTANCES)
def test_walking_distances(one, other, steps):
    distance = tables()[0].distance
    for here, there in ((one, other), (other, one)):
        doors = door_spots(ROOMS.index(here))
        assert min(distance[ROOMS.index(there), door] for door in doors) == steps


def test_every_distance_is_that_of_the_graph():
    config, distance = graph(), tables()[0].distance
    for room in range(N_ROOMS):
        far = nx.multi_source_dijkstra_path_length(config, set(door_spots(room)))
        assert [far[spot] for spot in range(N_SPOTS)] == distance[room].tolist()

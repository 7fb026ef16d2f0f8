"""The mansion: its counts, and its distances beside those of the board."""

import networkx as nx
import pytest

from sim import board
from sim.cards import ROOMS
from sim.hunt.geometry.mansion import mansion
from sim.hunt.graph import compile_graph
from sim.rules import preset, world


def observation_cells(graph, target=None):
    """Return the cells from which the target, or any, is measured."""
    return [cell for cell, seen in graph.nodes("targets") if seen and target in (None, *seen)]


@pytest.mark.parametrize(
    ("by", "doors", "void", "observation", "arcs"),
    [
        ("row", "before", 39, 17, 83),
        ("column", "before", 36, 17, 80),
        ("refinement", "before", 97, 17, 165),
        ("grid", "before", 171, 17, 278),
        ("row", "inside", 27, 17, 46),
        ("grid", "inside", 188, 17, 295),
    ],
)
def test_counts(by, doors, void, observation, arcs):
    graph = mansion(by, doors)
    found = len(observation_cells(graph))
    assert (len(graph) - found, found, graph.number_of_edges()) == (void, observation, arcs)
    assert compile_graph(graph).targets == board.N_ROOMS
    area = sum(polygon.area for _, polygon in graph.nodes("polygon"))
    assert area == 188 + 17 * (doors == "inside")


def test_one_cell_a_square_is_the_board():
    squares = mansion("grid", passage=None)
    at = {(x + 0.5, y + 0.5): spot for spot, (x, y) in board.graph().nodes("xy")}
    steps = world(preset("ferrari2009"))[0].steps
    for room in range(board.N_ROOMS):
        doors = observation_cells(squares, room)
        assert sorted(at[squares.nodes[cell]["at"]] for cell in doors) == board.door_spots(room)
        far = nx.multi_source_dijkstra_path_length(squares, set(doors), weight="length")
        assert len(far) == board.N_SPOTS
        for cell, place in squares.nodes("at"):
            if cell in doors or not squares.nodes[cell]["targets"]:
                assert far[cell] == steps[room, at[place]]


def test_passages_join_observation_cells():
    graph = mansion("row", passage=0.5)
    found = [arc for arc in graph.edges(data=True) if arc[2].get("passage")]
    rooms = {frozenset(graph.nodes[cell]["targets"][0] for cell in arc[:2]) for arc in found}
    assert rooms == {frozenset(map(ROOMS.index, pair)) for pair in board.PASSAGES}
    assert {arc[2]["length"] for arc in found} == {0.5}


def test_a_reading_that_is_none():
    with pytest.raises(ValueError, match="choose inside or before"):
        mansion(doors="through")

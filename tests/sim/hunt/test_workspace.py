"""Workspaces: what is refused, and how; where the robot may stand, and what it sees there."""

import math

import networkx as nx
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import LineString, Point, Polygon, box

from sim.hunt.geometry.connectivity import make_graph
from sim.hunt.geometry.workspace import Workspace, random_workspace

ROOM = box(0, 0, 10, 10)
TARGET = Point(2, 2)
BAR = box(4, 0, 5, 10)

HOSTILE = {
    "a bow tie": ({"obstacles": [Polygon([(0, 0), (1, 1), (1, 0), (0, 1)])]}, "obstacle 0 is not"),
    "not a number": ({"targets": [Point(1, math.nan)]}, "target 0 has a coordinate that is not"),
    "too large": ({"bounds": box(0, 0, 1e30, 1e30)}, "choose a unit of length"),
    "empty": ({"obstacles": [Polygon()]}, "obstacle 0 is empty"),
    "a line as target": ({"targets": [LineString([(1, 1), (2, 2)])]}, "target 0 is a LineString"),
    "a target outside": ({"targets": [TARGET, Point(11, 5)]}, "target 1 lies outside the bounds"),
    "a target within": ({"obstacles": [box(1, 1, 3, 3)]}, "target 0 lies inside an obstacle"),
    "out of range": (
        {"obstacles": [box(0, 0, 4, 1.9), box(0, 2.1, 4, 4)], "robot": 0.5, "sensor": 0.7},
        "target 0 is visible from no reachable place",
    ),
    "behind a wall": (
        {
            "obstacles": [box(1, 1, 3, 3) - box(1.8, 1.8, 2.2, 2.2)],
            "line_of_sight": True,
            "start": (5, 5),
        },
        "target 0 is visible from no reachable place",
    ),
    "two rooms": ({"obstacles": [BAR]}, "has 2 pieces"),
    "a negative robot": ({"robot": -1.0}, "the radius of the robot is -1"),
    "a start in a wall": ({"obstacles": [box(4, 4, 6, 6)], "start": (5, 5)}, "fit at its start"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_no_workspace_is_refused_in_one_sentence(what):
    given, words = HOSTILE[what]
    with pytest.raises(ValueError) as refused:
        Workspace(**{"bounds": ROOM, "targets": [TARGET], "sensor": 1.0, **given})
    said = str(refused.value)
    assert words in said and "\n" not in said and len(said) < 200


def free_area(*obstacles, **given):
    """Return the area in which the robot may stand."""
    return Workspace(ROOM, obstacles, [TARGET], sensor=1.0, **given).free.area


def test_what_is_handled():
    overlapping = box(4, 4, 6, 6), box(5, 5, 7, 7), box(9, 9, 12, 12)
    assert free_area(*overlapping) == pytest.approx(100 - 4 - 4 + 1 - 1)
    yard = box(4, 4, 8, 8) - box(5, 5, 7, 7)
    assert free_area(yard, start=(2, 2)) == pytest.approx(84)
    assert free_area(yard - box(4, 5, 5, 6)) == pytest.approx(89)
    assert free_area(BAR, start=(2, 2)) == pytest.approx(40)
    twins = Workspace(ROOM, [box(2, 1, 4, 3)], [box(1, 1, 3, 3), box(1, 1, 3, 3)])
    assert twins.regions[0].equals(twins.regions[1])
    assert {seen for _, seen in make_graph(twins).nodes("targets")} == {(), (0, 1)}


RINGS = st.lists(st.tuples(st.integers(-1, 7), st.integers(-1, 7)), min_size=3, max_size=6)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(RINGS, max_size=4), RINGS, st.sampled_from([0.0, 0.25]), st.booleans())
def test_any_polygons_are_refused_in_a_sentence_or_make_a_graph(obstacles, target, robot, sight):
    """Corners on a lattice: many cross themselves, are flat, share sides or close space off."""
    fixed = {"bounds": box(0, 0, 6, 6), "robot": robot, "sensor": 0.5, "line_of_sight": sight}
    shapes = [Polygon(ring) for ring in obstacles]
    shapes = [shape for shape in shapes if shape.is_valid]
    try:
        workspace = Workspace(**fixed, obstacles=shapes, targets=[Polygon(target)])
    except ValueError as refused:
        assert "\n" not in str(refused) and len(str(refused)) < 200
        return
    made = make_graph(workspace)
    area = sum(polygon.area for _, polygon in made.nodes("polygon"))
    assert abs(area - workspace.free.area) < 1e-9 and nx.is_connected(made)


def stands(workspace, places):
    """Return at which places (k, 2) the robot can stand, by its own shape there."""
    solid, edge = shapely.union_all(workspace.obstacles), workspace.bounds.exterior
    shapely.prepare(solid)
    points = shapely.points(places)
    clear = ~shapely.intersects(solid, points) & (
        shapely.distance(solid, points) >= workspace.robot
    )
    return clear & (shapely.distance(edge, points) >= workspace.robot)


def sees(workspace, target, places):
    """Return at which places (k, 2) the sensor sees the target, a point: by distance and a line."""
    lines = shapely.linestrings(
        np.stack([places, np.broadcast_to(target.coords[0], places.shape)], axis=1)
    )
    hidden = shapely.crosses(lines, shapely.union_all(workspace.obstacles))
    return (shapely.length(lines) <= workspace.sensor) & ~(hidden & workspace.line_of_sight)


MOVING = {
    "disc": {"robot": 0.4, "sensor": 2.5},
    "point": {"robot": 0.0, "sensor": 3.0, "line_of_sight": True},
    "disc that looks": {"robot": 0.3, "sensor": 4.0, "line_of_sight": True},
}
PLACES = np.random.default_rng(3000).uniform(0, 20, (2500, 2))


@pytest.mark.parametrize("shape", MOVING)
def test_regions_hold_the_points_that_they_should(shape):
    """No place outside is taken, and of those within none but the rounding of discs is missed."""
    workspace = random_workspace(3001, 10, 4, **MOVING[shape])
    free = shapely.contains_xy(workspace.free, *PLACES.T)
    stood = stands(workspace, PLACES)
    assert 100 < stood.sum() < len(PLACES) - 100 and not (free & ~stood).any()
    assert (stood & ~free).sum() <= (5 if shape.startswith("disc") else 0)
    for target, region in zip(workspace.targets, workspace.regions, strict=True):
        inside = shapely.contains_xy(region, *PLACES[free].T)
        seen = sees(workspace, target, PLACES[free])
        assert seen.any()
        assert not (inside & ~seen).any()
        assert (seen & ~inside).sum() <= 3

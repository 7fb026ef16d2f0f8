"""Cells: exact, convex, disjoint, each wholly in a target's region or out of it; arcs are free."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import shapely
from shapely import Point, Polygon, box
from shapely.affinity import rotate

from sim.hunt.geometry.cells import faces, polygons
from sim.hunt.geometry.connectivity import cell_at, make_graph
from sim.hunt.geometry.workspace import Workspace, random_workspace
from sim.hunt.graph import compile_graph

MOVING = {
    "disc": {},
    "looking": {"robot": 0.25, "sensor": 2.0, "line_of_sight": True},
    "point": {"robot": 0.0, "sensor": 0.4},
}
SIDE = 12.0
SEEDS = (3101, 3102)


@pytest.fixture(scope="module")
def workspaces():
    """Random workspaces of each kind."""
    return {
        name: [random_workspace(seed, 7, 4, side=SIDE, **given) for seed in SEEDS]
        for name, given in MOVING.items()
    }


def overlap(cells):
    """Return the area that is in two cells, 0 but for the rounding of borders."""
    tree = shapely.STRtree(cells)
    one, other = tree.query(cells, "intersects")
    cells = np.array(cells)
    distinct = one < other
    return shapely.area(shapely.intersection(cells[one[distinct]], cells[other[distinct]])).sum()


@pytest.mark.parametrize("moving", MOVING)
def test_polygons_are_exact(workspaces, moving):
    for workspace in workspaces[moving]:
        cells = polygons(workspace)
        area = shapely.area(cells.polygons)
        assert abs(area.sum() - workspace.free.area) < 1e-9
        assert shapely.area(shapely.difference(cells.polygons, workspace.free)).max() < 1e-9
        assert overlap(cells.polygons) < 1e-9
        assert (shapely.area(shapely.convex_hull(cells.polygons)) - area).max() < 1e-9
        assert all(polygon.is_valid and polygon.area for polygon in cells.polygons)
        for target, region in enumerate(workspace.regions):
            seen = np.array([target in found for found in cells.targets])
            within = shapely.area(shapely.intersection(cells.polygons, region))
            assert seen.any() and np.abs(within - area * seen).max() < 1e-9


def collisions(made, workspace):
    """Return on how many straight pieces of arcs the robot meets an obstacle or the bounds.

    By its distance, not by grown obstacles.
    """
    pieces = [ends for _, _, line in made.edges(data="line") for ends in pairwise(line.coords)]
    outside = box(-1, -1, SIDE + 1, SIDE + 1) - workspace.bounds
    forbidden = shapely.union_all([outside, *workspace.obstacles])
    shapely.prepare(forbidden)
    lines = shapely.linestrings(pieces)
    inner = shapely.crosses(lines, forbidden) | shapely.within(lines, forbidden)
    return int((inner | (shapely.distance(lines, forbidden) < workspace.robot)).sum())


@pytest.mark.parametrize("moving", MOVING)
def test_no_arc_meets_an_obstacle(workspaces, moving):
    workspace = workspaces[moving][0]
    made = make_graph(workspace)
    assert nx.is_connected(made) and made.number_of_edges() >= len(made) - 1
    assert collisions(made, workspace) == 0
    lines = [line for _, _, line in made.edges(data="line")]
    assert all(shapely.dwithin(workspace.free, lines, 0))
    assert shapely.length(shapely.difference(lines, workspace.free)).max() < 1e-9


def test_arcs_meet_obstacles_that_are_not_grown(workspaces):
    """The control: cells made for a point, used by the robot."""
    for moving in ("disc", "looking"):
        real = workspaces[moving][0]
        point = Workspace(real.bounds, real.obstacles, real.targets, sensor=real.sensor)
        assert collisions(make_graph(point), real) > 20


def test_borders_that_were_computed_twice_are_one():
    """Targets side by side, turned: their borders part by rounding, and leave strips in between."""
    targets = [box(1, 1, 3, 3), box(3, 0.6, 5, 2.2), box(3, 2.2, 4.4, 7), box(1, 3, 3, 4.3)]
    strips = 0
    for angle in range(1, 46):
        turned = [rotate(target, angle, origin=(5, 5)) for target in targets]
        workspace = Workspace(box(-5, -5, 15, 15), [], turned)
        found, _ = faces(workspace)
        assert len(found) == len(targets) + 1
        assert abs(sum(face.area for face in found) - 400) < 1e-9
        borders = [workspace.free.boundary, *(region.boundary for region in workspace.regions)]
        plain = shapely.polygonize([shapely.union_all(borders, grid_size=workspace.grid)])
        strips += len(plain.geoms) - len(found)
    assert strips > 0


def test_lengths():
    """By the middle of the common border: (1, 1), (2, 0.5), (3, 0.5)."""
    bounds = Polygon([(0, 0), (4, 0), (4, 1), (2, 1), (2, 2), (0, 2)])
    workspace = Workspace(bounds, [], [box(2, 0, 4, 1)])
    made = make_graph(workspace)
    assert sorted(seen for _, seen in made.nodes("targets")) == [(), (0,)]
    assert {at for _, at in made.nodes("at")} == {(1.0, 1.0), (3.0, 0.5)}
    assert [far for *_, far in made.edges(data="length")] == [pytest.approx(np.hypot(1, 0.5) + 1)]


def test_graphs_are_hunts(workspaces):
    made = make_graph(workspaces["disc"][0])
    assert compile_graph(made).targets == 4
    assert list(made) == list(range(len(made)))
    for cell, place in made.nodes("at"):
        assert made.nodes[cell]["polygon"].contains(Point(place))
    assert cell_at(made, *made.nodes[7]["at"]) == 7
    assert cell_at(made, -1, -1) is None

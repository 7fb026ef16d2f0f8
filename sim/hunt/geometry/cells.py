"""Free space in convex polygons, none of which straddles the border of a target's region.

The borders of free space and of all regions from which targets are seen bound *faces*, which are
neither convex nor without holes: the same targets are seen from every place of a face.  They are
cut into convex polygons, so a whole cell is an observation cell or a void one [Ferrari & Cai 2009,
s. VII-B].

All lines are merged at once (snap rounding to the workspace's grid), so that neighbours share exact
corners and are found without a tolerance.  Borders that should coincide, but were computed in two
ways, leave faces a few grid units wide between them; those are joined to a neighbour.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import shapely
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from shapely.geometry.base import BaseGeometry

from sim.hunt.geometry.workspace import THIN, Workspace, is_thin

PASSES = 10
"""Rounds of snapping: merged corners may move lines onto others, seldom twice."""

Side = tuple[tuple[float, float], tuple[float, float]]
"""Two corners, the smaller one first."""


class Cells(NamedTuple):
    """Convex cells; a cell is its index in the lists."""

    polygons: list[shapely.Polygon]
    targets: list[tuple[int, ...]]
    """The targets that are seen from everywhere in the cell, in order."""
    borders: dict[tuple[int, int], shapely.LineString]
    """By pair of neighbours: the longest segment of their common border."""


def polygons(workspace: Workspace) -> Cells:
    """Return convex polygons that make up the faces."""
    cells: list[shapely.Polygon] = []
    targets: list[tuple[int, ...]] = []
    for face, seen in zip(*faces(workspace), strict=True):
        parts = convex_parts(face, workspace.grid)
        cells += parts
        targets += [seen] * len(parts)
    return Cells(cells, targets, find_borders(cells))


def convex_parts(face: shapely.Polygon, grid: float) -> list[shapely.Polygon]:
    """Return convex polygons that partition ``face``, convex up to the rounding to ``grid``.

    Sides between triangles are removed, the longest first, if the union is convex [Hertel &
    Mehlhorn 1983]; at most four times the minimum number of parts remain.
    """
    if not face.interiors and face.convex_hull.area - face.area <= grid * face.length:
        return [face]
    corners = list(shapely.constrained_delaunay_triangles(face).geoms)
    part = list(range(len(corners)))
    members = {i: [i] for i in part}
    area = dict(enumerate(shapely.area(corners)))
    inner = [(side, both) for side, both in owners(corners).items() if len(both) == 2]
    for _, (one, other) in sorted(inner, key=lambda entry: -length(entry[0])):
        kept, joined = part[one], part[other]
        both = members[kept] + members[joined]
        hull = shapely.convex_hull(shapely.MultiPolygon([corners[i] for i in both]))
        if kept == joined or hull.area - area[kept] - area[joined] > grid * hull.length:
            continue
        area[kept] += area.pop(joined)
        members[kept] = both
        for i in members.pop(joined):
            part[i] = kept
    return [_outline([corners[i] for i in found]) for found in members.values()]


def _outline(parts: Sequence[shapely.Polygon]) -> shapely.Polygon:
    """Return the union of ``parts`` with all corners on its border kept."""
    border = [side for side, both in owners(parts).items() if len(both) == 1]
    (whole,) = shapely.polygonize([shapely.MultiLineString(border)]).geoms
    return whole


def find_borders(cells: Sequence[shapely.Polygon]) -> dict[tuple[int, int], shapely.LineString]:
    """Return the border of each pair of convex ``cells`` that share whole sides."""
    found: dict[tuple[int, int], list[Side]] = defaultdict(list)
    for side, both in owners(cells).items():
        if len(both) == 2:
            found[both[0], both[1]].append(side)
    return {both: _longest(pieces) for both, pieces in sorted(found.items())}


def _longest(sides: Sequence[Side]) -> shapely.LineString:
    """Return the longest segment formed by ``sides``, the first of equal ones."""
    if len(sides) == 1:
        return shapely.LineString(sides[0])
    whole = shapely.line_merge(shapely.MultiLineString(list(sides)))
    return max(shapely.get_parts(whole), key=lambda part: part.length)


def faces(workspace: Workspace) -> tuple[list[shapely.Polygon], list[tuple[int, ...]]]:
    """Return the pieces of free space from which the same targets are seen, and those targets."""
    borders = [workspace.free.boundary, *(region.boundary for region in workspace.regions)]
    found = _faces(workspace, _put_together(borders, workspace.grid))
    while superfluous := _beside_thin_ones(workspace, found):
        kept = [side for side in owners(found) if side not in superfluous]
        found = _faces(workspace, shapely.MultiLineString(kept))
    found = [face for face in found if not is_thin(face, workspace.grid)]
    return found, targets_at(workspace, shapely.point_on_surface(found))


def targets_at(workspace: Workspace, shapes: np.ndarray) -> list[tuple[int, ...]]:
    """Return the targets seen from all of each of ``shapes``; a point must not be on a border."""
    seen: list[list[int]] = [[] for _ in shapes]
    for target, region in enumerate(workspace.regions):
        shapely.prepare(region)
        for place in np.flatnonzero(shapely.covers(region, shapes)):
            seen[place].append(target)
    return [tuple(targets) for targets in seen]


def owners(polygons: Sequence[shapely.Polygon]) -> dict[Side, list[int]]:
    """Return the polygons, by index, of each side."""
    found: dict[Side, list[int]] = defaultdict(list)
    for number, polygon in enumerate(polygons):
        for ring in (polygon.exterior, *polygon.interiors):
            for one, other in pairwise(map(tuple, shapely.get_coordinates(ring).tolist())):
                found[min(one, other), max(one, other)].append(number)
    return found


def length(side: Side) -> float:
    """Return the length of ``side``."""
    return math.dist(*side)


def _put_together(lines: Sequence[BaseGeometry], grid: float) -> BaseGeometry:
    """Return ``lines`` cut where they meet, with nearly equal corners merged."""
    whole = shapely.union_all(lines, grid_size=grid)
    for _ in range(PASSES):
        corners = np.unique(shapely.get_coordinates(whole), axis=0)
        near = cKDTree(corners).query_pairs(THIN * grid, output_type="ndarray")
        if not len(near):
            break
        same = coo_array((np.ones(len(near)), near.T), shape=(len(corners), len(corners)))
        _, cluster = connected_components(same, directed=False)
        _, first = np.unique(cluster, return_index=True)
        place = {
            tuple(at): tuple(corners[first[i]]) for at, i in zip(corners, cluster, strict=True)
        }
        moved = [
            shapely.LineString(side)
            for part in shapely.get_parts(whole)
            for one, other in pairwise(shapely.get_coordinates(part))
            if (side := (place[tuple(one)], place[tuple(other)]))[0] != side[1]
        ]
        whole = shapely.union_all(moved, grid_size=grid)
    return whole


def _faces(workspace: Workspace, lines: BaseGeometry) -> list[shapely.Polygon]:
    """Return the parts of free space that ``lines`` enclose."""
    found = np.array(shapely.get_parts(shapely.polygonize([lines])))
    shapely.prepare(workspace.free)
    return list(found[shapely.covers(workspace.free, shapely.point_on_surface(found))])


def _beside_thin_ones(workspace: Workspace, found: list[shapely.Polygon]) -> set[Side]:
    """Return the longest shared side of each thin face."""
    strips = {number for number, face in enumerate(found) if is_thin(face, workspace.grid)}
    longest: dict[int, Side] = {}
    for side, both in owners(found).items() if strips else ():
        for number in strips.intersection(both if len(both) == 2 else ()):
            longest[number] = max(longest.get(number, side), side, key=length)
    return set(longest.values())

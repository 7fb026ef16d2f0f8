"""Free space in convex cells, of which none is half in the region of a target.

Every decomposition cuts `sim.hunt.geometry.faces` further, so a cell is an observation cell or a
void one, as a whole.  Here: convex polygons, for any workspace [Ferrari & Cai 2009, s. VII-B].
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import shapely

from sim.hunt.geometry.faces import Side, faces, length, lie_along, owners
from sim.hunt.geometry.workspace import Workspace


class Cells(NamedTuple):
    """Convex cells; a cell is its place in the lists."""

    polygons: list[shapely.Polygon]
    targets: list[tuple[int, ...]]
    """The targets that are seen from everywhere in the cell, in order."""
    borders: dict[tuple[int, int], shapely.LineString]
    """By pair of neighbours: a segment of their common border that no wall closes, the longest."""
    lost: float
    """Area of free space in no cell, 0 for an exact decomposition."""


def polygons(workspace: Workspace) -> Cells:
    """Return convex polygons that make up the faces."""
    cells: list[shapely.Polygon] = []
    targets: list[tuple[int, ...]] = []
    for face, seen in zip(*faces(workspace), strict=True):
        parts = convex_parts(face, workspace.grid)
        cells += parts
        targets += [seen] * len(parts)
    return Cells(cells, targets, find_borders(workspace, cells), 0.0)


def convex_parts(face: shapely.Polygon, grid: float) -> list[shapely.Polygon]:
    """Return convex polygons that make up ``face``; convex but for the rounding to ``grid``.

    Sides between triangles are taken away, the longest first, where what remains is convex
    [Hertel & Mehlhorn 1983]; at most four times as many parts are left as there must be.
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


def find_borders(
    workspace: Workspace, cells: Sequence[shapely.Polygon]
) -> dict[tuple[int, int], shapely.LineString]:
    """Return the open border of each pair of convex ``cells`` that share whole sides."""
    sides = [(side, tuple(both)) for side, both in owners(cells).items() if len(both) == 2]
    closed = lie_along(workspace.walls, [side for side, _ in sides], workspace.grid)
    found: dict[tuple[int, int], list[Side]] = defaultdict(list)
    for (side, both), shut in zip(sides, closed, strict=True):
        if not shut:
            found[both].append(side)
    return {both: _longest(pieces) for both, pieces in sorted(found.items())}


def _longest(sides: Sequence[Side]) -> shapely.LineString:
    """Return the longest segment that ``sides`` make up, the first of equal ones."""
    if len(sides) == 1:
        return shapely.LineString(sides[0])
    whole = shapely.line_merge(shapely.MultiLineString(list(sides)))
    return max(shapely.get_parts(whole), key=lambda part: part.length)

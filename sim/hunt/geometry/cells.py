"""Free space in convex cells, of which none is half in the region of a target.

The borders of free space and of all regions from which targets are seen cut it into *faces*; from
all places of a face the same targets are seen.  Every decomposition cuts faces further, so a cell
is an observation cell or a void one, as a whole.  Here: triangles, exact for any workspace.

All lines are put together before faces are made (snap rounding to the workspace's grid), so that
neighbours share their corners to the last bit, and who borders on whom needs no tolerance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

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


class Faces(NamedTuple):
    """Pieces of free space from which the same targets are seen; not convex, with holes or not."""

    polygons: list[shapely.Polygon]
    targets: list[tuple[int, ...]]


def faces(workspace: Workspace, cuts: Iterable[BaseGeometry] = ()) -> Faces:
    """Return the faces of free space, cut by walls and by the lines ``cuts`` as well."""
    lines = [
        workspace.free.boundary,
        *(region.boundary for region in workspace.regions),
        *_prolonged(workspace),
        *cuts,
    ]
    whole = shapely.union_all(lines, grid_size=workspace.grid)
    found = np.array(shapely.get_parts(shapely.polygonize([whole])))
    inside = shapely.point_on_surface(found)
    found = found[shapely.covers(_prepared(workspace.free), inside)]
    return Faces(list(found), targets_at(workspace, shapely.point_on_surface(found)))


def targets_at(workspace: Workspace, points: np.ndarray) -> list[tuple[int, ...]]:
    """Return the targets that are seen from each of ``points``, none of them on a border."""
    seen: list[list[int]] = [[] for _ in points]
    for target, region in enumerate(workspace.regions):
        for place in np.flatnonzero(shapely.covers(_prepared(region), points)):
            seen[place].append(target)
    return [tuple(targets) for targets in seen]


def triangles(workspace: Workspace) -> Cells:
    """Return the constrained Delaunay triangles of all faces."""
    corners, targets = [], []
    divided = faces(workspace)
    for face, seen in zip(*divided, strict=True):
        parts = triangulated(face)
        corners += parts
        targets += [seen] * len(parts)
    return Cells(corners, targets, shared(workspace, corners), 0.0)


def triangulated(face: shapely.Polygon) -> list[shapely.Polygon]:
    """Return the constrained Delaunay triangles of ``face``."""
    return list(shapely.constrained_delaunay_triangles(face).geoms)


def shared(
    workspace: Workspace, cells: Sequence[shapely.Polygon]
) -> dict[tuple[int, int], shapely.LineString]:
    """Return the open border of each pair of convex ``cells`` that share whole sides."""
    owners: dict[tuple, list[int]] = defaultdict(list)
    for number, cell in enumerate(cells):
        ring = [tuple(corner) for corner in shapely.get_coordinates(cell.exterior)]
        for side in pairwise(ring):
            owners[min(side), max(side)].append(number)
    sides = [(side, tuple(both)) for side, both in owners.items() if len(both) == 2]
    closed = along(workspace.walls, [side for side, _ in sides], workspace.grid)
    found: dict[tuple[int, int], list] = defaultdict(list)
    for (side, both), shut in zip(sides, closed, strict=True):
        if not shut:
            found[both].append(side)
    return {both: _longest(pieces) for both, pieces in sorted(found.items())}


def along(lines: BaseGeometry, sides: Sequence, grid: float) -> np.ndarray:
    """Tell of each side, two corners, whether it lies on ``lines``; none may cross them."""
    if not len(sides):
        return np.zeros(0, bool)
    middle = shapely.points(np.asarray(sides, float).mean(axis=1))
    return shapely.dwithin(_prepared(lines), middle, 10 * grid)


def _longest(sides: Sequence) -> shapely.LineString:
    """Return the longest segment that ``sides`` make up, the first of equal ones."""
    if len(sides) == 1:
        return shapely.LineString(sides[0])
    whole = shapely.line_merge(shapely.MultiLineString(list(sides)))
    return max(shapely.get_parts(whole), key=lambda part: part.length)


def _prolonged(workspace: Workspace) -> list[BaseGeometry]:
    """Return the walls, each prolonged at both ends as far as free space goes.

    A wall that ends in the middle of a face would be no cell's border.
    """
    found = []
    left, low, right, high = workspace.free.bounds
    reach = 2 * (right - left + high - low)
    for wall in shapely.get_parts(workspace.walls):
        corners = shapely.get_coordinates(wall)
        for one, other in pairwise(corners):
            ahead = (other - one) / np.hypot(*(other - one)) * reach
            line = shapely.LineString([one - ahead, other + ahead])
            parts = shapely.get_parts(line & workspace.free)
            middle = shapely.Point((one + other) / 2)
            found += [part for part in parts if part.dwithin(middle, 10 * workspace.grid)]
        found.append(wall)
    return found


def _prepared(shape: BaseGeometry) -> BaseGeometry:
    shapely.prepare(shape)
    return shape

"""Cells of any workspace by a quadtree: squares, an approximate decomposition.

A square is divided by four until no border crosses it, or its quarters would be too small.  The
smallest squares that an obstacle's border crosses are lost, and with them gaps about as narrow.  A
smallest square that the border of a target's region crosses is kept, and sees only the targets that
are seen from all of it.
"""

from __future__ import annotations

import numpy as np
import shapely

from sim.hunt.geometry.cells import Cells, find_borders, targets_at
from sim.hunt.geometry.workspace import Workspace

DEEPEST = 12
"""Maximum number of divisions: 4096 smallest squares on a side."""


def quadtree(workspace: Workspace, smallest: float | None = None) -> Cells:
    """Return the squares of a quadtree in free space.

    ValueError if ``smallest`` needs more than 12 divisions.  ``workspace``: any; ``smallest``:
    minimum side of a square, by default a 64th of the longer side of free space.
    """
    left, low, right, high = workspace.free.bounds
    side = max(right - left, high - low)
    smallest = side / 64 if smallest is None else smallest
    least = side / 2**DEEPEST
    if not smallest >= least:
        raise ValueError(
            f"the smallest square of a quadtree has a side of {smallest}: give {least:.3g} or more"
        )
    squares = _squares(workspace, np.array([left, low]), side, smallest)
    cells = _with_corners(squares, workspace.grid)
    lost = workspace.free.area - sum(cell.area for cell in cells)
    inner = _inner(shapely.bounds(cells), workspace.grid)
    return Cells(cells, targets_at(workspace, inner), find_borders(cells), lost)


def _squares(workspace: Workspace, low: np.ndarray, side: float, smallest: float) -> np.ndarray:
    """Return the squares of free space, from ``low`` (2,) on; those on borders of regions last."""
    closed = workspace.free.boundary
    open_ = shapely.union_all([region.boundary & workspace.free for region in workspace.regions])
    for shape in (closed, open_, workspace.free):
        shapely.prepare(shape)
    whole = []
    place = np.zeros((1, 2), int)  # in squares of this size, from the lower left
    while True:
        # Corners on the workspace's grid: they do not move when lines are merged.
        corners = (low + np.stack([place, place + 1]) * side) / workspace.grid
        bounds = np.concatenate(np.round(corners) * workspace.grid, axis=1)
        boxes, inner = shapely.box(*bounds.T), _inner(bounds, workspace.grid)
        mixed = shapely.intersects(closed, inner)
        free = ~mixed & shapely.covers(workspace.free, shapely.centroid(boxes))
        blurred = free & shapely.intersects(open_, inner)
        whole.append(boxes[free & ~blurred])
        divided = place[mixed | blurred]
        side /= 2
        if side < smallest or not len(divided):
            return np.concatenate([*whole, boxes[blurred]])
        quarters = np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
        place = (2 * divided[:, None] + quarters).reshape(-1, 2)


def _inner(bounds: np.ndarray, grid: float) -> np.ndarray:
    """Return squares without their rims: a border along a side does not cross a square."""
    return shapely.box(*(bounds + 2 * grid * np.array([1, 1, -1, -1])).T)


def _with_corners(squares: np.ndarray, grid: float) -> list[shapely.Polygon]:
    """Return ``squares`` with the corners of their smaller neighbours on their sides."""
    lines = shapely.union_all(shapely.boundary(squares), grid_size=grid)
    found = np.array(shapely.get_parts(shapely.polygonize([lines])))
    # Between squares there may also be faces, around lost area.
    inside, _ = shapely.STRtree(squares).query(shapely.point_on_surface(found), "within")
    return list(found[np.unique(inside)])

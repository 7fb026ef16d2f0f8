"""Cells of a rectilinear workspace: maximal rectangles, exactly.

All corners' coordinates make a grid.  In it, maximal runs by row are merged with the runs below
that begin and end alike, by column likewise; the common refinement of both is the third choice,
the grid itself the fourth.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import shapely
from scipy.ndimage import find_objects
from shapely.geometry.base import BaseGeometry

from sim.hunt.geometry.cells import Cells
from sim.hunt.geometry.faces import lie_along, targets_at
from sim.hunt.geometry.workspace import Workspace

CHOICES = ("row", "column", "refinement", "grid")

MOST_STEPS = 4096
"""Lines of a step at most, each way."""


class _Grid(NamedTuple):
    """A grid of lines; square (i, j) lies between lines i, i + 1 of ``x`` and j, j + 1 of ``y``."""

    x: np.ndarray
    y: np.ndarray
    label: np.ndarray
    """int (i, j): which targets are seen from a square, -1 where it is not free."""
    seen: list[tuple[int, ...]]
    """Targets by label."""
    wall: tuple[np.ndarray, np.ndarray]
    """bool (i, j) each: whether a wall closes the left side of a square, and the side below."""
    cut: tuple[np.ndarray, np.ndarray]
    """The same of sides at which a cell must end."""


def rectangles(
    workspace: Workspace,
    by: str = "row",
    step: float | None = None,
    cuts: BaseGeometry | None = None,
) -> Cells:
    """Return rectangles that make up free space.

    ValueError if the workspace is not rectilinear, ``by`` is unknown, or ``step`` is too small.

    Parameters
    ----------
    workspace : with free space and regions of targets that have upright and level borders only;
        so robot and sensor are points or boxes
    by : a value of `CHOICES`
    step : the grid also has lines at all multiples of it from the lower left of the bounds; they
        matter for "grid" alone
    cuts : lines at which cells end, though the robot may cross them
    """
    if by not in CHOICES:
        raise ValueError(f"unknown rectangles by={by!r}: choose one of {', '.join(CHOICES)}")
    grid = _grid(workspace, step, shapely.LineString() if cuts is None else cuts)
    left, below = (wall | cut for wall, cut in zip(grid.wall, grid.cut, strict=True))
    row = _runs(grid.label, left, below)
    column = _runs(grid.label.T, below.T, left.T).T
    squares = np.arange(grid.label.size).reshape(grid.label.shape)
    number = {
        "row": row,
        "column": column,
        "refinement": row * grid.label.size + column,
        "grid": squares,
    }[by]
    return _cells(grid, _number(np.where(grid.label < 0, -1, number)))


def _grid(workspace: Workspace, step: float | None, cuts: BaseGeometry) -> _Grid:
    """Return the grid of all corners in free space, labelled."""
    borders = [region.boundary & workspace.free for region in workspace.regions]
    borders += [workspace.free.boundary, workspace.walls, cuts & workspace.free]
    lines = shapely.union_all(borders, grid_size=workspace.grid)
    sides = [shapely.get_coordinates(part) for part in shapely.get_parts(lines)]
    if any((np.diff(part, axis=0) != 0).all(axis=1).any() for part in sides):
        raise ValueError(
            "rectangles need a rectilinear workspace (robot and sensor are boxes or points): use "
            "cells=polygons"
        )
    corners = np.concatenate(sides)
    x, y = (np.unique(corners[:, axis]) for axis in (0, 1))
    if step is not None:
        x, y = _with_steps(workspace, step, 0, x), _with_steps(workspace, step, 1, y)
    middles = np.meshgrid((x[:-1] + x[1:]) / 2, (y[:-1] + y[1:]) / 2, indexing="ij")
    points = shapely.points(*middles)
    seen = targets_at(workspace, points.ravel())
    kinds = sorted(set(seen))
    label = np.array([kinds.index(targets) for targets in seen]).reshape(points.shape)
    label[~shapely.covers(workspace.free, points)] = -1
    wall, cut = (_sides(shape, x, y, workspace.grid) for shape in (workspace.walls, cuts))
    return _Grid(x, y, label, kinds, wall, cut)


def _with_steps(workspace: Workspace, step: float, axis: int, lines: np.ndarray) -> np.ndarray:
    """Return ``lines`` and the multiples of ``step`` between the first and the last of them."""
    low, high = workspace.bounds.bounds[axis::2]
    if not step > (high - low) / MOST_STEPS:
        raise ValueError(
            f"the step of a grid is {step}: give more than {(high - low) / MOST_STEPS}"
        )
    steps = low + step * np.arange(1, MOST_STEPS)
    steps = shapely.points(steps[(steps > lines[0]) & (steps < lines[-1])], 0.0)
    rounded = shapely.get_coordinates(shapely.set_precision(steps, workspace.grid))[:, 0]
    return np.unique(np.concatenate([lines, rounded]))


def _sides(
    shape: BaseGeometry, x: np.ndarray, y: np.ndarray, grid: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return whether the left sides of a grid's squares lie on ``shape``, and the sides below."""
    across, up = (x[:-1] + x[1:]) / 2, (y[:-1] + y[1:]) / 2
    left, below = (
        lie_along(shape, np.stack(np.meshgrid(*place, indexing="ij"), -1).reshape(-1, 1, 2), grid)
        for place in ((x[:-1], up), (across, y[:-1]))
    )
    return left.reshape(len(across), -1), below.reshape(len(across), -1)


def _runs(label: np.ndarray, left: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Return numbers of rectangles, int (i, j): maximal runs along i, merged along j if alike.

    ``left`` and ``below`` are the sides at which they end, bool (i, j).
    """
    number = np.full(label.shape, -1)
    before: dict[tuple, int] = {}
    count = 0
    for j in range(label.shape[1]):
        here = {}
        for first, last in _row_runs(label[:, j], left[:, j]):
            run = (first, last, label[first, j])
            if run not in before or below[first:last, j].any():
                before[run] = count
                count += 1
            here[run] = before[run]
            number[first:last, j] = here[run]
        before = here
    return number


def _row_runs(label: np.ndarray, left: np.ndarray) -> list[tuple[int, int]]:
    """Return the maximal runs [first, last) of one label, free, that end at no side ``left``."""
    cut = (label[1:] != label[:-1]) | left[1:]
    ends = [0, *(np.flatnonzero(cut) + 1), len(label)]
    return [(a, b) for a, b in pairwise(ends) if label[a] >= 0]


def _number(number: np.ndarray) -> np.ndarray:
    """Return rectangles numbered from 0 on, from below and the left; -1 stays."""
    order: dict[int, int] = {}
    for old in number.T.ravel():
        if old >= 0:
            order.setdefault(old, len(order))
    return np.array([order.get(old, -1) for old in number.ravel()]).reshape(number.shape)


def _cells(grid: _Grid, number: np.ndarray) -> Cells:
    """Return the rectangles that ``number`` names, int (i, j)."""
    polygons, targets = [], []
    for i, j in find_objects(number + 1):
        polygons.append(
            shapely.box(grid.x[i.start], grid.y[j.start], grid.x[i.stop], grid.y[j.stop])
        )
        targets.append(grid.seen[grid.label[i.start, j.start]])
    upright = _borders(number, grid.wall[0])
    level = _borders(number.T, grid.wall[1].T)
    borders = {}
    for both, (i, first, last) in upright.items():
        borders[both] = shapely.LineString([(grid.x[i], grid.y[first]), (grid.x[i], grid.y[last])])
    for both, (j, first, last) in level.items():
        borders[both] = shapely.LineString([(grid.x[first], grid.y[j]), (grid.x[last], grid.y[j])])
    return Cells(polygons, targets, dict(sorted(borders.items())), 0.0)


def _borders(number: np.ndarray, wall: np.ndarray) -> dict[tuple[int, int], tuple]:
    """Return by pair of neighbours along i the line between them, and from where to where it is.

    Of a border that walls divide it is the longest part, the first of equal ones.
    """
    parts: dict[tuple[int, int], list] = defaultdict(list)
    for i in range(1, len(number)):
        one, other = number[i - 1], number[i]
        passable = (one >= 0) & (other >= 0) & (one != other) & ~wall[i]
        for j in np.flatnonzero(passable):
            both = (min(one[j], other[j]), max(one[j], other[j]))
            known = parts[int(both[0]), int(both[1])]
            if known and known[-1][0] == i and known[-1][2] == j:
                known[-1][2] = int(j) + 1
            else:
                known.append([i, int(j), int(j) + 1])
    return {both: max(found, key=lambda part: part[2] - part[1]) for both, found in parts.items()}

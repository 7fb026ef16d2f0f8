"""Checks of the geometries that a workspace is made of; each error is one sentence.

Everything is flat: a third coordinate is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

AREAS = ("Polygon", "MultiPolygon")
LINES = ("LineString", "MultiLineString", "LinearRing")
POINTS = ("Point", "MultiPoint")


def check_shape(shape: object, name: str, kinds: Sequence[str]) -> BaseGeometry:
    """Return the geometry ``shape`` without a third coordinate.

    ValueError if it is of none of ``kinds``, is empty, has a coordinate that is no finite number,
    crosses itself, or has no area (no length) where its kind should have one.
    """
    if not isinstance(shape, BaseGeometry) or shape.geom_type not in kinds:
        what = shape.geom_type if isinstance(shape, BaseGeometry) else type(shape).__name__
        raise ValueError(f"{name} is a {what}: give a shapely {' or '.join(kinds)}")
    if shape.is_empty:
        raise ValueError(f"{name} is empty: give it corners, or leave it out")
    shape = shapely.force_2d(shape)
    if not np.isfinite(shapely.get_coordinates(shape)).all():
        raise ValueError(f"{name} has a coordinate that is not a finite number")
    if shape.geom_type in AREAS and not _area(shape):
        raise ValueError(
            f"{name} has no area: a wall without thickness is a LineString, a small target a Point"
        )
    if shape.geom_type in LINES and not shape.length:
        raise ValueError(f"{name} has no length: give it two different ends, or leave it out")
    if shape.geom_type in AREAS and not shape.is_valid:
        where = shapely.is_valid_reason(shape)
        raise ValueError(f"{name} is not a simple polygon ({where}): draw its border uncrossed")
    return shape


def _area(shape: BaseGeometry) -> float:
    """Return the area, 0 also for a ring whose corners are on one line whatever its rounding."""
    hull = shapely.convex_hull(shape)
    return 0.0 if hull.area <= 1e-12 * hull.length**2 else max(hull.area, shape.area)


def check_moving_shape(shape: object, name: str) -> float | shapely.Polygon:
    """Return a shape about its reference point, the origin: a disc's radius or a convex polygon.

    ValueError if it is neither, or a polygon that does not hold the origin.
    """
    if isinstance(shape, int | float | np.integer | np.floating) and not isinstance(shape, bool):
        if not (math.isfinite(shape) and shape >= 0):
            raise ValueError(f"the radius of {name} is {shape}: give a finite number, 0 or more")
        return float(shape)
    polygon = check_shape(shape, name, ("Polygon",))
    hull = polygon.convex_hull
    if polygon.interiors or hull.area - polygon.area > 1e-9 * hull.area:
        raise ValueError(f"{name} is not convex: give its convex hull, or a radius for a disc")
    if not polygon.intersects(shapely.Point(0, 0)):
        raise ValueError(f"{name} does not hold (0, 0), its reference point: move it there")
    return polygon


def measure_extent(bounds: shapely.Polygon) -> float:
    """Return the longer side of the box round ``bounds``.

    ValueError if numbers of 64 bits cannot measure it well.
    """
    corners = shapely.get_coordinates(bounds)
    extent = float(np.ptp(corners, axis=0).max())
    if not 1e-6 <= extent <= 1e9 or np.abs(corners).max() > 1e3 * extent:
        raise ValueError(
            f"the bounds are {extent:.3g} long and reach to {np.abs(corners).max():.3g}: choose a "
            "unit of length by which they are 1e-6 to 1e9 long, and an origin near them"
        )
    return extent

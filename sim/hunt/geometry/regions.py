"""Free configurations of the robot, and those from which its sensor sees a target.

The robot moves without turning, so its place is that of its reference point, (x, y).  The
*C-obstacle* of an obstacle is the set of places where the robot would touch it, the Minkowski sum
of obstacle and reflected robot; the *C-target* of a target is the same with the sensor's field of
view instead of the robot [Cai & Ferrari 2009, which Ferrari & Cai 2009 cite for this step].

A disc is approximated by a polygon of 32 sides, always on the safe side: a robot by an outer one
(at most 0.5 % of its radius is lost), a sensor by an inner one.  Polygons are summed exactly, by
convex pieces.
"""

from __future__ import annotations

import math

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

QUARTER = 8
"""Polygon sides per quarter of a disc."""

OUTSIDE = 1 / math.cos(math.pi / (4 * QUARTER))
"""Factor on a radius such that the polygon contains the disc."""

THIN = 20
"""Tolerance in grid units: closer corners coincide, narrower areas vanish."""


def is_thin(shape: BaseGeometry, grid: float) -> bool:
    """Return whether ``shape`` is a rounding error: its area is that of a strip that narrow."""
    return shape.area <= THIN * grid * shape.length / 2


def convex_pieces(shape: BaseGeometry) -> list[BaseGeometry]:
    """Return triangles, segments and points that partition ``shape``."""
    if shape.geom_type == "Polygon":
        if not shape.interiors and shape.convex_hull.area - shape.area <= 1e-15 * shape.area:
            return [shape]
        return list(shapely.constrained_delaunay_triangles(shape).geoms)
    if shape.geom_type in ("LineString", "LinearRing"):
        corners = shapely.get_coordinates(shape)
        return list(shapely.linestrings(np.stack([corners[:-1], corners[1:]], axis=1)))
    if shape.geom_type == "Point":
        return [shape]
    return [piece for part in shapely.get_parts(shape) for piece in convex_pieces(part)]


def grow(shape: BaseGeometry, by: float | shapely.Polygon, safely: bool) -> BaseGeometry:
    """Return the places from which a moving shape touches a fixed one.

    Parameters
    ----------
    shape : the fixed one: polygons, lines or points
    by : the moving one about its reference point: radius of a disc, or a convex polygon
    safely : whether a disc's polygon contains the disc (a robot's), rather than lies within it (a
        sensor's)
    """
    if isinstance(by, float):
        if by == 0 or shape.is_empty:
            return shape
        return shape.buffer(by * OUTSIDE if safely else by, quad_segs=QUARTER)
    moved = -shapely.get_coordinates(by)
    sums = []
    for piece in convex_pieces(shape):
        fixed = shapely.get_coordinates(piece)
        corners = (fixed[:, None] + moved[None]).reshape(-1, 2)
        sums.append(shapely.convex_hull(shapely.MultiPoint(corners)))
    return shapely.union_all(sums)


def shrink(bounds: shapely.Polygon, robot: float | shapely.Polygon) -> BaseGeometry:
    """Return the places from which the robot is within ``bounds``."""
    if isinstance(robot, float):
        return grow(bounds, -robot, True) if robot else bounds
    left, low, right, high = robot.bounds
    x0, y0, x1, y1 = bounds.bounds
    frame = shapely.box(x0 - right + left, y0 - high + low, x1 - left + right, y1 - low + high)
    return bounds - grow(frame - bounds, robot, True)


def in_sight(mark: shapely.Point, open_space: BaseGeometry, walls: BaseGeometry) -> BaseGeometry:
    """Return the part of ``open_space`` visible from ``mark``, with no border or wall in between.

    Each segment of a border shades the area behind it.  A line of sight may touch a corner, or end
    at a wall.
    """
    if not open_space.intersects(mark):
        return shapely.Polygon()
    at = shapely.get_coordinates(mark)[0]
    left, low, right, high = open_space.bounds
    far = 4 * math.hypot(right - left, high - low)
    shades = []
    for segment in convex_pieces(open_space.boundary) + convex_pieces(walls):
        one, other = shapely.get_coordinates(segment) - at
        across = one[0] * other[1] - one[1] * other[0]
        if abs(across) <= 1e-12 * far * segment.length:
            continue  # seen edge on
        rays = [ray / np.hypot(*ray) for ray in (one, other)]
        middle = rays[0] + rays[1]
        rays = [rays[0], middle / np.hypot(*middle), rays[1]]
        shades.append(shapely.Polygon([at + one, *(at + far * ray for ray in rays), at + other]))
    return open_space - shapely.union_all(shades)


def seen_from(
    target: BaseGeometry,
    sensor: float | shapely.Polygon,
    sight: tuple[BaseGeometry, BaseGeometry] | None,
) -> BaseGeometry:
    """Return the places from which a target is seen.

    Parameters
    ----------
    target : polygons or points
    sensor : field of view about the reference point: radius of a disc, or a convex polygon
    sight : open space and walls if the line of sight must be free, else None: the sensor sees
        through everything.  A target is visible if one of its corners, or a point in the middle,
        is.
    """
    near = grow(target, sensor, False)
    if sight is None:
        return near
    corners = shapely.points(np.unique(shapely.get_coordinates(target), axis=0))
    marks = [*corners, *(part.representative_point() for part in shapely.get_parts(target))]
    # No line of sight leaves the bounding box of both its ends' regions.
    window = (near | target).envelope
    open_space, walls = polygons(sight[0] & window), sight[1] & window
    return near & shapely.union_all([in_sight(mark, open_space, walls) for mark in marks])


def polygons(shape: BaseGeometry) -> BaseGeometry:
    """Return the polygons of ``shape`` without points and lines, as one geometry."""
    return shapely.union_all([part for part in shapely.get_parts(shape) if part.area])

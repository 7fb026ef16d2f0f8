"""A workspace: the space in which a robot with a sensor moves, and its targets.

Bounds, obstacles, targets, the shapes of robot and sensor, and the derived free configuration space
and visibility region of each target.  All is checked on construction.

Accepted input:

* Obstacles may overlap each other and the bounds (they are united and clipped), have holes (free
  space, if the robot can get there), or be lines: walls without thickness.
* Targets do not stop the robot.  They may overlap each other, and obstacles in part.
* Free space in several pieces needs ``start``, which chooses one, or passages that join them.
* A gap of zero width cannot be passed.

Derived coordinates are rounded to 1e-12 of the workspace's size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import networkx as nx
import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from sim.hunt.geometry.regions import grow, is_thin, polygons, seen_from, shrink

AREAS = ("Polygon", "MultiPolygon")
LINES = ("LineString", "MultiLineString", "LinearRing")
POINTS = ("Point", "MultiPoint")


class Passage(NamedTuple):
    """A connection outside free space between two places, (x, y); its length is arbitrary."""

    start: tuple[float, float]
    end: tuple[float, float]
    length: float


@dataclass(frozen=True)
class Workspace:
    """The place of a hunt; see the module.

    ValueError, with the reason in one sentence, if it is invalid.

    Parameters
    ----------
    bounds : polygon in which the robot stays, with holes or without
    obstacles : polygons that it must not touch, or lines
    targets : polygons or points, numbered from 0 on
    robot : radius of a disc, or a convex polygon about (0, 0), the reference point.  It moves
        without turning.
    sensor : range, or field of view as a convex polygon about the reference point.  Range 0
        requires the reference point to be on the target.
    line_of_sight : whether obstacles hide targets: whether a straight line from the reference
        point to a corner, or to a point in the middle, of the target must be free.  If not, the
        sensor sees through them.
    start : (x, y) in free space; unreachable parts are left out
    passages : connections outside free space

    Attributes
    ----------
    grid : unit of derived coordinates
    free : free configuration space, a Polygon or MultiPolygon
    walls : lines within it that cannot be crossed; only if the robot is a point
    regions : for each target the places from which it is seen, not cut to free space
    """

    bounds: shapely.Polygon
    obstacles: Sequence[BaseGeometry] = ()
    targets: Sequence[BaseGeometry] = ()
    robot: float | shapely.Polygon = 0.0
    sensor: float | shapely.Polygon = 0.0
    line_of_sight: bool = False
    start: tuple[float, float] | None = None
    passages: Sequence[Passage] = ()
    grid: float = field(init=False)
    free: BaseGeometry = field(init=False)
    walls: BaseGeometry = field(init=False)
    regions: tuple[BaseGeometry, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Check the input, and derive the rest."""
        self._set("bounds", _check_shape(self.bounds, "bounds", ("Polygon",)))
        self._set("grid", 1e-12 * 10 ** math.floor(math.log10(_measure_extent(self.bounds))))
        self._set("obstacles", _all(self.obstacles, "obstacle", (*AREAS, *LINES)))
        self._set("targets", _all(self.targets, "target", (*AREAS, *POINTS)))
        self._set("robot", _check_moving_shape(self.robot, "the robot"))
        self._set("sensor", _check_moving_shape(self.sensor, "the sensor"))
        self._set("passages", tuple(Passage(*passage) for passage in self.passages))
        if not self.targets:
            raise ValueError("there is no target: a hunt needs at least one")
        solid = shapely.union_all([shape for shape in self.obstacles if shape.geom_type in AREAS])
        lines = shapely.union_all([shape for shape in self.obstacles if shape.geom_type in LINES])
        self._check_targets(solid)
        self._derive_free(solid, lines)
        sight = (self.bounds - solid, lines) if self.line_of_sight else None
        seen = (seen_from(target, self.sensor, sight) for target in self.targets)
        self._set("regions", tuple(self._round(polygons(region)) for region in seen))
        self._check_regions()

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _round(self, shape: BaseGeometry) -> BaseGeometry:
        return shapely.set_precision(shape, self.grid)

    def _check_targets(self, solid: BaseGeometry) -> None:
        """Raise ValueError for targets entirely out of bounds or inside obstacles."""
        for number, target in enumerate(self.targets):
            if not target.intersects(self.bounds):
                raise ValueError(f"target {number} lies outside the bounds: move it in")
            if solid.covers(target):
                raise ValueError(f"target {number} lies inside an obstacle: move one of them")

    def _derive_free(self, solid: BaseGeometry, lines: BaseGeometry) -> None:
        """Set ``free`` and ``walls``."""
        blocked = [grow(shape, self.robot, True) for shape in (solid, lines)]
        room = polygons(self._round(shrink(self.bounds, self.robot)))
        free = polygons(shapely.difference(room, polygons(shapely.union_all(blocked))))
        free = polygons(self._round(free))
        if not free.area:
            raise ValueError("the robot fits nowhere between the obstacles: make it smaller")
        walls = shapely.union_all([] if blocked[1].area else [blocked[1]])
        self._set("walls", shapely.intersection(self._round(walls), free, grid_size=self.grid))
        self._set("free", polygons(shapely.union_all(self._reachable(free))))

    def _reachable(self, free: BaseGeometry) -> list[shapely.Polygon]:
        """Return the connected pieces of ``free``, including passages."""
        lines = shapely.union_all([free.boundary, self.walls], grid_size=self.grid)
        pieces = [
            piece
            for piece in shapely.polygonize([lines]).geoms
            if free.intersects(piece.representative_point()) and not is_thin(piece, self.grid)
        ]
        joined = nx.empty_graph(len(pieces))
        for number, (start, end, length) in enumerate(self.passages):
            if not (math.isfinite(length) and length >= 0):
                raise ValueError(f"passage {number} has length {length}: give 0 or more")
            ends = [_holding(pieces, place) for place in (start, end)]
            if None in ends:
                raise ValueError(f"passage {number} has an end where the robot does not fit")
            joined.add_edge(*ends)
        groups = list(nx.connected_components(joined))
        if self.start is not None:
            first = _holding(pieces, self.start)
            if first is None:
                raise ValueError(f"the robot does not fit at its start {self.start}")
            groups = [group for group in groups if first in group]
        if len(groups) > 1:
            raise ValueError(
                f"the free space has {len(groups)} pieces: choose one by a start, or join them by "
                "passages"
            )
        return [pieces[number] for number in sorted(groups[0])]

    def _check_regions(self) -> None:
        """Raise ValueError for targets that cannot be seen."""
        for number, region in enumerate(self.regions):
            if is_thin(self.free & region, self.grid):
                raise ValueError(
                    f"target {number} is visible from no reachable place: move it, or give the "
                    "sensor a longer range"
                )


def _all(shapes: Sequence[BaseGeometry], name: str, kinds: Sequence[str]) -> tuple:
    """Return ``shapes``, each checked."""
    if isinstance(shapes, BaseGeometry):
        raise ValueError(f"{name}s are one {shapes.geom_type}: give a list of shapes")
    return tuple(_check_shape(shape, f"{name} {i}", kinds) for i, shape in enumerate(shapes))


def _holding(pieces: Sequence[shapely.Polygon], place: tuple[float, float]) -> int | None:
    """Return the index of the first piece that contains ``place``, or None."""
    point = shapely.Point(place)
    return next((i for i, piece in enumerate(pieces) if piece.intersects(point)), None)


def _check_shape(shape: object, name: str, kinds: Sequence[str]) -> BaseGeometry:
    """Return ``shape`` without a third coordinate; ValueError if its kind or form is invalid."""
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
    """Return the area, 0 also for a ring with collinear corners, regardless of rounding."""
    hull = shapely.convex_hull(shape)
    return 0.0 if hull.area <= 1e-12 * hull.length**2 else max(hull.area, shape.area)


def _check_moving_shape(shape: object, name: str) -> float | shapely.Polygon:
    """Return a disc's radius or a convex polygon about the origin; ValueError for other shapes."""
    if isinstance(shape, int | float | np.integer | np.floating) and not isinstance(shape, bool):
        if not (math.isfinite(shape) and shape >= 0):
            raise ValueError(f"the radius of {name} is {shape}: give a finite number, 0 or more")
        return float(shape)
    polygon = _check_shape(shape, name, ("Polygon",))
    hull = polygon.convex_hull
    if polygon.interiors or hull.area - polygon.area > 1e-9 * hull.area:
        raise ValueError(f"{name} is not convex: give its convex hull, or a radius for a disc")
    if not polygon.intersects(shapely.Point(0, 0)):
        raise ValueError(f"{name} does not contain (0, 0), its reference point: move it there")
    return polygon


def _measure_extent(bounds: shapely.Polygon) -> float:
    """Return the longer side of the box of ``bounds``; ValueError if floats cannot measure it."""
    corners = shapely.get_coordinates(bounds)
    extent = float(np.ptp(corners, axis=0).max())
    if not 1e-6 <= extent <= 1e9 or np.abs(corners).max() > 1e3 * extent:
        raise ValueError(
            f"the bounds are {extent:.3g} long and reach to {np.abs(corners).max():.3g}: choose a "
            "unit of length in which they are 1e-6 to 1e9 long, and an origin near them"
        )
    return extent

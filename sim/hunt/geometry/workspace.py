"""A workspace: the space in which a robot with a sensor moves, and its targets.

Bounds, obstacles, targets, the radii of robot and sensor, and what follows: the free configuration
space and the places from which each target is seen.  All is checked on construction.

The place of the robot is that of its reference point, (x, y).  A *C-obstacle* is the set of places
where the robot would touch an obstacle, a *C-target* the set from which its sensor sees a target
[Cai & Ferrari 2009, which Ferrari & Cai 2009 cite for this step].  A disc is approximated by a
polygon of 32 sides, always on the safe side: a robot by an outer one (at most 0.5 % of its radius
is lost), a sensor by an inner one.

Accepted input:

* Obstacles may overlap each other and the bounds (they are united and clipped), or have holes (free
  space, if the robot can get there).
* Targets do not stop the robot.  They may overlap each other, and obstacles in part.
* Free space in several pieces needs ``start``, which chooses one.
* A gap of zero width cannot be passed.

Derived coordinates are rounded to 1e-12 of the workspace's size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

AREAS = ("Polygon", "MultiPolygon")
POINTS = ("Point", "MultiPoint")

QUARTER = 8
"""Polygon sides per quarter of a disc."""

OUTSIDE = 1 / math.cos(math.pi / (4 * QUARTER))
"""Factor on a radius such that the polygon contains the disc."""

TRIES = 1000
"""Maximum number of attempts to place a random shape."""

THIN = 20
"""Tolerance in grid units: closer corners coincide, narrower areas vanish."""


def is_thin(shape: BaseGeometry, grid: float) -> bool:
    """Return whether ``shape`` is a rounding error: its area is that of a strip that narrow."""
    return shape.area <= THIN * grid * shape.length / 2


def grow(shape: BaseGeometry, robot: float) -> BaseGeometry:
    """Return the places from which a robot of this radius touches ``shape``; shrink if negative."""
    return shape.buffer(robot * OUTSIDE, quad_segs=QUARTER) if robot else shape


def polygons(shape: BaseGeometry) -> BaseGeometry:
    """Return the polygons of ``shape`` without points and lines, as one geometry."""
    return shapely.union_all([part for part in shapely.get_parts(shape) if part.area])


def _in_sight(mark: shapely.Point, open_space: BaseGeometry) -> BaseGeometry:
    """Return the part of ``open_space`` visible from ``mark``, with no border in between.

    Each segment of a border shades the area behind it.  A line of sight may touch a corner.
    """
    if not open_space.intersects(mark):
        return shapely.Polygon()
    at = shapely.get_coordinates(mark)[0]
    left, low, right, high = open_space.bounds
    far = 4 * math.hypot(right - left, high - low)
    shades = []
    for line in filter(shapely.length, shapely.get_parts(open_space.boundary)):
        for one, other in pairwise(shapely.get_coordinates(line) - at):
            across = one[0] * other[1] - one[1] * other[0]
            if abs(across) <= 1e-12 * far * math.dist(one, other):
                continue  # seen edge on
            rays = [ray / np.hypot(*ray) for ray in (one, other)]
            middle = rays[0] + rays[1]
            rays = [rays[0], middle / np.hypot(*middle), rays[1]]
            behind = (at + far * ray for ray in rays)
            shades.append(shapely.Polygon([at + one, *behind, at + other]))
    return open_space - shapely.union_all(shades)


def _seen_from(target: BaseGeometry, sensor: float, sight: BaseGeometry | None) -> BaseGeometry:
    """Return the places from which ``target`` is within the range ``sensor``.

    ``sight``: open space if the line of sight must be free, else None: the sensor sees through
    everything.  A target is visible if one of its corners, or a point in the middle, is.
    """
    near = target.buffer(sensor, quad_segs=QUARTER) if sensor else target
    if sight is None:
        return near
    corners = shapely.points(np.unique(shapely.get_coordinates(target), axis=0))
    marks = [*corners, *(part.representative_point() for part in shapely.get_parts(target))]
    # No line of sight leaves the bounding box of both its ends' regions.
    window = (near | target).envelope
    open_space = polygons(sight & window)
    return near & shapely.union_all([_in_sight(mark, open_space) for mark in marks])


@dataclass(frozen=True)
class Workspace:
    """The place of a hunt; see the module.

    ValueError, with the reason in one sentence, if it is invalid.

    Parameters
    ----------
    bounds : polygon in which the robot stays, with holes or without
    obstacles : polygons that it must not touch
    targets : polygons or points, numbered from 0 on
    robot : radius of a disc
    sensor : range; 0 requires the reference point to be on the target
    line_of_sight : whether obstacles hide targets: whether a straight line from the reference
        point to a corner, or to a point in the middle, of the target must be free.  If not, the
        sensor sees through them.
    start : (x, y) in free space; unreachable parts are left out

    Attributes
    ----------
    grid : unit of derived coordinates
    free : free configuration space
    regions : for each target the places from which it is seen, not cut to free space
    """

    bounds: shapely.Polygon
    obstacles: Sequence[BaseGeometry] = ()
    targets: Sequence[BaseGeometry] = ()
    robot: float = 0.0
    sensor: float = 0.0
    line_of_sight: bool = False
    start: tuple[float, float] | None = None
    grid: float = field(init=False)
    free: BaseGeometry = field(init=False)
    regions: tuple[BaseGeometry, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Check the input, and derive the rest."""
        self._set("bounds", _check_shape(self.bounds, "bounds", ("Polygon",)))
        self._set("grid", 1e-12 * 10 ** math.floor(math.log10(_measure_extent(self.bounds))))
        self._set("obstacles", _all(self.obstacles, "obstacle", AREAS))
        self._set("targets", _all(self.targets, "target", (*AREAS, *POINTS)))
        for name in ("robot", "sensor"):
            radius = float(getattr(self, name))
            if not (math.isfinite(radius) and radius >= 0):
                raise ValueError(
                    f"the radius of the {name} is {radius}: give a finite number, 0 or more"
                )
            self._set(name, radius)
        if not self.targets:
            raise ValueError("there is no target: a hunt needs at least one")
        solid = shapely.union_all(self.obstacles)
        for number, target in enumerate(self.targets):
            if not target.intersects(self.bounds):
                raise ValueError(f"target {number} lies outside the bounds: move it in")
            if solid.covers(target):
                raise ValueError(f"target {number} lies inside an obstacle: move one of them")
        self._set("free", self._reachable(solid))
        sight = self.bounds - solid if self.line_of_sight else None
        seen = (_seen_from(target, self.sensor, sight) for target in self.targets)
        self._set("regions", tuple(self._round(polygons(region)) for region in seen))
        for number, region in enumerate(self.regions):
            if is_thin(self.free & region, self.grid):
                raise ValueError(
                    f"target {number} is visible from no reachable place: move it, or give the "
                    "sensor a longer range"
                )

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _round(self, shape: BaseGeometry) -> BaseGeometry:
        return shapely.set_precision(shape, self.grid)

    def _reachable(self, solid: BaseGeometry) -> BaseGeometry:
        """Return the piece of free space that holds the start, or the only one."""
        room = polygons(self._round(grow(self.bounds, -self.robot)))
        free = polygons(shapely.difference(room, polygons(grow(solid, self.robot))))
        free = polygons(self._round(free))
        if not free.area:
            raise ValueError("the robot fits nowhere between the obstacles: make it smaller")
        border = shapely.union_all([free.boundary], grid_size=self.grid)
        pieces = [
            piece
            for piece in shapely.polygonize([border]).geoms
            if free.intersects(piece.representative_point()) and not is_thin(piece, self.grid)
        ]
        if self.start is not None:
            start = shapely.Point(self.start)
            pieces = [piece for piece in pieces if piece.intersects(start)][:1]
            if not pieces:
                raise ValueError(f"the robot does not fit at its start {self.start}")
        if len(pieces) > 1:
            raise ValueError(f"the free space has {len(pieces)} pieces: choose one by a start")
        return polygons(pieces[0])


def _all(shapes: Sequence[BaseGeometry], name: str, kinds: Sequence[str]) -> tuple:
    """Return ``shapes``, each checked."""
    if isinstance(shapes, BaseGeometry):
        raise ValueError(f"{name}s are one {shapes.geom_type}: give a list of shapes")
    return tuple(_check_shape(shape, f"{name} {i}", kinds) for i, shape in enumerate(shapes))


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
        raise ValueError(f"{name} has no area: widen it, or make a target a Point")
    if shape.geom_type in AREAS and not shape.is_valid:
        where = shapely.is_valid_reason(shape)
        raise ValueError(f"{name} is not a simple polygon ({where}): draw its border uncrossed")
    return shape


def _area(shape: BaseGeometry) -> float:
    """Return the area, 0 also for a ring with collinear corners, regardless of rounding."""
    hull = shapely.convex_hull(shape)
    return 0.0 if hull.area <= 1e-12 * hull.length**2 else max(hull.area, shape.area)


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


def random_workspace(
    seed: int,
    obstacles: int = 14,
    targets: int = 12,
    *,
    side: float = 20.0,
    robot: float = 0.3,
    sensor: float = 1.0,
    line_of_sight: bool = False,
) -> Workspace:
    """Return a random workspace in which the robot can get from any free place to any other.

    ValueError if the obstacles or targets do not fit.

    Parameters
    ----------
    seed : of everything drawn
    obstacles, targets : their numbers.  Obstacles may overlap; targets are points
    side : of the bounding square; obstacles are about a tenth of it wide
    robot, sensor, line_of_sight : as in `Workspace`
    """
    rng = np.random.default_rng(seed)
    bounds = shapely.box(0, 0, side, side)
    free = grow(bounds, -robot)
    placed: list[BaseGeometry] = []
    for _ in range(obstacles):
        for _ in range(TRIES):
            shape = _convex(rng, side)
            rest = free - grow(shape, robot)
            if rest.geom_type == "Polygon" and not rest.is_empty:
                break
        else:
            raise ValueError(f"there is no room for {obstacles} obstacles: ask for fewer")
        placed.append(shape)
        free = rest
    hunted: list[BaseGeometry] = []
    while len(hunted) < targets:
        for _ in range(TRIES):
            shape = shapely.Point(rng.uniform(0, side, 2))
            if free.contains(shape):
                break
        else:
            raise ValueError(f"there is no room for {targets} targets: ask for fewer obstacles")
        hunted.append(shape)
    return Workspace(
        bounds, placed, hunted, robot=robot, sensor=sensor, line_of_sight=line_of_sight
    )


def _convex(rng: np.random.Generator, side: float) -> shapely.Polygon:
    """Return the hull of six random points near each other."""
    middle, width = rng.uniform(0, side, 2), rng.uniform(0.05, 0.2) * side
    return shapely.MultiPoint(middle + rng.uniform(-0.5, 0.5, (6, 2)) * width).convex_hull

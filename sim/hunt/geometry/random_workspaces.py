"""Random workspaces by seed: obstacles and targets scattered over a square."""

from __future__ import annotations

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from sim.hunt.geometry.workspace import Workspace, grow

TRIES = 1000
"""Maximum number of attempts to place a shape."""


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

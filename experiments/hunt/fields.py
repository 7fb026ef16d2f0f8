"""The workspace of an example: a file of polygons, or a field drawn by seed.

Files are untrusted: small, of plain data, and refused in one line that names the fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import shapely
from omegaconf import DictConfig
from shapely.errors import ShapelyError
from shapely.geometry.base import BaseGeometry

from experiments.hunt.schemas import MOST_CELLS, MOST_TARGETS
from experiments.provenance.files import read_yaml, reading, regular
from experiments.settings.commandline import Refusal
from sim.hunt.geometry import connectivity
from sim.hunt.geometry.workspace import Workspace, random_workspace

MOST_BYTES = 2**20
"""Maximum size of a file, in bytes."""

MOST = {"bounds": 1, "obstacles": 1000, "targets": MOST_TARGETS, "start": 1, "goal": 1}
"""Maximum number of geometries of a file, by key."""

Place = tuple[float, float]


class Field(NamedTuple):
    """A workspace and its graph, with the ends of the wanted path."""

    workspace: Workspace
    graph: nx.Graph
    start: int
    goal: int | None
    """None: a path may end anywhere."""


def read(path: Path) -> tuple[dict[str, Any], Place | None, Place | None]:
    """Return bounds, obstacles and targets in the file ``path``, its start and its goal.

    Raises Refusal if the file cannot be read or is invalid.
    """
    with reading(path, "give polygons as YAML with WKT, see --help"):
        regular(path, MOST_BYTES)
        content = read_yaml(path)
        if not isinstance(content, dict):
            raise ValueError("it is not a mapping")
        shapes: dict[str, list[BaseGeometry]] = {key: [] for key in MOST}
        for key, texts in content.items():
            if key not in MOST:
                raise ValueError(f"unknown key {key}: use {', '.join(MOST)}")
            listed = texts if isinstance(texts, list) else [texts]
            if len(listed) > MOST[key]:
                raise ValueError(f"it has {len(listed)} {key}: at most {MOST[key]}")
            shapes[key] = [_geometry(text, key) for text in listed]
        if not shapes["bounds"]:
            raise ValueError("it has no bounds")
        given = {"bounds": shapes["bounds"][0]}
        given |= {key: shapes[key] for key in ("obstacles", "targets")}
        return given, _place(shapes["start"], "start"), _place(shapes["goal"], "goal")


def _geometry(text: Any, key: str) -> BaseGeometry:
    try:
        with np.errstate(all="ignore"):  # numbers beyond 64 bits, which are refused
            made = shapely.from_wkt(text)
    except (ShapelyError, TypeError, ValueError, OverflowError, RecursionError) as fault:
        reason = " ".join(str(fault).split()) or type(fault).__name__
        raise ValueError(f"{key}: not a geometry: {reason}") from None
    if made is None:
        raise ValueError(f"{key}: there is no geometry: leave it out")
    return made


def _place(found: list[BaseGeometry], role: str) -> Place | None:
    if not found:
        return None
    if found[0].geom_type != "Point" or found[0].is_empty:
        raise ValueError(f"{role} must be one Point, or left out")
    return found[0].x, found[0].y


def load_field(settings: DictConfig, seed: int) -> Field:
    """Return the field in the settings of an example: from a file, or drawn by seed.

    In a drawn field the robot goes from the lower left to the upper right.  Raises Refusal if the
    field is impossible.
    """
    if settings.workspace is not None:
        path = Path(settings.workspace)
        given, start, goal = read(path)
        with _refusing(f"hunt.workspace={path}"):
            workspace = Workspace(**given, **_sensing(settings), start=start)
            if goal is not None and not workspace.free.intersects(shapely.Point(goal)):
                raise ValueError(f"the robot cannot reach or occupy its goal {goal}")
            return _field(workspace, start, goal)
    with _refusing(f"hunt, seed={seed}"):
        size = settings.size
        workspace = random_workspace(
            seed, settings.obstacles, settings.objects, side=size, **_sensing(settings)
        )
        return _field(workspace, (0.0, 0.0), (size, size))


def _sensing(settings: DictConfig) -> dict[str, Any]:
    return {name: settings[name] for name in ("robot", "sensor", "line_of_sight")}


def _field(workspace: Workspace, start: Place | None, goal: Place | None) -> Field:
    made = connectivity.make_graph(workspace)
    if len(made) > MOST_CELLS:
        raise ValueError(f"it has {len(made):,} cells: at most {MOST_CELLS:,}")
    first = next(iter(made)) if start is None else nearest(made, start)
    return Field(workspace, made, first, None if goal is None else nearest(made, goal))


def nearest(graph: nx.Graph, place: Place) -> int:
    """Return the cell that holds ``place``, or whose centre is nearest to it."""
    held = connectivity.cell_at(graph, *place)
    if held is not None:
        return held
    return min(graph, key=lambda cell: np.hypot(*np.subtract(graph.nodes[cell]["at"], place)))


@contextmanager
def _refusing(where: str) -> Iterator[None]:
    """Refuse invalid geometry in a line that begins with ``where``."""
    try:
        with np.errstate(all="ignore"):
            yield
    except (ValueError, ShapelyError) as fault:
        raise Refusal(f"{where}: {fault}") from None

"""The workspace of an example: a file of polygons, or a field drawn by seed.

Files are untrusted: small, of plain data, and refused in one line that names the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import shapely
import shapely.geometry  # its parts are not loaded by shapely alone
from omegaconf import DictConfig
from shapely.errors import ShapelyError
from shapely.geometry.base import BaseGeometry

from experiments.hunt.schemas import MOST_CELLS, MOST_TARGETS
from experiments.provenance.files import read_json, read_yaml, reading, regular
from experiments.settings.commandline import Refusal
from sim.hunt.geometry import connectivity
from sim.hunt.geometry.random_workspaces import random_workspace
from sim.hunt.geometry.workspace import Workspace

MOST_BYTES = 2**20
MOST_CORNERS = 20_000
MOST_OBSTACLES = 1000
"""Of a file."""

ROLES = ("bounds", "obstacle", "target", "start", "goal")
ENDINGS = (".json", ".geojson", ".yaml", ".yml")

Place = tuple[float, float]


class Field(NamedTuple):
    """A workspace and its graph, with the cells between which a way is wanted."""

    workspace: Workspace
    graph: nx.Graph
    start: int
    goal: int | None
    """None: a way may end anywhere."""


def read(path: Path) -> tuple[dict[str, Any], Place | None, Place | None]:
    """Return bounds, obstacles and targets that the file ``path`` holds, its start and its goal.

    Raises
    ------
    Refusal
        If it cannot be read, or holds something else.
    """
    with reading(path, "give polygons as GeoJSON or as YAML with WKT, see --help"):
        if path.suffix.lower() not in ENDINGS:
            raise ValueError(f"its name ends in none of {', '.join(ENDINGS)}")
        regular(path, MOST_BYTES)
        held = (read_yaml if path.suffix.lower() in (".yaml", ".yml") else read_json)(path)
        if not isinstance(held, dict):
            raise ValueError("it is no mapping")
        found = _of_features(held) if "features" in held else _of_keys(held)
        (bounds,) = found["bounds"] if len(found["bounds"]) == 1 else (None,)
        if bounds is None:
            raise ValueError(f"it has {len(found['bounds'])} bounds, and needs 1")
        for name, most in (("obstacle", MOST_OBSTACLES), ("target", MOST_TARGETS)):
            if len(found[name]) > most:
                raise ValueError(f"it has {len(found[name]):,} {name}s, {most:,} are the limit")
        corners = sum(
            shapely.get_num_coordinates(shape) for all_ in found.values() for shape in all_
        )
        if corners > MOST_CORNERS:
            raise ValueError(f"it has {corners:,} corners, {MOST_CORNERS:,} are the limit")
        given = {"bounds": bounds, "obstacles": found["obstacle"], "targets": found["target"]}
        return given, _place(found["start"], "start"), _place(found["goal"], "goal")


def _of_features(held: Mapping[str, Any]) -> dict[str, list[BaseGeometry]]:
    """Return the geometries of a GeoJSON FeatureCollection by role."""
    found: dict[str, list[BaseGeometry]] = {role: [] for role in ROLES}
    if not isinstance(held["features"], list):
        raise ValueError("its features are no list")
    for number, feature in enumerate(held["features"]):
        described = feature if isinstance(feature, dict) else {}
        properties = described.get("properties")
        role = properties.get("role") if isinstance(properties, dict) else None
        if role not in found:
            raise ValueError(f"feature {number} has no role: give one of {', '.join(ROLES)}")
        found[role].append(_geometry(shapely.geometry.shape, described.get("geometry"), role))
    return found


def _of_keys(held: Mapping[str, Any]) -> dict[str, list[BaseGeometry]]:
    """Return the geometries of a mapping to WKT by role."""
    keys = {"bounds": "bounds", "obstacles": "obstacle", "targets": "target"}
    keys |= {"start": "start", "goal": "goal"}
    for key in held:
        if key not in keys:
            raise ValueError(f"it has the key {key}: there are {', '.join(keys)}")
    found: dict[str, list[BaseGeometry]] = {role: [] for role in ROLES}
    for key, role in keys.items():
        texts = held.get(key) or []
        for text in texts if isinstance(texts, list) else [texts]:
            found[role].append(_geometry(shapely.from_wkt, text, role))
    return found


def _geometry(make: Callable[[Any], BaseGeometry], given: Any, role: str) -> BaseGeometry:
    try:
        made = make(given)
    except (ShapelyError, AttributeError, IndexError, KeyError, TypeError, ValueError) as fault:
        reason = " ".join(str(fault).split()) or type(fault).__name__
        raise ValueError(f"a {role} is no geometry: {reason}") from None
    if not isinstance(made, BaseGeometry):
        raise ValueError(f"a {role} is no geometry")
    return made


def _place(found: list[BaseGeometry], role: str) -> Place | None:
    if not found:
        return None
    if len(found) > 1 or found[0].geom_type != "Point" or found[0].is_empty:
        raise ValueError(f"{role} is one Point, or left out")
    return found[0].x, found[0].y


def load_field(settings: DictConfig, seed: int) -> Field:
    """Return the field that the settings of an example name: a file, or one drawn by seed.

    In one drawn the robot goes from the lower left to the upper right.

    Raises
    ------
    Refusal
        If it cannot be made.
    """
    if settings.workspace is not None:
        path = Path(settings.workspace)
        given, start, goal = read(path)
        with _refusing(f"hunt.workspace={path}"):
            workspace = Workspace(**given, **_sensing(settings), start=start)
            return _field(workspace, settings.cells, start, goal)
    return draw_field(settings, settings.objects, seed)


def draw_field(settings: DictConfig, objects: int, seed: int) -> Field:
    """Return a field drawn by seed with so many objects; as `load_field` otherwise."""
    with _refusing(f"hunt, seed={seed}"):
        workspace = random_workspace(
            seed, settings.obstacles, objects, side=settings.size, **_sensing(settings)
        )
        return _field(workspace, settings.cells, (0.0, 0.0), (settings.size, settings.size))


def _sensing(settings: DictConfig) -> dict[str, Any]:
    return {
        "robot": float(settings.robot),
        "sensor": float(settings.sensor),
        "line_of_sight": bool(settings.line_of_sight),
    }


def _field(workspace: Workspace, cells: str, start: Place | None, goal: Place | None) -> Field:
    made = connectivity.make_graph(workspace, cells)
    if len(made) > MOST_CELLS:
        raise ValueError(f"it has {len(made):,} cells, {MOST_CELLS:,} are the limit")
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
    """Refuse what geometry finds wrong, in a line that begins with ``where``."""
    try:
        yield
    except (ValueError, ShapelyError) as fault:
        raise Refusal(f"{where}: {fault}") from None

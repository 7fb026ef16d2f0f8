"""Pictures of workspaces, graphs and routes: cells by visible targets, paths, marks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import shapely
from matplotlib import patheffects
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection
from shapely.geometry.base import BaseGeometry
from shapely.plotting import patch_from_polygon

from experiments.palette import SERIES

OBSTACLE = "#8c8c8c"
BLOCKED = "#e3e3e3"
VOID = "#ffffff"
SEEN_TWICE = "#b0b0d8"
BORDER = "#d9d9d9"
ROUTE = "#1a1a1a"
TINT = 0.35
"""Share of a target's colour in the cells that see it."""

APART = 0.25
"""Distance of two arrows on a path, as a share of the map's width."""

_HALO = [patheffects.withStroke(linewidth=2.5, foreground="white")]


def map_of(axes: Axes, bounds: BaseGeometry) -> None:
    """Make ``axes`` a map of ``bounds`` with equal scales and no frame."""
    left, low, right, high = bounds.bounds
    edge = 0.03 * max(right - left, high - low)
    axes.set(xlim=(left - edge, right + edge), ylim=(low - edge, high + edge), aspect="equal")
    for side in axes.spines.values():
        side.set_visible(False)


def shapes(axes: Axes, given: Iterable[BaseGeometry], **look: Any) -> None:
    """Fill polygons, with their holes; draw lines as walls."""
    parts = [part for shape in given for part in shapely.get_parts(shape)]
    patches = [patch_from_polygon(part) for part in parts if part.geom_type == "Polygon"]
    axes.add_collection(PatchCollection(patches, **look))
    walls = [shapely.get_coordinates(part) for part in parts if "Line" in part.geom_type]
    axes.add_collection(LineCollection(walls, colors=OBSTACLE, linewidths=2.5))


def colour(target: int) -> str:
    """Return the colour of a target; the few colours repeat."""
    return SERIES[target % len(SERIES)]


def cells(axes: Axes, graph: nx.Graph) -> None:
    """Fill the cells of a workspace by what they see: nothing, a target, or several."""
    polygons = [patch_from_polygon(polygon) for _, polygon in graph.nodes("polygon")]
    faces = [_tint(targets) for _, targets in graph.nodes("targets")]
    axes.add_collection(
        PatchCollection(polygons, facecolors=faces, edgecolors=BORDER, linewidths=0.5)
    )


def route(
    axes: Axes, graph: nx.Graph, way: Sequence[Hashable], label: str | None = None, **look: Any
) -> None:
    """Draw a path through ``graph`` as a line with arrows."""
    if len(way) < 2:
        return
    look = {"color": ROUTE, "linewidth": 2.2, "zorder": 4, **look}
    first, *others = (_along(graph, one, other) for one, other in pairwise(way))
    line = np.concatenate([first, *others])
    axes.plot(*line.T, label=label, path_effects=_HALO, solid_joinstyle="round", **look)
    _arrows(axes, line, look["color"], look["zorder"] + 1)


def ends(axes: Axes, graph: nx.Graph, way: Sequence[Hashable]) -> None:
    """Mark the start and the end of a path."""
    look: dict[str, Any] = {
        "linestyle": "none",
        "markeredgecolor": "white",
        "markersize": 8,
        "zorder": 6,
    }
    axes.plot(*graph.nodes[way[0]]["at"], marker="o", color=SERIES[2], label="start", **look)
    axes.plot(*graph.nodes[way[-1]]["at"], marker="s", color=SERIES[1], label="end", **look)


def targets(axes: Axes, places: Sequence[Sequence[float]], measured: Iterable[int]) -> None:
    """Mark targets with their numbers, filled if they are measured."""
    found = set(measured)
    for target, (x, y) in enumerate(places):
        face = colour(target) if target in found else "white"
        axes.plot(
            x, y, marker="*", markersize=11, markerfacecolor=face, markeredgecolor=colour(target),
            linestyle="none", zorder=7,
        )  # fmt: skip
        axes.annotate(
            str(target), (x, y), (7, 5), textcoords="offset points", fontsize=8,
            path_effects=_HALO, zorder=8,
        )  # fmt: skip


def _tint(seen: Sequence[int]) -> str | tuple[float, ...]:
    if not seen:
        return VOID
    if len(seen) > 1:
        return SEEN_TWICE
    red, green, blue = (int(colour(seen[0])[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return tuple(1 - TINT * (1 - part) for part in (red, green, blue))


def _along(graph: nx.Graph, one: Hashable, other: Hashable) -> np.ndarray:
    """Return the corners (k, 2) of the arc from ``one`` to ``other``."""
    start = np.asarray(graph.nodes[one]["at"])
    corners = shapely.get_coordinates(graph.edges[one, other]["line"])
    from_start = np.hypot(*(corners[0] - start)) <= np.hypot(*(corners[-1] - start))
    return corners if from_start else corners[::-1]


def _arrows(axes: Axes, line: np.ndarray, colour: str, zorder: int) -> None:
    """Draw arrows along a line (k, 2), one per `APART` of the map's width, at least one."""
    way = shapely.LineString(line)
    if not way.length:
        return
    number = max(1, round(way.length / (APART * abs(np.subtract(*axes.get_xlim())))))
    arrow = {"arrowstyle": "-|>", "color": colour, "lw": 0, "mutation_scale": 13}
    for part in (np.arange(number) + 0.5) / number:
        tail, tip = shapely.line_interpolate_point(way, [part, part + 1e-3], normalized=True)
        axes.annotate("", (tip.x, tip.y), (tail.x, tail.y), arrowprops=arrow, zorder=zorder)

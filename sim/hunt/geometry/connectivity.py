"""From cells to the graph of a hunt [Ferrari & Cai 2009, Def. 3.1].

A node is a cell, an arc a pair of neighbours or a passage.  The arc's line runs from the centre of
one cell through the middle of the border that they share to the centre of the other: both halves
lie in convex cells, so the whole lies in free space.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import networkx as nx
import numpy as np
import shapely

from sim.hunt.geometry.cells import Cells, polygons, triangles
from sim.hunt.geometry.quadtree import quadtree
from sim.hunt.geometry.rectangles import rectangles
from sim.hunt.geometry.workspace import Workspace

DECOMPOSITIONS: dict[str, Callable[..., Cells]] = {
    "triangles": triangles,
    "polygons": polygons,
    "rectangles": rectangles,
    "quadtree": quadtree,
}

METRICS: dict[str, Callable[[np.ndarray], float]] = {
    "euclid": lambda step: float(np.hypot(*step)),
    "taxicab": lambda step: float(np.abs(step).sum()),
}
"""Length of a straight piece of way, by its difference (2,)."""


def graph(
    workspace: Workspace, cells: str = "triangles", metric: str = "euclid", **choices: object
) -> nx.Graph:
    """Return the graph of a hunt in ``workspace``.

    Parameters
    ----------
    workspace : where
    cells : a name of `DECOMPOSITIONS`
    metric : a name of `METRICS`
    choices : what the decomposition may be told, as `rectangles` (``by``, ``step``) or `quadtree`
        (``smallest``, ``remainder``)

    Returns
    -------
    nx.Graph
        Nodes 0, 1, ... with attributes ``targets`` (tuple of numbers), ``polygon`` and ``at``, the
        (x, y) of its centre; arcs with ``length`` and ``line``, a LineString, and ``passage``,
        whether it is one.  It hangs together.  The graph has ``lost``, the area of free space in
        no cell, or in cells that an approximate decomposition cuts off.

    Raises
    ------
    ValueError
        If there is no such decomposition or metric, or an approximate one is too coarse: a target
        is seen from no cell.
    """
    for name, known, what in ((cells, DECOMPOSITIONS, "cells"), (metric, METRICS, "metric")):
        if name not in known:
            raise ValueError(f"there are no {what} {name!r}: choose one of {', '.join(known)}")
    found = DECOMPOSITIONS[cells](workspace, **choices)
    made = nx.Graph(lost=found.lost)
    for cell, (polygon, targets) in enumerate(zip(found.polygons, found.targets, strict=True)):
        at = shapely.get_coordinates(polygon.centroid)[0]
        made.add_node(cell, targets=targets, polygon=polygon, at=(float(at[0]), float(at[1])))
    for (one, other), border in found.borders.items():
        middle = shapely.get_coordinates(border.interpolate(0.5, normalized=True))[0]
        way = [made.nodes[one]["at"], tuple(middle.tolist()), made.nodes[other]["at"]]
        length = sum(METRICS[metric](np.subtract(b, a)) for a, b in pairwise(way))
        made.add_edge(one, other, length=length, line=shapely.LineString(way), passage=False)
    _add_passages(made, workspace)
    return _whole(made, len(workspace.targets))


def cell_at(made: nx.Graph, x: float, y: float) -> int | None:
    """Return the cell of a graph that holds (x, y), the first if it is on a border; None if none.

    A passage's end is in it as well as a robot's start.
    """
    point = shapely.Point(x, y)
    return next((cell for cell, held in made.nodes("polygon") if held.intersects(point)), None)


def _add_passages(made: nx.Graph, workspace: Workspace) -> None:
    """Add an arc for each passage; one between neighbours replaces their arc if it is shorter."""
    for passage in workspace.passages:
        ends = [cell_at(made, *place) for place in (passage.start, passage.end)]
        if None in ends:
            continue  # in a piece of free space that was not chosen, or lost
        known = made.get_edge_data(*ends)
        if ends[0] == ends[1] or (known and known["length"] <= passage.length):
            continue
        line = shapely.LineString([made.nodes[end]["at"] for end in ends])
        made.add_edge(*ends, length=float(passage.length), line=line, passage=True)


def _whole(made: nx.Graph, targets: int) -> nx.Graph:
    """Return the largest piece of a graph, by area; refuse one in which a target is not seen.

    Only an approximate decomposition falls into pieces, where gaps are too narrow for it.
    """
    pieces = [sorted(piece) for piece in nx.connected_components(made)]
    if len(pieces) > 1:
        areas = [sum(made.nodes[cell]["polygon"].area for cell in piece) for piece in pieces]
        kept = pieces[int(np.argmax(areas))]
        made.remove_nodes_from(set(made).difference(kept))
        made.graph["lost"] += sum(areas) - max(areas)
        made = nx.convert_node_labels_to_integers(made)
    seen = {target for _, found in made.nodes("targets") for target in found}
    if hidden := sorted(set(range(targets)) - seen):
        raise ValueError(
            f"target {hidden[0]} is seen from no cell that can be reached: choose a smaller "
            "smallest square, or keep the remainder"
        )
    return made

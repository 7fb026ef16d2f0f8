"""From cells to the graph of a hunt [Ferrari & Cai 2009, Def. 3.1].

A node is a cell, an arc a pair of neighbours.  The arc's line runs from the centre of
one cell through the middle of the shared border to the centre of the other: both halves lie in
convex cells, so the whole lies in free space.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import networkx as nx
import numpy as np
import shapely

from sim.hunt.geometry.cells import Cells, polygons
from sim.hunt.geometry.quadtree import quadtree
from sim.hunt.geometry.workspace import Workspace

DECOMPOSITIONS: dict[str, Callable[..., Cells]] = {"polygons": polygons, "quadtree": quadtree}

METRICS: dict[str, Callable[[np.ndarray], float]] = {
    "euclid": lambda step: float(np.hypot(*step)),
    "taxicab": lambda step: float(np.abs(step).sum()),
}
"""Length of a straight segment, from its difference (2,)."""


def make_graph(
    workspace: Workspace, cells: str = "polygons", metric: str = "euclid", **choices: object
) -> nx.Graph:
    """Return the graph of a hunt in ``workspace``.

    ValueError if the decomposition or metric is unknown, or an approximate decomposition is too
    coarse: a target is seen from no cell.

    Parameters
    ----------
    workspace : the workspace to decompose
    cells : key of `DECOMPOSITIONS`
    metric : key of `METRICS`
    choices : arguments of the decomposition: of `quadtree` ``smallest``

    Returns
    -------
    nx.Graph
        Nodes 0, 1, ... with attributes ``targets`` (tuple of numbers), ``polygon`` and ``at``, the
        (x, y) of its centre; arcs with ``length`` and ``line``, a LineString.  It is connected.
        The graph has ``lost``, the area of free space in no cell, or in cells that an approximate
        decomposition cuts off.
    """
    for name, known, what in ((cells, DECOMPOSITIONS, "cells"), (metric, METRICS, "metric")):
        if name not in known:
            raise ValueError(f"unknown {what} {name!r}: choose one of {', '.join(known)}")
    found = DECOMPOSITIONS[cells](workspace, **choices)
    made = nx.Graph(lost=found.lost)
    for cell, (polygon, targets) in enumerate(zip(found.polygons, found.targets, strict=True)):
        at = shapely.get_coordinates(polygon.centroid)[0]
        made.add_node(cell, targets=targets, polygon=polygon, at=(float(at[0]), float(at[1])))
    for (one, other), border in found.borders.items():
        middle = shapely.get_coordinates(border.interpolate(0.5, normalized=True))[0]
        way = [made.nodes[one]["at"], tuple(middle.tolist()), made.nodes[other]["at"]]
        length = sum(METRICS[metric](np.subtract(b, a)) for a, b in pairwise(way))
        made.add_edge(one, other, length=length, line=shapely.LineString(way))
    return _whole(made, workspace)


def cell_at(made: nx.Graph, x: float, y: float) -> int | None:
    """Return the first cell of a graph that contains (x, y), or None."""
    point = shapely.Point(x, y)
    return next((cell for cell, held in made.nodes("polygon") if held.intersects(point)), None)


def _whole(made: nx.Graph, workspace: Workspace) -> nx.Graph:
    """Return the component with the robot's start, or the largest by area.

    Only an approximate decomposition has several, where gaps are too narrow for it.  ValueError if
    no target cell of one target remains.
    """
    pieces = [sorted(piece) for piece in nx.connected_components(made)]
    if len(pieces) > 1:
        areas = [sum(made.nodes[cell]["polygon"].area for cell in piece) for piece in pieces]
        first = None if workspace.start is None else cell_at(made, *workspace.start)
        chosen = [piece for piece in pieces if first in piece]
        kept = chosen[0] if chosen else pieces[int(np.argmax(areas))]
        made.remove_nodes_from(set(made).difference(kept))
        made.graph["lost"] += sum(areas) - areas[pieces.index(kept)]
        made = nx.convert_node_labels_to_integers(made)
    seen = {target for _, found in made.nodes("targets") for target in found}
    if hidden := sorted(set(range(len(workspace.targets))) - seen):
        raise ValueError(
            f"target {hidden[0]} is visible from no reachable cell: choose a smaller "
            "smallest square, or cells=polygons"
        )
    return made

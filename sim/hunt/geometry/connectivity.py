"""From cells to the graph of a hunt [Ferrari & Cai 2009, Def. 3.1].

A node is a cell, an arc a pair of neighbours.  The arc's line runs from the centre of
one cell through the middle of the shared border to the centre of the other: both halves lie in
convex cells, so the whole lies in free space.
"""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import shapely

from sim.hunt.geometry.cells import polygons
from sim.hunt.geometry.workspace import Workspace


def make_graph(workspace: Workspace) -> nx.Graph:
    """Return the graph of a hunt in ``workspace``.

    Returns
    -------
    nx.Graph
        Nodes 0, 1, ... with attributes ``targets`` (tuple of numbers), ``polygon`` and ``at``, the
        (x, y) of its centre; arcs with ``length`` and ``line``, a LineString.  It is connected.
    """
    found = polygons(workspace)
    made = nx.Graph()
    for cell, (polygon, targets) in enumerate(zip(found.polygons, found.targets, strict=True)):
        at = shapely.get_coordinates(polygon.centroid)[0]
        made.add_node(cell, targets=targets, polygon=polygon, at=(float(at[0]), float(at[1])))
    for (one, other), border in found.borders.items():
        middle = shapely.get_coordinates(border.interpolate(0.5, normalized=True))[0]
        way = [made.nodes[one]["at"], tuple(middle.tolist()), made.nodes[other]["at"]]
        length = sum(float(np.hypot(*np.subtract(b, a))) for a, b in pairwise(way))
        made.add_edge(one, other, length=length, line=shapely.LineString(way))
    return made


def cell_at(made: nx.Graph, x: float, y: float) -> int | None:
    """Return the first cell of a graph that contains (x, y), or None."""
    point = shapely.Point(x, y)
    return next((cell for cell, held in made.nodes("polygon") if held.intersects(point)), None)

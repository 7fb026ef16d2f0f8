"""Random connectivity graphs: planar, connected, of any size, by seed.

The graphs of [Ferrari & Cai 2009, Tables I and II] are not published.  These have the same numbers
of cells, arcs and observation cells: random points in a square, joined by edges of their Delaunay
triangulation: the minimum spanning tree first, so that the graph is connected, then the shortest.

**The unit of length is the mean length of an arc.**  The mansion's arcs have lengths of 0.5 to 2
in the paper's Table III, so its d_M of 5 and 10 are of the same order.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial import Delaunay


def random_graph(
    cells: int, arcs: int, observation_cells: int, seed: int, targets: int | None = None
) -> nx.Graph:
    """Return a random hunt whose cells are 0, 1, ... , cells - 1.

    ValueError for fewer than 3 cells, more observation cells than cells, more targets than
    observation cells, too few arcs to connect the cells or more than the triangulation has.
    ``targets``: their number; each is seen from at least one observation cell, and each further
    cell shows one of them; one target per cell if None; ``seed``: of `numpy.random.default_rng`.
    Nodes have ``at``, a place (x, y), and ``targets``; arcs their Euclidean ``length`` in units of
    the mean.
    """
    targets = observation_cells if targets is None else targets
    if cells < 3 or not 0 <= targets <= observation_cells <= cells:
        raise ValueError(
            "a random hunt needs 3 cells or more, at most as many observation cells, and at most "
            f"as many targets as those, not {cells}, {observation_cells} and {targets}"
        )
    if observation_cells and not targets:
        raise ValueError("a random hunt with observation cells needs a target")
    rng = np.random.default_rng(seed)
    at = rng.random((cells, 2))
    edges = _edges(at, arcs)
    at /= np.linalg.norm(at[edges[:, 0]] - at[edges[:, 1]], axis=1).mean()
    shown = np.concatenate(
        [np.arange(targets), rng.integers(targets, size=observation_cells - targets)]
        if targets
        else [np.zeros(0, int)]
    )
    observed = rng.permutation(cells)[:observation_cells]
    graph = nx.Graph()
    graph.add_nodes_from(
        (cell, {"at": tuple(at[cell].tolist()), "targets": ()}) for cell in range(cells)
    )
    for cell, target in zip(observed.tolist(), shown.tolist(), strict=True):
        graph.nodes[cell]["targets"] = (target,)
    lengths = np.linalg.norm(at[edges[:, 0]] - at[edges[:, 1]], axis=1)
    for (one, other), length in zip(edges.tolist(), lengths.tolist(), strict=True):
        graph.add_edge(one, other, length=length)
    return graph


def cell_at_distance(graph: nx.Graph, start: int, far: float) -> int:
    """Return the cell whose shortest distance from ``start`` is nearest to ``far``."""
    distance = nx.single_source_dijkstra_path_length(graph, start, weight="length")
    return min(distance, key=lambda cell: abs(distance[cell] - far))


def _edges(at: np.ndarray, arcs: int) -> np.ndarray:
    """Return the joined pairs of points, int (arcs, 2)."""
    corners = Delaunay(at).simplices
    pairs = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]]))
    pairs = np.unique(pairs, axis=0)
    if not len(at) - 1 <= arcs <= len(pairs):
        raise ValueError(
            f"{len(at)} cells of this seed can have {len(at) - 1} to {len(pairs)} arcs, not {arcs}"
        )
    length = np.linalg.norm(at[pairs[:, 0]] - at[pairs[:, 1]], axis=1)
    whole = coo_array((length, (pairs[:, 0], pairs[:, 1])), shape=(len(at), len(at)))
    tree = minimum_spanning_tree(whole.tocsr()).tocoo()
    needed = set(zip(tree.row.tolist(), tree.col.tolist(), strict=True))
    first = [tuple(pair) not in needed for pair in pairs.tolist()]
    return pairs[np.lexsort((length, first))[:arcs]]

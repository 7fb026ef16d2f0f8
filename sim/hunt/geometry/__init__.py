"""From polygons to the graph of a hunt: grown obstacles, convex cells, and their adjacency."""

from mcts.kernel.extras import extra

with extra("hunt"):
    import shapely  # noqa: F401

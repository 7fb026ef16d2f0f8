"""From polygons to the graph of a hunt: grown obstacles, convex cells, who borders on whom."""

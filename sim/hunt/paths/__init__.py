"""Paths through the graph of a hunt, and the best of them."""

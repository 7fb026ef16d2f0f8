"""Two runs of the same games, side by side."""

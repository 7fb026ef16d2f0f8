"""The chance of winning at a leaf of the search: fitted to games, and what else tells it."""

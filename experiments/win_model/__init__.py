"""Fit the chance of winning at a leaf of the search to games."""

"""Hunts in which outcomes decide the next steps: exact recursion, search."""

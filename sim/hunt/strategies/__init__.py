"""Hunts in which what was measured decides what comes next: recursion, diagram, search."""

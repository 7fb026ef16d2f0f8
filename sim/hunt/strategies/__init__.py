"""Hunts in which outcomes decide the next steps: recursion, influence diagram, search."""

"""Hunts in which outcomes decide what follows: recursion, influence diagram, search."""

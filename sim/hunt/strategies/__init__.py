"""Hunts in which outcomes decide the next steps, by exact recursion."""

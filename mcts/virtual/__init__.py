"""Searches by many workers, simulated on one thread."""

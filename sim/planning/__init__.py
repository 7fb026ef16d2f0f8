"""Cluedo as a search domain, and the planners as values of it."""

"""Cluedo as a search domain, and the planners as its configurations."""

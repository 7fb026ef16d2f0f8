"""Finite problems as tables: one domain for all of them, their files, and exact references."""

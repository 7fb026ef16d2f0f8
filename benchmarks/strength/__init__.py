"""Strength per core: the gain of workers on one decision."""

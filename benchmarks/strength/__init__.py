"""Strength per core: what workers on one decision buy."""

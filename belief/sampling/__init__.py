"""Deals drawn from an approximate belief."""

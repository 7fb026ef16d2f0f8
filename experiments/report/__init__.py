"""Runs as one page."""

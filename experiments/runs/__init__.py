"""Played runs: their folders and figures."""

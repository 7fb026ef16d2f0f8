"""Finished and running runs: their folders, results and records."""

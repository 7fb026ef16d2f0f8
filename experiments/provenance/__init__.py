"""Provenance of results, and their records."""

"""The beliefs, one per file, each found by its name."""

"""The beliefs, one a file, each found by its name."""

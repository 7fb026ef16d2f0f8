"""Games written down, read and played again."""

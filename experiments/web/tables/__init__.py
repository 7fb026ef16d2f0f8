"""Games under way at tables: who sits there, what was done, what has been shown."""

"""Where a result comes from, and where it is recorded."""

"""Search domains: the game as a planner sees it, and the small problems with known values."""

"""Late positions of the game without a board, with exact values: the baseline for regret."""

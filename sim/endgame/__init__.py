"""Late positions of the game of cards alone, with exact values: the baseline of regret."""

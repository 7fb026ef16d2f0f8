"""Monte Carlo tree search over any domain; knows no game."""

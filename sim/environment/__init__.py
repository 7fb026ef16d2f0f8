"""The game as a PettingZoo environment."""

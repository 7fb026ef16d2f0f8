"""Intervals, tests and ratings: statistics of games, independent of Cluedo."""

"""Intervals, tests, ratings: statistics of games, with no game in sight."""

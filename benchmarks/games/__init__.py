"""Compiled two-player games, to compare with OpenSpiel's own."""

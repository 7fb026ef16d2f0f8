"""Matches: who meets whom, and their games over Ray."""

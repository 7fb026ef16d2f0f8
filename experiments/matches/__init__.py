"""Matches: who plays whom, and their games over Ray."""

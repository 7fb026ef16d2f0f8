"""Comparison with OpenSpiel and pomdp-py: speed, and quality at equal simulations and time."""

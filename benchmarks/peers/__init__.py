"""Beside OpenSpiel and pomdp-py: speed, and quality at equal simulations and at equal time."""

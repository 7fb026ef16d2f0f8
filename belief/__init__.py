"""Distributions over who holds which card; knows no rules of play."""

"""Configuration: Hydra groups of players, rules and experiments, as package data."""

"""What to run: Hydra groups of players, rules and experiments, as package data."""

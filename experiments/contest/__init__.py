"""The Speed Clue contest, played by its own server; see `experiments.contest.__main__`."""

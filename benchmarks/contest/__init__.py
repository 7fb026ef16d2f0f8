"""The Speed Clue contest, played by its own server; see `benchmarks.contest.__main__`."""

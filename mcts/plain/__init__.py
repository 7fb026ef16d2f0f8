"""Problems in plain Python for the compiled search: slower, and without Numba code."""

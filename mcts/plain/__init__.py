"""Problems in plain Python, searched by the compiled search: slower, and without Numba."""

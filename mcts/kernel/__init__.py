"""Compilation, random streams and atomics: the only modules that touch Numba's internals."""

"""Compilation, random streams and atomics: the code that uses Numba's internals."""

"""Compilation, random streams and atomics: where Numba's internals are touched."""

"""Counter-based random streams for nogil kernels.

A *stream* is a ``uint64`` array whose element 0 is the state.  It is made from a key, never from a
clock or a shared generator: `fold` hashes the words that name a purpose (seed, game, turn, worker,
...) into a key, and `draw` steps SplitMix64 [Steele, Lea & Flood 2014] from there.  Equal words
give equal numbers in every process, thread and order of execution.

The plain interpreter (``NUMBA_DISABLE_JIT=1``) gives the same bits.
"""

from __future__ import annotations

import warnings

import numpy as np

from mcts.kernel.compile import INTERPRETED, jit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)
_TO_UNIT = 2.0**-53

if INTERPRETED:
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)


@jit
def mix(word: np.uint64) -> np.uint64:
    """Return the SplitMix64 finalizer of ``word``: a bijection of words without structure."""
    z = np.uint64(word)
    z = (z ^ (z >> _S30)) * _MIX_A
    z = (z ^ (z >> _S27)) * _MIX_B
    return z ^ (z >> _S31)


@jit
def fold(key: np.uint64, word: int) -> np.uint64:
    """Return the key named by ``word`` (not negative) below ``key``."""
    return mix(np.uint64(key) + _GOLDEN * mix(np.uint64(word) + _GOLDEN))


@jit
def draw(stream: np.ndarray) -> np.uint64:
    """Advance ``stream`` and return 64 uniform bits."""
    stream[0] += _GOLDEN
    return mix(stream[0])


@jit
def uniform(stream: np.ndarray) -> float:
    """Return a float uniform on [0, 1) with 53 bits; consumes one draw."""
    return np.float64(draw(stream) >> _S11) * _TO_UNIT


@jit
def below(stream: np.ndarray, n: int) -> int:
    """Return an integer uniform on 0 .. n-1 (bias below n / 2**53); consumes one draw."""
    return np.int64(uniform(stream) * n)


@jit
def shuffle(stream: np.ndarray, items: np.ndarray) -> None:
    """Shuffle the 1-d ``items`` in place [Fisher-Yates]; consumes ``len(items) - 1`` draws."""
    for i in range(len(items) - 1, 0, -1):
        j = below(stream, i + 1)
        held = items[i]
        items[i] = items[j]
        items[j] = held


def derive_key(key: int, *words: int) -> np.uint64:
    """Return the key named by ``words`` in nesting order; for Python's unbounded integers."""
    found = np.uint64(int(key) % 2**64)
    for word in words:
        found = np.uint64(fold(found, word))
    return found


def new_stream(key: int) -> np.ndarray:
    """Return a fresh stream for ``key``, padded to its own cache line (8 words)."""
    stream = np.zeros(8, np.uint64)
    stream[0] = np.uint64(int(key) % 2**64)
    return stream

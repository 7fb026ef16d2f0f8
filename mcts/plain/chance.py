"""Chance for plain Python: `random.Random` with the same draws as kernels from the same stream.

`Chance.random` is `mcts.kernel.rng.uniform` and `Chance.below` is `mcts.kernel.rng.below`.
"""

from __future__ import annotations

import random
from typing import Any

_GOLDEN = 0x9E3779B97F4A7C15
_MIX_A = 0xBF58476D1CE4E5B9
_MIX_B = 0x94D049BB133111EB
_MASK = 2**64 - 1
_TO_UNIT = 2.0**-53


class Chance(random.Random):
    """A random stream; all of `random.Random` (choice, shuffle, gauss ...) draws from it."""

    def __init__(self, key: int = 0) -> None:
        super().__init__(key)

    def seed(self, a: Any = 0, version: int = 2) -> None:
        """Begin the stream of the integer key ``a``, discarding the earlier one."""
        self.word = a & _MASK
        self.gauss_next = None  # Python keeps every second normal deviate

    def getstate(self) -> tuple[int]:
        """Return the state of the stream."""
        return (self.word,)

    def setstate(self, state: tuple[Any, ...]) -> None:
        """Restore a state that `getstate` returned."""
        self.seed(*state)

    def random(self) -> float:
        """Return a float uniform on [0, 1) with 53 bits; one draw."""
        self.word = z = (self.word + _GOLDEN) & _MASK
        z = ((z ^ (z >> 30)) * _MIX_A) & _MASK
        z = ((z ^ (z >> 27)) * _MIX_B) & _MASK
        return ((z ^ (z >> 31)) >> 11) * _TO_UNIT

    def getrandbits(self, k: int) -> int:
        """Return ``k`` uniform bits; one draw for each 32 of them."""
        bits = 0
        for _ in range(-(-k // 32)):
            bits = bits << 32 | int(self.random() * 2.0**32)
        return bits >> (-k % 32)

    def below(self, n: int) -> int:
        """Return an integer uniform on 0 .. n-1, n up to 2**53; one draw."""
        return int(self.random() * n)

    def _randbelow(self, n: int) -> int:
        """Serve choice, randrange and shuffle; above 2**53 one draw has too few bits."""
        return self.below(n) if n <= 2**53 else super()._randbelow(n)  # type: ignore[misc]

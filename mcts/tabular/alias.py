"""Draws from tables of probabilities in constant time [alias method: Walker 1977, Vose 1991].

Rows of different lengths are stored one after another: row ``i`` holds the entries ``first[i]`` to
below ``first[i + 1]``.  A draw picks an entry of the row uniformly, and then it or its alias.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform


@jit
def draw_entry(first, keep, alias, row, stream):
    """Return an entry of ``row``; one draw, none if it has a single entry."""
    begin = first[row]
    length = first[row + 1] - begin
    if length == 1:
        return begin
    place = uniform(stream) * length
    entry = begin + int(place)
    return entry if place - int(place) < keep[entry] else alias[entry]


@jit
def _fill(first, chance, keep, alias, waiting):
    for row in range(len(first) - 1):
        begin, end = first[row], first[row + 1]
        total = 0.0
        for entry in range(begin, end):
            total += chance[entry]
        few, many = 0, len(waiting)  # stacks at both ends
        for entry in range(begin, end):
            keep[entry] = chance[entry] / total * (end - begin)
            alias[entry] = entry
            if keep[entry] < 1.0:
                waiting[few] = entry
                few += 1
            else:
                many -= 1
                waiting[many] = entry
        while few > 0 and many < len(waiting):
            few -= 1
            small, large = waiting[few], waiting[many]
            alias[small] = large
            keep[large] -= 1.0 - keep[small]
            if keep[large] < 1.0:
                many += 1
                waiting[few] = large
                few += 1


def make_alias(first: np.ndarray, chance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return ``keep`` (float64) and ``alias`` (int64) of all entries, for `draw_entry`.

    ``first`` : int64 (rows + 1,); ``chance`` : float64, the weights of all entries, at least 0 and
    in no row all 0
    """
    keep, alias = np.empty(len(chance)), np.empty(len(chance), np.int64)
    longest = int(np.diff(first).max(initial=0))
    _fill(first, chance, keep, alias, np.empty(2 * longest + 2, np.int64))
    return keep, alias

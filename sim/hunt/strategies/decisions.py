"""Decisions in each cell of a hunt: whole trips to the next test.

Between two tests nothing new is learnt, so that the way between them can be decided at once.  Of
the ways to a cell those are kept that are *efficient*: no way of as few steps is shorter.  With
trips a hunt has as many decisions as tests, not as steps, and is worth the same.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.hunt.strategies.hunt import NO_TARGET, Hunt

_ROUNDING = 1e-12


class Decisions(NamedTuple):
    """Ways as arrays, those that begin in cell c at ``first[c]`` to ``first[c + 1]``."""

    first: np.ndarray
    """int64 (cells + 1,)."""
    cell: np.ndarray
    """int64 (ways,): where it ends."""
    steps: np.ndarray
    """int64 (ways,): moves that it takes."""
    length: np.ndarray
    """float64 (ways,)."""


def trips(hunt: Hunt) -> Decisions:
    """Return the efficient ways of up to ``hunt.moves`` steps to each test, by min-plus products.

    A test in the cell where the sensor is takes one step as well, that of staying.
    """
    goals = np.flatnonzero(hunt.target != NO_TARGET)
    rows: list[list[tuple[int, int, float]]] = [[] for _ in hunt.target]
    shortest = hunt.length[:, goals]
    before = np.full_like(shortest, np.inf)
    for steps in range(1, hunt.moves + 1):
        for cell, goal in zip(*np.nonzero(shortest < before - _ROUNDING), strict=True):
            rows[cell].append((int(goals[goal]), steps, float(shortest[cell, goal])))
        before, shortest = shortest, np.empty_like(shortest)
        for goal, column in enumerate(before.T):
            shortest[:, goal] = (hunt.length + column).min(axis=1)
        if (shortest >= before - _ROUNDING).all():
            break
    ways = [way for row in rows for way in row]
    ends, taken, length = zip(*ways, strict=True) if ways else ((), (), ())
    return Decisions(
        np.cumsum([0, *map(len, rows)]).astype(np.int64),
        np.array(ends, np.int64),
        np.array(taken, np.int64),
        np.array(length, np.float64),
    )

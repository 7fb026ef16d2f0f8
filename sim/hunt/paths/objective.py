"""The objective of paths: V = w_B I(y; z_S) - w_J sum of J - w_D length, and its maximum.

Information is computed lazily, in the order of an upper bound, and never twice: I(S) is at most
`Benefit.upper_bound` and the sum of I({i}) over S.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from sim.hunt.graph import members, unpack
from sim.hunt.measurements import Benefit
from sim.hunt.reward import Weights

CHUNK = 4096
"""Number of sets evaluated at once."""

TOLERANCE = 1e-9
"""Tolerance of values, relative to the possible gain: smaller improvements end the search."""


class Choice(NamedTuple):
    """The best of some paths: its row, and its measured targets."""

    row: int
    measured: tuple[int, ...]
    benefit: float
    value: float


class Objective:
    """Values of sets of targets; keeps the information of each set once computed.

    Attribute ``test``: w_J J of each target, float64 (targets,).
    """

    def __init__(
        self, benefit: Benefit, weights: Weights, targets: int, cost: np.ndarray | None = None
    ) -> None:
        if min(weights) < 0:
            raise ValueError(f"weights must be at least 0, not {tuple(weights)}")
        if targets > benefit.targets:
            raise ValueError(f"the graph has {targets} targets, and the benefit {benefit.targets}")
        each = np.ones(targets) if cost is None else np.asarray(cost, float)
        if each.shape != (targets,) or not (each >= 0).all():
            raise ValueError(f"costs of tests must be {targets} numbers >= 0, not {cost!r}")
        self.benefit = benefit
        self.weights = weights
        self.targets = targets
        self.test = weights.test * each
        self._known: dict[frozenset[int], float] = {}

    def information(self, measured: Iterable[int]) -> float:
        """Return w_B I(y; z_S)."""
        key = frozenset(measured)
        if key not in self._known:
            self._known[key] = self.weights.benefit * self.benefit.value(sorted(key))
        return self._known[key]

    def best(self, masks: np.ndarray, lengths: np.ndarray) -> Choice:
        """Return the best of paths that measure all of their sets; the first of equal ones.

        ``masks``: uint64 (k, words); ``lengths``: float64 (k,), finite.
        """
        upper = np.zeros(len(masks))
        alone = np.array([self.information([i]) for i in range(self.targets)])
        whole = self.weights.benefit * self.benefit.upper_bound()
        costs = self.weights.distance * lengths
        for rows in _chunks(np.arange(len(masks))):
            shown = unpack(masks[rows], self.targets)
            upper[rows] = shown @ alone
            costs[rows] += shown @ self.test
        upper = np.minimum(upper, whole) - costs
        row, value = -1, -np.inf
        for rows in _chunks(np.argsort(-upper, kind="stable")):
            if upper[rows[0]] <= value + TOLERANCE * whole:
                break
            values = self.weights.benefit * self.benefit.values(masks[rows]) - costs[rows]
            if values.max() > value:
                row = int(rows[values.argmax()])
                value = float(values.max())
        measured = members(masks[row])
        return Choice(row, measured, self.benefit.value(measured), value)

    def best_declining(self, masks: np.ndarray, lengths: np.ndarray) -> Choice:
        """Return the best of paths on which any target may be left unmeasured.

        Parameters are those of `best`.  ValueError without paths.
        """
        if not len(masks):
            raise ValueError("there is no path to choose from")
        if not self.test.any():
            return self.best(masks, lengths)
        alone = np.array([self.information([i]) for i in range(self.targets)])
        upper = np.empty(len(masks))
        for rows in _chunks(np.arange(len(masks))):
            whole = self.weights.benefit * self.benefit.values(masks[rows])
            most = unpack(masks[rows], self.targets) @ np.maximum(alone - self.test, 0.0)
            upper[rows] = np.minimum(whole, most) - self.weights.distance * lengths[rows]
        best, tolerance = None, TOLERANCE * self.weights.benefit * self.benefit.upper_bound()
        for row in np.argsort(-upper, kind="stable").tolist():
            if best is not None and upper[row] <= best.value + tolerance:
                break
            measured = self.worth_measuring(members(masks[row]))
            value = self._less_tests(measured) - self.weights.distance * float(lengths[row])
            if best is None or value > best.value:
                best = Choice(row, measured, self.benefit.value(measured), value)
        return best

    def worth_measuring(self, offered: tuple[int, ...]) -> tuple[int, ...]:
        """Return the subset of targets with the most information less tests.

        A target is measured if its gain on top of all others pays its test, and is not if it does
        not pay alone; for the rest both are tried [data correcting, Goldengorin et al. 1999].
        """
        return self._subset(frozenset(), frozenset(offered), -np.inf)[1]

    def _subset(
        self, taken: frozenset[int], offered: frozenset[int], least: float
    ) -> tuple[float, tuple[int, ...]]:
        """Return the best value above ``least`` of ``taken`` and a subset of ``offered``."""
        taken, offered = self._fix_decided(taken, offered)
        value, best = self._less_tests(taken), tuple(sorted(taken))
        upper = self.information(taken | offered) - self.test[list(taken)].sum()
        if not offered or upper <= least:
            return value, best
        target = max(offered, key=lambda i: (self.information(taken | {i}), -i))
        rest = offered - {target}
        for branch in (taken | {target}, taken):
            found = self._subset(branch, rest, max(value, least))
            if found[0] > value:
                value, best = found
        return value, best

    def _fix_decided(
        self, taken: frozenset[int], offered: frozenset[int]
    ) -> tuple[frozenset[int], frozenset[int]]:
        """Return both sets without the targets whose measurement is decided."""
        while True:
            everything = taken | offered
            pays = {
                i
                for i in offered
                if self.information(everything) - self.information(everything - {i}) > self.test[i]
            }
            taken, offered = taken | pays, offered - pays
            never = {
                i
                for i in offered
                if self.information(taken | {i}) - self.information(taken) <= self.test[i]
            }
            offered -= never
            if not pays and not never:
                return taken, offered

    def _less_tests(self, measured: Iterable[int]) -> float:
        """Return w_B I less w_J times the tests of ``measured``."""
        return self.information(measured) - float(self.test[list(measured)].sum())


def _chunks(rows: np.ndarray) -> Iterable[np.ndarray]:
    """Yield ``rows`` in parts of `CHUNK`."""
    return (rows[first : first + CHUNK] for first in range(0, len(rows), CHUNK))

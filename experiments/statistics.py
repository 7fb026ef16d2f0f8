"""Intervals for what is measured: a win rate, and the difference of two on the same games."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import ndtri
from scipy.stats import binomtest

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A rate or a difference of rates, with the interval that holds it with `CONFIDENCE`."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"


def win_rate(wins: int, games: int) -> Estimate:
    """Return the share of games won with its Wilson interval.

    Raises
    ------
    ValueError
        If no game was played.
    """
    interval = binomtest(wins, games).proportion_ci(CONFIDENCE, method="wilson")
    # SciPy's bounds at 0 and all wins miss 0 and 1 by a rounding error.
    low = 0.0 if wins == 0 else float(interval.low)
    high = 1.0 if wins == games else float(interval.high)
    return Estimate(wins / games, low, high)


def paired_difference(first: np.ndarray, second: np.ndarray) -> Estimate:
    """Return how much oftener ``second`` won than ``first``, on the same games.

    The interval is Wald's for matched pairs with half a game added to each cell of the 2 x 2 table
    [Agresti and Min 2005, Statistics in Medicine 24], which keeps its coverage where few games
    differ; the value is the plain difference.

    Parameters
    ----------
    first, second : (games,) bool, whether each game was won

    Raises
    ------
    ValueError
        If the games are none, or not the same number.
    """
    first, second = np.asarray(first, bool), np.asarray(second, bool)
    if first.shape != second.shape or first.ndim != 1 or not first.size:
        raise ValueError("paired results must be two equally long rows of games, not empty")
    gained = np.count_nonzero(~first & second)
    lost = np.count_nonzero(first & ~second)
    total = first.size + 2.0
    centre = (gained - lost) / total
    spread = sqrt((gained + lost + 1.0) / total - centre**2) / sqrt(total)
    margin = float(ndtri((1 + CONFIDENCE) / 2)) * spread
    return Estimate(
        (gained - lost) / first.size, max(-1.0, centre - margin), min(1.0, centre + margin)
    )

"""Intervals for what is measured: a win rate, the difference of two on the same games, a mean.

They hold for a number of games that was fixed in advance, or chosen by the interval's own width;
`experiments.stats.anytime` has those that hold whenever one looks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np
from scipy.special import bdtr, bdtrik, ndtri, stdtrit  # `scipy.stats` takes a second to import

CONFIDENCE = 0.95
Z = float(ndtri((1 + CONFIDENCE) / 2))
"""Standard errors on either side of an interval."""
_RESAMPLES = 1000
_BATCH = 50
"""Resamples held in memory at a time."""


@dataclass(frozen=True)
class Estimate:
    """A value with the interval that holds the true one with `CONFIDENCE`; as text, per cent."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"


def columns(name: str, found: Any, between: str = "_") -> dict[str, float | None]:
    """Return value and bounds of ``found`` as NAME, NAME_low and NAME_high; of None, three None."""
    names = (name, f"{name}{between}low", f"{name}{between}high")
    values = (None,) * 3 if found is None else (found.value, found.low, found.high)
    return dict(zip(names, values, strict=True))


def win_rate(wins: int, games: int) -> Estimate:
    """Return the share of games won with its Wilson interval.

    Raises ValueError if no game was played.
    """
    if not games:
        raise ValueError("there is no win rate without a game")
    rate = wins / games
    centre = (rate + Z**2 / (2 * games)) / (1 + Z**2 / games)
    half = float(wilson_width(np.array(wins), np.array(games))) / 2
    # At 0 and all wins a bound is 0 or 1 but for a rounding error.
    low = 0.0 if wins == 0 else centre - half
    high = 1.0 if wins == games else centre + half
    return Estimate(rate, low, high)


def wilson_width(wins: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Return the width of the Wilson interval for each of many counts.

    ``wins``, ``games``: of one shape; ``games`` at least 1.
    """
    rate = wins / games
    spread = np.sqrt(rate * (1 - rate) / games + (Z / (2 * games)) ** 2)
    return 2 * Z * spread / (1 + Z**2 / games)


def mean(values: np.ndarray) -> Estimate:
    """Return the mean of ``values`` with its interval by Student's t.

    Raises ValueError on fewer than two values.
    """
    if len(values) < 2:
        raise ValueError("an interval of a mean needs two values")
    value = float(np.mean(values))
    student = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2))
    margin = student * float(np.std(values, ddof=1)) / sqrt(len(values))
    return Estimate(value, value - margin, value + margin)


def median(values: np.ndarray) -> Estimate:
    """Return the median of ``values`` with the interval of order statistics, for any distribution.

    Raises ValueError if there are none.
    """
    if not len(values):
        raise ValueError("there is no median of nothing")
    ordered, count = np.sort(values), len(values)
    # The number of values below the true median is binomial; here its lower quantile.
    quantile = ceil(bdtrik((1 - CONFIDENCE) / 2, count, 0.5))
    if quantile > 0 and bdtr(quantile - 1, count, 0.5) >= (1 - CONFIDENCE) / 2:
        quantile -= 1
    least = max(quantile - 1, 0)
    return Estimate(float(np.median(values)), float(ordered[least]), float(ordered[-1 - least]))


def paired_difference(first: np.ndarray, second: np.ndarray) -> Estimate:
    """Return how much more often ``second`` won than ``first``, on the same games.

    The interval is Wald's for matched pairs with half a game added to each cell of the 2 x 2 table
    [Agresti and Min 2005, Statistics in Medicine 24], which keeps its coverage where few games
    differ; the value is the plain difference.  ``first``, ``second``: (games,) bool, whether each
    game was won.  Raises ValueError if the games are none, or not the same number.
    """
    return paired_estimate(first, second, lambda _: Z)


def paired_estimate(
    first: np.ndarray, second: np.ndarray, errors: Callable[[int], float]
) -> Estimate:
    """Return `paired_difference` with an interval of another width.

    ``errors`` gives how many standard errors it has on either side, by the number of games.
    """
    gained, lost, games = discordant(first, second)
    centre, error = map(float, matched_pairs(gained, lost, games))
    margin = errors(games) * error
    return Estimate((gained - lost) / games, max(-1.0, centre - margin), min(1.0, centre + margin))


def discordant(first: np.ndarray, second: np.ndarray) -> tuple[int, int, int]:
    """Return in how many games only ``second`` won, in how many only ``first``, and all games.

    ``first``, ``second``: (games,) bool, whether each game was won.  Raises ValueError if the games
    are none, or not the same number.
    """
    first, second = np.asarray(first, bool), np.asarray(second, bool)
    if first.shape != second.shape or first.ndim != 1 or not first.size:
        raise ValueError("paired results must be two equally long rows of games, not empty")
    return (
        int(np.count_nonzero(~first & second)),
        int(np.count_nonzero(first & ~second)),
        first.size,
    )


def matched_pairs(
    gained: np.ndarray | int, lost: np.ndarray | int, games: np.ndarray | int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the difference of two win rates and its standard error, half a game in each cell.

    The half games [Agresti and Min 2005] draw the difference towards 0 and keep the error above it
    where no game differs.  ``gained``, ``lost``, ``games``: of one shape; games that only the
    second, only the first player won, all.
    """
    total = games + 2.0
    centre = np.asarray((gained - lost) / total)
    return centre, np.sqrt(((gained + lost + 1.0) / total - centre**2) / total)


def paired_width(gained: np.ndarray, lost: np.ndarray, games: np.ndarray) -> np.ndarray:
    """Return the width of the interval of a paired difference for each of many counts.

    ``gained``, ``lost``, ``games``: as `matched_pairs` takes them.
    """
    return 2 * Z * matched_pairs(gained, lost, games)[1]


@dataclass(frozen=True)
class Mean:
    """A mean with its standard error and the interval that holds it with `CONFIDENCE`."""

    value: float
    low: float
    high: float
    error: float


def clustered_means(totals: np.ndarray, counts: np.ndarray, seed: int) -> list[Mean]:
    """Return means of measurements that are dependent within a game and independent between games.

    The bootstrap draws whole games [Efron & Tibshirani 1993, s. 8], with percentile intervals; the
    means of one call share the draws.  ``totals``, ``counts``: (means, games), sum and number of
    the measurements of each game; ``seed``: of the bootstrap.  Raises ValueError if there are fewer
    than two games, or a mean has no measurement.
    """
    totals, counts = np.asarray(totals, float), np.asarray(counts, float)
    if totals.shape[1] < 2 or not counts.any(axis=1).all():
        raise ValueError("a mean with an interval needs two games and a measurement")
    from scipy.stats import bootstrap

    drawn = bootstrap(
        (totals, counts),
        lambda total, count, axis: total.sum(axis=axis) / count.sum(axis=axis),
        n_resamples=_RESAMPLES,
        batch=_BATCH,
        paired=True,
        axis=-1,
        confidence_level=CONFIDENCE,
        method="percentile",
        random_state=np.random.default_rng(seed),
    )
    values = totals.sum(axis=1) / counts.sum(axis=1)
    interval = drawn.confidence_interval
    figures = zip(values, interval.low, interval.high, drawn.standard_error, strict=True)
    return [Mean(*map(float, row)) for row in figures]

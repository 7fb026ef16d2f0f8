"""Intervals for win rates, for differences of two on the same games, and for means.

They are valid for a number of games fixed in advance, or chosen by the interval's own width;
`experiments.stats.anytime` has intervals valid under any stopping rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, copysign, inf, sqrt
from typing import Any

import numpy as np
from scipy.special import bdtr, bdtrik, ndtri, stdtrit  # `scipy.stats` takes a second to import

CONFIDENCE = 0.95
Z = float(ndtri((1 + CONFIDENCE) / 2))
"""Half width of an interval in standard errors."""
_HALVINGS = 50
_RESAMPLES = 1000
_BATCH = 50
"""Resamples held in memory at a time."""


@dataclass(frozen=True)
class Estimate:
    """A value with its interval of confidence `CONFIDENCE`; str shows percentages."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.value:.1f} % ({100 * self.low:.1f} to {100 * self.high:.1f})"


def columns(name: str, found: Any, between: str = "_") -> dict[str, float | None]:
    """Return ``found`` as NAME, NAME_low and NAME_high; three times None for None."""
    names = (name, f"{name}{between}low", f"{name}{between}high")
    values = (None,) * 3 if found is None else (found.value, found.low, found.high)
    return dict(zip(names, values, strict=True))


def win_rate(wins: int, games: int, errors: float = Z) -> Estimate:
    """Return the share of games won with its Wilson interval.

    ``errors``: half width in standard errors.  Raises ValueError if no game was played.
    """
    if not games:
        raise ValueError("a win rate needs a game")
    rate = wins / games
    centre = (rate + errors**2 / (2 * games)) / (1 + errors**2 / games)
    half = float(wilson_width(np.array(wins), np.array(games), errors)) / 2
    # At no or all wins a bound is 0 or 1 up to rounding.
    low = 0.0 if wins == 0 else centre - half
    high = 1.0 if wins == games else centre + half
    return Estimate(rate, low, high)


def wilson_width(wins: np.ndarray, games: np.ndarray, errors: float = Z) -> np.ndarray:
    """Return the width of the Wilson interval for arrays of counts.

    ``wins``, ``games``: of the same shape; ``games`` at least 1.
    """
    rate = wins / games
    spread = np.sqrt(rate * (1 - rate) / games + (errors / (2 * games)) ** 2)
    return 2 * errors * spread / (1 + errors**2 / games)


def win_score(wins: int, games: int, reference: float) -> float:
    """Return the score of a win rate against ``reference``, as in Wilson's interval."""
    return (wins / games - reference) / sqrt(reference * (1 - reference) / games)


def mean(values: np.ndarray) -> Estimate:
    """Return the mean of ``values`` with its interval by Student's t.

    Raises ValueError for fewer than two values.
    """
    if len(values) < 2:
        raise ValueError("an interval of a mean needs two values")
    value = float(np.mean(values))
    student = float(stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2))
    margin = student * float(np.std(values, ddof=1)) / sqrt(len(values))
    return Estimate(value, value - margin, value + margin)


def median(values: np.ndarray) -> Estimate:
    """Return the median of ``values`` with its distribution-free interval of order statistics.

    Raises ValueError if there are none.
    """
    if not len(values):
        raise ValueError("a median needs a value")
    ordered, count = np.sort(values), len(values)
    # The number of values below the true median is binomial; here its lower quantile.
    quantile = ceil(bdtrik((1 - CONFIDENCE) / 2, count, 0.5))
    if quantile > 0 and bdtr(quantile - 1, count, 0.5) >= (1 - CONFIDENCE) / 2:
        quantile -= 1
    least = max(quantile - 1, 0)
    return Estimate(float(np.median(values)), float(ordered[least]), float(ordered[-1 - least]))


def paired_difference(first: np.ndarray, second: np.ndarray) -> Estimate:
    """Return how much more often ``second`` won than ``first``, on the same games.

    The interval holds the differences that `paired_score` does not reject, so it excludes 0 exactly
    where the p value of `experiments.stats.comparisons.mcnemar` is below 0.05.  The value is the
    plain difference.  ``first``, ``second``: (games,) bool, whether each game was won.  Raises
    ValueError if there are no games, or not the same number.
    """
    gained, lost, games = discordant(first, second)
    value, bounds = (gained - lost) / games, []
    for outside in (-1.0, 1.0):
        inside = value
        for _ in range(_HALVINGS):
            # 0 is tried first, so that rounding cannot make interval and p value disagree.
            middle = 0.0 if inside * outside < 0 else (inside + outside) / 2
            if abs(paired_score(gained, lost, games, middle)) <= Z:
                inside = middle
            else:
                outside = middle
        bounds.append(inside)
    return Estimate(value, *bounds)


def paired_score(gained: int, lost: int, games: int, difference: float = 0.0) -> float:
    """Return how many standard errors a paired difference is above ``difference``.

    This is Tango's score [Tango 1998, Statistics in Medicine 17]; at difference 0 it is McNemar's.
    It is shrunk towards 0 by half a game, half the step between two results: without that the
    coverage is only 93 % where few games differ.  ``gained``, ``lost``: games that only the second,
    only the first player won.
    """
    surplus, size = gained - lost - games * difference, abs(difference)
    excess = abs(surplus) - 0.5
    if excess <= 0:
        return 0.0
    counts = (gained, lost) if difference >= 0 else (lost, gained)
    rarer = rarer_share(*counts, games, size)
    error = sqrt(max(games * (2 * rarer + size * (1 - size)), 0.0))
    return copysign(excess / error if error else inf, surplus)


def rarer_share(commoner: Any, rarer: Any, games: Any, difference: Any) -> Any:
    """Return the maximum-likelihood share of the rarer discordant games, given a difference.

    The commoner kind has that share plus ``difference``, which is not negative: the root of the
    quadratic equation of [Tango 1998].  All four are numbers or arrays; ``commoner``, ``rarer``:
    counts of either kind.
    """
    linear = (commoner + rarer) * (1 - difference) - 2 * difference * (games - commoner)
    root = (linear**2 + 8 * games * rarer * difference * (1 - difference)) ** 0.5
    return (linear + root) / (4 * games)


def discordant(first: np.ndarray, second: np.ndarray) -> tuple[int, int, int]:
    """Return the games that only ``second`` won, those that only ``first`` won, and all games.

    ``first``, ``second``: (games,) bool, whether each game was won.  Raises ValueError if there are
    no games, or not the same number.
    """
    first, second = np.asarray(first, bool), np.asarray(second, bool)
    if first.shape != second.shape or first.ndim != 1 or not first.size:
        raise ValueError("paired results must be two equally long rows of games, not empty")
    return (
        int(np.count_nonzero(~first & second)),
        int(np.count_nonzero(first & ~second)),
        first.size,
    )


@dataclass(frozen=True)
class Mean(Estimate):
    """A mean with its standard error and its interval of confidence `CONFIDENCE`."""

    error: float


def clustered_means(totals: np.ndarray, counts: np.ndarray, seed: int) -> list[Mean]:
    """Return means of measurements that are dependent within games, independent between them.

    The bootstrap resamples whole games [Efron & Tibshirani 1993, s. 8], with percentile intervals;
    the means of one call share the resamples.  ``totals``, ``counts``: (means, games), sum and
    number of the measurements of each game; ``seed``: of the bootstrap.  Raises ValueError if there
    are fewer than two games, or a mean has no measurement.
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

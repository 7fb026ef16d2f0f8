"""Intervals valid at all numbers of games simultaneously, hence under any stopping rule.

A fixed-sample interval errs with 5 % at one number of games, and with much more at the first number
where it shows the hoped-for result.  Those here contain the truth after *all* numbers of games with
`CONFIDENCE`, and are 1.5 to 2 times as wide at 100 to 10,000 games.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from scipy.special import betaln, lambertw, xlog1py, xlogy

from experiments.stats.intervals import CONFIDENCE, Estimate, discordant

TUNED_TO = 1000
"""Number of games for which the interval of a difference is tuned to be narrowest."""


def win_rate_anytime(wins: int, games: int) -> Estimate:
    """Return the share of games won with an interval for any stopping rule.

    The interval holds the rates not refuted by the beta-binomial mixture martingale with uniform
    prior: a rate p is refuted once B(1 + wins, 1 + losses) / (p^wins (1 - p)^losses) exceeds 1 /
    0.05 [Robbins 1970, Annals of Mathematical Statistics 41; Howard et al. 2021, Annals of
    Statistics 49].  It is exact and valid from the first game on.  Raises ValueError if no game was
    played, or more games were won than played.
    """
    from scipy.optimize import brentq  # slow import

    if not 0 <= wins <= games or games < 1:
        raise ValueError(f"{wins} of {games} games cannot have been won")
    losses = games - wins
    rate = wins / games
    mixture = betaln(1 + wins, 1 + losses)
    limit = -log(1 - CONFIDENCE)

    def evidence(p: float) -> float:
        """Return by how much the log martingale at ``p`` is above its limit; convex in ``p``."""
        return float(mixture - xlogy(wins, p) - xlog1py(losses, -p)) - limit

    low = 0.0 if wins == 0 else brentq(evidence, 0.0, rate)
    high = 1.0 if losses == 0 else brentq(evidence, rate, 1.0)
    return Estimate(rate, low, high)


def paired_difference_anytime(first: np.ndarray, second: np.ndarray) -> Estimate:
    """Return how much more often ``second`` won than ``first``, for any stopping rule.

    The asymptotic confidence sequence of [Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas 2024,
    Annals of Statistics 52, s. 2], tuned to `TUNED_TO` games.  Half a game in each cell of the 2 x
    2 table shrinks the centre towards 0 and keeps the standard error positive where no game differs
    [Agresti and Min 2005, Statistics in Medicine 24].  Like any normal approximation it holds for
    rules that look at about 50 games or more.  ``first``, ``second``: (games,) bool, whether each
    game was won.  Raises ValueError if there are no games, or not the same number.
    """
    gained, lost, games = discordant(first, second)
    total = games + 2
    centre = (gained - lost) / total
    margin = boundary(games) * sqrt(((gained + lost + 1) / total - centre**2) / total)
    return Estimate((gained - lost) / games, max(-1.0, centre - margin), min(1.0, centre + margin))


def boundary(games: int) -> float:
    """Return the half width in standard errors: Robbins' normal mixture, scaled by ``games``."""
    alpha = 1 - CONFIDENCE
    # The mixture variance that minimises the boundary at TUNED_TO games.
    rho2 = (-lambertw(-(alpha**2) / np.e, -1).real - 1) / TUNED_TO
    scale = games * rho2 + 1
    return sqrt(2 * scale / (games * rho2) * log(sqrt(scale) / alpha))

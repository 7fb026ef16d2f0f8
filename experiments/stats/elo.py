"""Elo differences, and likelihood of superiority.

Elo follows Luce's rule: 400 points per factor of 10 in the odds [Luce 1959, Individual Choice
Behavior], which for two players is the Bradley-Terry model.
"""

from __future__ import annotations

from math import log

import numpy as np
from scipy.special import expit, logit, ndtr

from experiments.stats.intervals import Estimate

_ELO = 400 / log(10)


def elo_to_win_rate(elo: float, players: int, seats: int = 1) -> float:
    """Return the win rate of a player ``elo`` above all others at its table.

    Each seat wins in proportion to 10^(Elo / 400).  Draws are not modelled.  Raises ValueError if
    the player holds no seat, or all of them.
    """
    if not 0 < seats < players:
        raise ValueError(f"a player in {seats} of {players} seats has no opponents")
    return float(expit(elo * log(10) / 400 + log(seats / (players - seats))))


def elo_to_difference(elo: float, rate: np.ndarray) -> np.ndarray:
    """Return how much more often a player ``elo`` above one that wins ``rate`` wins.

    By Luce's rule, in the same seats against the same others, which cancel.
    """
    return expit(logit(rate) + elo * log(10) / 400) - rate


def elo_above(rate: Estimate, reference: float, games: int) -> Estimate:
    """Return the Elo of a player with win ``rate`` above one that wins ``reference``.

    The interval has the coverage of the rate's, and excludes 0 where that excludes ``reference``.
    """
    below = _elo(reference, games)
    return Estimate(*(_elo(each, games) - below for each in (rate.value, rate.low, rate.high)))


def paired_elo(difference: Estimate, mean: float, games: int) -> Estimate:
    """Return the Elo of one player above another on the same games.

    It is the Elo between two rates with this difference and ``mean``, which is known far better
    than their difference; so it excludes 0 exactly where ``difference`` does, with the same
    coverage.
    """
    halves = (each / 2 for each in (difference.value, difference.low, difference.high))
    return Estimate(*(_elo(mean + half, games) - _elo(mean - half, games) for half in halves))


def _elo(rate: float, games: int) -> float:
    """Return ``rate`` in Elo, kept half a game away from 0 and 1, where Elo diverges."""
    half = 0.5 / (games + 1)
    return _ELO * float(logit(min(max(rate, half), 1 - half)))


def likelihood_of_superiority(score: float) -> float:
    """Return the probability that the better player is truly better, from ``score``.

    ``score``: the result in standard errors.  Above 97.5 % exactly where the 95 % interval of the
    same score excludes 0.
    """
    return float(ndtr(score))

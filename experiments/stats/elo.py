"""Elo of players, and how likely one is the better.

Elo are those of Luce's rule: 400 for each factor of 10 in the odds [Luce 1959, Individual Choice
Behavior], which for two players is Bradley and Terry's.
"""

from __future__ import annotations

from math import log

import numpy as np
from scipy.special import expit, logit, ndtr

from experiments.stats.intervals import Estimate

_ELO = 400 / log(10)


def elo_to_win_rate(elo: float, players: int, seats: int = 1) -> float:
    """Return the win rate of a player ``elo`` above all others at its table.

    The chance to win is in proportion to 10^(Elo / 400), seat by seat.  Draws are not modelled.
    Raises ValueError if the player holds no seat, or all of them.
    """
    if not 0 < seats < players:
        raise ValueError(f"a player in {seats} of {players} seats has nobody to be compared with")
    return float(expit(elo * log(10) / 400 + log(seats / (players - seats))))


def elo_to_difference(elo: float, rate: np.ndarray) -> np.ndarray:
    """Return how much more often a player wins that is ``elo`` above one that wins ``rate``.

    By Luce's rule, in the same seats against the same others; they and the seats cancel.
    """
    return expit(logit(rate) + elo * log(10) / 400) - rate


def elo_above(rate: Estimate, reference: float, games: int) -> Estimate:
    """Return by how many Elo a player with the win ``rate`` is above one that wins ``reference``.

    The interval holds whenever that of the rate holds, and excludes 0 where that excludes
    ``reference``.
    """
    below = _elo(reference, games)
    return Estimate(*(_elo(each, games) - below for each in (rate.value, rate.low, rate.high)))


def paired_elo(difference: Estimate, mean: float, games: int) -> Estimate:
    """Return by how many Elo one of two players is above the other on the same games.

    The Elo of two rates that differ as much and have the same ``mean``, which is known far better
    than their difference: so it excludes 0 exactly where ``difference`` does, and holds as often.
    """
    halves = (each / 2 for each in (difference.value, difference.low, difference.high))
    return Estimate(*(_elo(mean + half, games) - _elo(mean - half, games) for half in halves))


def _elo(rate: float, games: int) -> float:
    """Return ``rate`` in Elo, kept half a game away from 0 and 1, where Elo have no end."""
    half = 0.5 / (games + 1)
    return _ELO * float(logit(min(max(rate, half), 1 - half)))


def likelihood_of_superiority(score: float) -> float:
    """Return how likely the better result is no luck, from its ``score`` in standard errors.

    Above 97.5 % exactly where the 95 % interval of the same score excludes no difference.
    """
    return float(ndtr(score))

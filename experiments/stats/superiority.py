"""The superiority of one player over another: in Elo, and how likely it is.

Elo are those of Luce's rule (`experiments.stats.sprt.elo_to_win_rate`): 400 for each factor of 10
in the odds.
"""

from __future__ import annotations

from math import log

from scipy.special import logit, ndtr

from experiments.stats.intervals import Estimate

_ELO = 400 / log(10)


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

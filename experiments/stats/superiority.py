"""The superiority of one player over another: in Elo, and how likely it is.

Elo are those of Luce's rule (`experiments.stats.sprt.elo_to_win_rate`): 400 for each factor of 10
in the odds.
"""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from scipy.special import betainc, logit

from experiments.stats.intervals import Estimate, discordant

_ELO = 400 / log(10)


def elo_above(rate: Estimate, reference: float, games: int) -> Estimate:
    """Return by how many Elo a player with the win ``rate`` is above one that wins ``reference``.

    The interval holds whenever that of the rate holds.  Rates are kept half a game away from 0 and
    1, where Elo have no end.
    """
    half = 0.5 / (games + 1)
    ends = np.clip([rate.value, rate.low, rate.high, reference], half, 1 - half)
    *found, below = map(float, _ELO * logit(ends))
    return Estimate(*(elo - below for elo in found))


def paired_elo(first: np.ndarray, second: np.ndarray, errors: float) -> Estimate:
    """Return by how many Elo ``second`` is above ``first`` on the same games.

    The interval is by the delta method on the difference of the log odds, with half a game added to
    each cell of the 2 x 2 table as in `experiments.stats.intervals.paired_difference`.  ``first``,
    ``second``: (games,) bool, whether each game was won; ``errors``: standard errors on either side
    of the interval.  Raises ValueError if the games are none, or not the same number.
    """
    gained, lost, games = discordant(first, second)
    both = int(np.count_nonzero(first)) - lost
    total = games + 2.0
    one, two = (both + lost + 1) / total, (both + gained + 1) / total
    spread_one, spread_two = one * (1 - one), two * (1 - two)
    shared = (both + 0.5) / total - one * two
    variance = (1 / spread_one + 1 / spread_two - 2 * shared / (spread_one * spread_two)) / total
    value, margin = _ELO * float(logit(two) - logit(one)), _ELO * errors * sqrt(variance)
    return Estimate(value, value - margin, value + margin)


def likelihood_of_superiority(wins: int, losses: int, parity: float = 0.5) -> float:
    """Return how likely it is, by a uniform prior, that the chance to win exceeds ``parity``.

    Of two players on the same games only those games count that one of them won and not the other.
    """
    return 1.0 - float(betainc(wins + 1, losses + 1, parity))

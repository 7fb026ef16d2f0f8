"""Games and hours needed to detect a difference.

Normal approximations for a two-sided test at 5 % with 80 % power.
"""

from __future__ import annotations

from math import ceil, sqrt

from scipy.special import ndtri

from experiments.stats.intervals import CONFIDENCE

POWER = 0.80

_SURE = float(ndtri((1 + CONFIDENCE) / 2))
_FOUND = float(ndtri(POWER))


def games_for_win_rate(rate: float, reference: float) -> int:
    """Return the games needed to distinguish a win rate from a known one, such as parity.

    [Fleiss, Levin and Paik 2003, Statistical Methods for Rates and Proportions, s. 2.5]; the test
    is whether the Wilson interval excludes the reference.  Raises ValueError if the rates are
    equal, or not between 0 and 1.
    """
    if not (0 < reference < 1 and 0 <= rate <= 1) or rate == reference:
        raise ValueError(f"win rates {rate} and {reference} must differ and lie within 0 to 1")
    spread = _SURE * sqrt(reference * (1 - reference)) + _FOUND * sqrt(rate * (1 - rate))
    return ceil((spread / (rate - reference)) ** 2)


def games_for_difference(difference: float, discordant: float) -> int:
    """Return the games that two players must both play to detect their difference.

    [Connett, Smith and McHugh 1987, Statistics in Medicine 6], for McNemar's test.  ``difference``:
    of the win rates; ``discordant``: share of the games won by exactly one of them.  Raises
    ValueError if the difference is 0, or larger than the discordant share.
    """
    if not 0 < abs(difference) <= discordant <= 1:
        raise ValueError(
            f"a difference of {difference} needs at least as large a share of games that differ, "
            f"not {discordant}"
        )
    spread = _SURE * sqrt(discordant) + _FOUND * sqrt(discordant - difference**2)
    return ceil((spread / difference) ** 2)


def discordant_share(first: float, second: float, correlation: float) -> float:
    """Return the share of games that exactly one of two players wins.

    ``first``, ``second``: win rates; ``correlation``: of the two results of a game; 0 if they are
    independent.  Raises ValueError if no two results with such rates have that correlation.
    """
    spread = sqrt(first * (1 - first) * second * (1 - second))
    both = first * second + correlation * spread
    if not max(0.0, first + second - 1) - 1e-12 <= both <= min(first, second) + 1e-12:
        raise ValueError(f"win rates {first} and {second} cannot have correlation {correlation}")
    return first + second - 2 * both


def hours(games: int, seconds: float, workers: int = 1) -> float:
    """Return the hours that ``games`` of ``seconds`` each take with ``workers``."""
    return games * seconds / workers / 3600

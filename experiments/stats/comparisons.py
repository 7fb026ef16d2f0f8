"""Pairwise comparisons of many players: differences, p values, Holm's correction.

Players either played the same games independently, or sat at the same tables (`round_robin`).  A
difference is second minus first throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtr

from experiments.stats.intervals import Estimate, discordant, paired_difference, paired_score

LEVEL = 0.05
"""P values below it are marked in tables and plots."""
MARKED = f"p below {LEVEL}"
"""The criterion of `holds` in words, for legends."""
ONE_TEST = f"The interval and p are of one test: p is below {LEVEL} where that excludes 0"


@dataclass(frozen=True)
class Comparison:
    """Two players on the same games.

    Attributes
    ----------
    first, second : the players' labels
    games : games that both played
    difference : how much more often the second won, as a fraction of the games
    p : two-sided p value that they win equally often (`mcnemar`)
    p_holm : the same, adjusted for all simultaneous comparisons: among equal players any is below
        0.05 with at most 5 %
    """

    first: str
    second: str
    games: int
    difference: Estimate
    p: float
    p_holm: float


def round_robin(tables: np.ndarray, winners: np.ndarray, labels: Sequence[str]) -> list[Comparison]:
    """Compare all players that met, on the games where both held equally many seats.

    A game counts +1 for the second, -1 for the first, 0 if another seat or no seat won.
    ``tables``: (games, seats) int, player number in each seat; ``winners``: (games,) int, winning
    seat, -1 for a draw; ``labels``: by player number.
    """
    seats = np.stack([(tables == player).sum(axis=1) for player in range(len(labels))])
    champion = np.where(winners < 0, -1, tables[np.arange(len(tables)), winners])
    met = []
    for i, j in combinations(range(len(labels)), 2):
        both = (seats[i] == seats[j]) & (seats[i] > 0)
        if both.any():
            met.append((labels[i], labels[j], champion[both] == i, champion[both] == j))
    return compare(met)


def compare(results: Sequence[tuple[str, str, np.ndarray, np.ndarray]]) -> list[Comparison]:
    """Compare pairs of players simultaneously.

    ``results``: labels of first and second, and (games,) bool for each, whether it won each game.
    Raises ValueError if a pair has no games, or not the same number.
    """
    p = np.array([mcnemar(first, second) for _, _, first, second in results])
    return [
        Comparison(one, other, len(first), paired_difference(first, second), *map(float, values))
        for (one, other, first, second), *values in zip(results, p, holm(p), strict=True)
    ]


def mcnemar(first: np.ndarray, second: np.ndarray) -> float:
    """Return the two-sided p value that both win equally often [McNemar 1947], less half a game.

    It is below 0.05 exactly where the interval of `paired_difference` excludes 0: both use
    `paired_score`.  ``first``, ``second``: (games,) bool, whether each game was won.  Raises
    ValueError if there are no games, or not the same number.
    """
    return 2 * float(ndtr(-abs(paired_score(*discordant(first, second)))))


def holds(p: float) -> bool:
    """Return whether a difference is marked; the legend says `MARKED`, and which p it is."""
    return p < LEVEL


def holm(p: np.ndarray) -> np.ndarray:
    """Return p values adjusted for their number [Holm 1979, Scandinavian Journal of Statistics 6].

    Rejecting those below 0.05 rejects a true hypothesis with at most 5 %, under any dependence.
    ``p``: (comparisons,).
    """
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)

"""Many players compared two by two: differences, p values, Holm's correction.

The players either played the same games each on its own account, or sat at the same tables
(`round_robin`).  A difference is second less first throughout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.special import ndtr

from experiments.stats.intervals import Estimate, discordant, paired_difference, paired_score

LEVEL = 0.05
"""P values below it are marked in tables and pictures."""
MARKED = f"p below {LEVEL}"
"""What `holds` asks, in words, for the legend of what is marked."""
ONE_TEST = f"The interval and p are of one test: p is below {LEVEL} where that excludes 0"


@dataclass(frozen=True)
class Comparison:
    """Two players on the same games.

    Attributes
    ----------
    first, second : the players' labels
    games : in which both were
    difference : how much more often the second won, as a share of the games
    p : that they win equally often (`mcnemar`)
    p_holm : the same, adjusted for all comparisons made at once; below 0.05 for any pair of equal
        players with 5 %
    """

    first: str
    second: str
    games: int
    difference: Estimate
    p: float
    p_holm: float


def round_robin(tables: np.ndarray, winners: np.ndarray, labels: Sequence[str]) -> list[Comparison]:
    """Compare all players that met, on the games where both held equally many seats.

    A game counts +1 for the second, -1 for the first, 0 if another seat won or nobody.  ``tables``:
    (games, seats) int, the number of the player in each seat; ``winners``: (games,) int, the seat
    that won, -1 for a draw; ``labels``: by the number of the player.
    """
    seats = np.stack([(tables == player).sum(axis=1) for player in range(len(labels))])
    champion = np.where(winners < 0, -1, tables[np.arange(len(tables)), winners])

    def find_meetings() -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
        for i, j in combinations(range(len(labels)), 2):
            both = (seats[i] == seats[j]) & (seats[i] > 0)
            if both.any():
                yield labels[i], labels[j], champion[both] == i, champion[both] == j

    return compare(list(find_meetings()))


def compare(results: Sequence[tuple[str, str, np.ndarray, np.ndarray]]) -> list[Comparison]:
    """Compare pairs of players at once.

    ``results``: first and second, and (games,) bool whether each game was won by either.  Raises
    ValueError if the games of a pair are none, or not equally many.
    """
    p = np.array([mcnemar(first, second) for _, _, first, second in results])
    return [
        Comparison(one, other, len(first), paired_difference(first, second), *map(float, values))
        for (one, other, first, second), *values in zip(results, p, holm(p), strict=True)
    ]


def mcnemar(first: np.ndarray, second: np.ndarray) -> float:
    """Return the two-sided p value that both win equally often [McNemar 1947], less half a game.

    Below 0.05 exactly where the interval of `paired_difference` excludes 0: both are of
    `paired_score`.  ``first``, ``second``: (games,) bool, whether each game was won.  Raises
    ValueError if the games are none, or not the same number.
    """
    return 2 * float(ndtr(-abs(paired_score(*discordant(first, second)))))


def holds(p: float) -> bool:
    """Return whether a difference is marked; the legend says `MARKED`, and which p it is."""
    return p < LEVEL


def holm(p: np.ndarray) -> np.ndarray:
    """Return p values adjusted for their number [Holm 1979, Scandinavian Journal of Statistics 6].

    Rejecting those below 0.05 rejects a true hypothesis with at most 5 %, however they depend.
    ``p``: (comparisons,).
    """
    order = np.argsort(p)
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)

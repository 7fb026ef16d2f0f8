"""Sequential probability ratio tests of one player's wins, and of two on the same games.

Both compute the log-likelihood ratio of H1 to H0 after every game and end where it first leaves its
bounds: (-2.94, 2.94), for errors of 5 % under either hypothesis, unless other errors are given.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

import numpy as np

from experiments.stats.intervals import rarer_share

ERROR = 0.05
"""Probability of accepting H1 under H0, and of accepting H0 under H1."""
MINIMUM = 50
"""Minimum games for rules that rest on large-sample approximations."""


@dataclass(frozen=True)
class Verdict:
    """The verdict of a sequential test on the games so far.

    ``games``: after which it ended; all games seen, if it did not; ``llr``: log-likelihood ratio of
    H1 to H0 after those, natural logarithm; ``accepted``: ``"H0"``, ``"H1"`` or, while the test
    continues, None; ``bound``: the ratio at which H1 is accepted; H0 is accepted at its negative
    [Wald 1945].
    """

    games: int
    llr: float
    accepted: str | None
    bound: float

    @property
    def progress(self) -> float:
        """The ratio as a fraction of its bound, negative towards H0."""
        return self.llr / self.bound

    @property
    def games_left(self) -> int | None:
        """Games left at the pace so far; None at the end, or without any."""
        if self.accepted or not self.llr:
            return None
        return ceil(self.games * (self.bound / abs(self.llr) - 1))

    def __str__(self) -> str:
        end = f"{self.accepted} accepted" if self.accepted else "undecided"
        return f"{end} after {self.games} games (LLR {self.llr:.2f}, bounds ±{self.bound:.2f})"


def wins(won: np.ndarray, h0: float, h1: float, errors: float = ERROR) -> Verdict:
    """Test a win rate: Wald's test [Wald 1945, Annals of Mathematical Statistics 16].

    ``won``: (games,) bool, in order of game number; ``h0``, ``h1``: win rates in (0, 1);
    ``errors``: error probability under either hypothesis.
    """
    won = np.asarray(won, bool)
    count = np.cumsum(won)
    losses = np.arange(1, len(won) + 1) - count
    llr = count * log(h1 / h0) + losses * log((1 - h1) / (1 - h0))
    return _verdict(llr, errors, minimum=1)


def difference(
    first: np.ndarray,
    second: np.ndarray,
    h0: np.ndarray | float,
    h1: np.ndarray | float,
    errors: float = ERROR,
) -> Verdict:
    """Test how much more often ``second`` wins: the generalised test on matched pairs.

    The unknown frequency of discordant games is estimated under each hypothesis by maximum
    likelihood [Li, Liu and Ying 2014, Sequential Analysis 33; Van den Bergh, A Practical
    Introduction to the GSPRT], with half a game added to each cell of the 2 x 2 table.  The normal
    approximation of the latter (eq. 2.1) errs with up to 14 % instead of 5 where few games differ.
    ``first``, ``second``: (games,) bool, whether each player won, in order of game number; ``h0``,
    ``h1``: differences of the win rates, in (-1, 1): a number, or (games,) values as of each game;
    ``errors``: error probability under either hypothesis.
    """
    first, second = np.asarray(first, bool), np.asarray(second, bool)
    gained, lost = np.cumsum(~first & second), np.cumsum(first & ~second)
    cells = gained + 0.5, lost + 0.5, np.arange(1, len(first) + 1) - gained - lost + 1.0
    return _verdict(_log_likelihood(*cells, h1) - _log_likelihood(*cells, h0), errors, MINIMUM)


def _log_likelihood(
    gained: np.ndarray, lost: np.ndarray, alike: np.ndarray, difference: np.ndarray | float
) -> np.ndarray:
    forward = np.asarray(difference) >= 0
    commoner, rarer = np.where(forward, gained, lost), np.where(forward, lost, gained)
    d = np.abs(difference)
    x = rarer_share(commoner, rarer, commoner + rarer + alike, d)
    return commoner * np.log(x + d) + rarer * np.log(x) + alike * np.log(1 - 2 * x - d)


def _verdict(llr: np.ndarray, errors: float, minimum: int) -> Verdict:
    """Return the verdict where ``llr``, (games,), first leaves its bounds from ``minimum`` on."""
    bound = log((1 - errors) / errors)
    crossed = np.flatnonzero(np.abs(llr[minimum - 1 :]) >= bound)
    if not len(crossed):
        return Verdict(len(llr), float(llr[-1]) if len(llr) else 0.0, None, bound)
    game = minimum - 1 + int(crossed[0])
    return Verdict(game + 1, float(llr[game]), "H1" if llr[game] > 0 else "H0", bound)

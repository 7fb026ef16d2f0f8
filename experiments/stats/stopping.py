"""Rules of stopping: after all games, at a width of the interval, or by a sequential test.

A rule looks at the results in the order of the games' numbers, never of their completion, so that
the last game counted does not depend on the workers.  Games played beyond it are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from experiments.stats import sprt
from experiments.stats.anytime import paired_difference_anytime, win_rate_anytime
from experiments.stats.elo import elo_to_difference, elo_to_win_rate, paired_elo
from experiments.stats.intervals import (
    Estimate,
    paired_difference,
    wilson_width,
    win_rate,
)
from experiments.stats.sprt import ERROR, MINIMUM, Verdict

LARGEST_ELO = 2000

_NUMBER = r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))"
_WIDTH = re.compile(rf"width:{_NUMBER}(%?)")
_SPRT = re.compile(rf"sprt:{_NUMBER}(%?)[,:]{_NUMBER}(%?)(?:[,:]{_NUMBER}%)?")


@dataclass(frozen=True)
class Stop:
    """The rule ``games``: never early, whatever the results."""

    def check(self, paired: bool) -> None:
        """Refuse what cannot be asked of one player's wins, or of two players' difference.

        Raises ValueError with one sentence for the user.
        """

    def after(self, won: np.ndarray, players: int, seats: int = 1) -> int | None:
        """Return the number of games after which a match of one player ends, or None.

        ``won``: (games,) bool, whether the player won; in the order of the games' numbers, no gaps;
        ``players``: at the table; ``seats``: of them that the player holds.
        """
        return _games_at_end(self.verdict(won, players, seats))

    def after_paired(self, first: np.ndarray, second: np.ndarray) -> int | None:
        """Return the number of games after which a comparison on the same games ends, or None.

        ``first``, ``second``: (games,) bool, whether each player won; in order, no gaps.
        """
        return _games_at_end(self.verdict_paired(first, second))

    def verdict(self, won: np.ndarray, players: int, seats: int = 1) -> Verdict | None:
        """Return what the test says of the results that `after` takes; None if this is no test."""
        return None

    def verdict_paired(self, first: np.ndarray, second: np.ndarray) -> Verdict | None:
        """Return what the test says of the results that `after_paired` takes; None if no test."""
        return None

    def win_rate(self, wins: int, games: int) -> Estimate:
        """Return the win rate with an interval that holds where this rule ends a match."""
        return win_rate(wins, games)

    def difference(self, first: np.ndarray, second: np.ndarray) -> Estimate:
        """Return the paired difference with an interval that holds where this rule ends."""
        return paired_difference(first, second)

    def elo_difference(self, first: np.ndarray, second: np.ndarray) -> Estimate:
        """Return how many Elo ``second`` is above, likewise."""
        return paired_elo(self.difference(first, second), np.mean([first, second]), len(first))


EVERY_GAME = Stop()
"""The rule that ends no match early."""


@dataclass(frozen=True)
class Width(Stop):
    """The rule ``width:0.02``: the first game, from `MINIMUM` on, with so narrow an interval.

    The width depends on the results through their variance alone, so the intervals for a fixed
    number of games keep their coverage [Chow and Robbins 1965, Annals of Mathematical Statistics
    36].  Attribute ``width``: of the whole 95 % interval, in shares of a game: 0.02 is plus or
    minus one per cent.
    """

    width: float

    def after(self, won: np.ndarray, players: int, seats: int = 1) -> int | None:
        won = np.asarray(won, bool)
        widths = wilson_width(np.cumsum(won), np.arange(1, len(won) + 1))
        narrow = np.flatnonzero(widths[MINIMUM - 1 :] <= self.width)
        return MINIMUM + int(narrow[0]) if len(narrow) else None


@dataclass(frozen=True)
class Sprt(Stop):
    """The rules ``sprt:0,30`` and ``sprt:25%,30%``: H0 against H1, see `experiments.stats.sprt`.

    A third part is how often it errs, as in ``sprt:0,30,1%``.

    Attributes
    ----------
    h0, h1 : the hypotheses: Elo above the others at the table, or above the first of two players;
        or, not in Elo, win rates of one player and differences of two players', in shares
    elo : whether they are Elo
    errors : chance to err under either hypothesis
    """

    h0: float
    h1: float
    elo: bool
    errors: float = ERROR

    def check(self, paired: bool) -> None:
        low, high = sorted((self.h0, self.h1))
        if not (self.elo or paired or (low > 0 and high < 1)):
            raise ValueError(
                "match.stop: the sequential test of one player needs win rates between 0 and 100 "
                "per cent, both excluded, as in sprt:25%:30%"
            )

    def verdict(self, won: np.ndarray, players: int, seats: int = 1) -> Verdict:
        """Return what `experiments.stats.sprt.wins` says.

        Raises ValueError as `check`, and if the player does not share the table with others.
        """
        self.check(paired=False)
        h0, h1 = self.h0, self.h1
        if self.elo:
            h0, h1 = (elo_to_win_rate(elo, players, seats) for elo in (h0, h1))
        return sprt.wins(won, h0, h1, self.errors)

    def verdict_paired(self, first: np.ndarray, second: np.ndarray) -> Verdict:
        """Return what `experiments.stats.sprt.difference` says.

        Elo become a difference at the first player's win rate as measured up to each game.
        """
        h0: np.ndarray | float = self.h0
        h1: np.ndarray | float = self.h1
        if self.elo:
            first = np.asarray(first, bool)
            rate = (np.cumsum(first) + 0.5) / (np.arange(len(first)) + 2)
            h0, h1 = (elo_to_difference(elo, rate) for elo in (self.h0, self.h1))
        return sprt.difference(first, second, h0, h1, self.errors)

    def describe(self, verdict: Verdict, player: str, control: str | None = None) -> str:
        """Return ``verdict`` in words: which hypothesis holds, of whom, after how many games."""
        names = {"H0": self.h0, "H1": self.h1}
        if verdict.accepted:
            other = "H0" if verdict.accepted == "H1" else "H1"
            claim = self._claim(names[verdict.accepted], player, control)
            claim += f", not {self._write(names[other], control)}"
        else:
            claim = self._claim(self.h0, player, control, " (H0)")
            claim += f" or {self._write(self.h1, control)} (H1)"
        return f"{claim}: {verdict}, errors {100 * self.errors:g} %"

    def _claim(self, value: float, player: str, control: str | None, mark: str = "") -> str:
        written = self._write(value, control) + mark
        if self.elo:
            return f"{player} is {written} above {control or 'the others'}"
        if control is None:
            return f"{player} wins {written} of the games"
        return f"{player} minus {control} is {written} of the games"

    def _write(self, value: float, control: str | None) -> str:
        if self.elo:
            return f"{value:g} Elo"
        return f"{100 * value:g} %" if control is None or not value else f"{100 * value:+g} %"

    def win_rate(self, wins: int, games: int) -> Estimate:
        return win_rate_anytime(wins, games)

    def difference(self, first: np.ndarray, second: np.ndarray) -> Estimate:
        return paired_difference_anytime(first, second)


def _games_at_end(verdict: Verdict | None) -> int | None:
    return verdict.games if verdict and verdict.accepted else None


def parse(text: str) -> Stop:
    """Return the rule that ``match.stop`` names.

    ``games``; ``width:0.02`` or ``width:2%``; ``sprt:0,30`` in Elo; ``sprt:25%,30%`` in win rates,
    or ``sprt:0%,3%`` in differences of them; a third part is how often it errs, 5 % unless said, as
    in ``sprt:0,30,1%``.  A colon may stand for the comma, which Hydra's command line takes for a
    choice of two values unless the text is quoted twice.  Raises ValueError with one sentence for
    the user, if it names none.
    """
    plain = re.sub(r"\s", "", text)
    if plain == "games":
        return Stop()
    if found := _WIDTH.fullmatch(plain):
        width = float(found[1]) / (100 if found[2] else 1)
        if not 0 < width < 1:
            raise ValueError(
                f"match.stop={text}: the width is that of the whole interval as a share of the "
                "games, above 0 and below 1, as in width:0.02"
            )
        return Width(width)
    if found := _SPRT.fullmatch(plain):
        errors = float(found[5]) / 100 if found[5] else ERROR
        return _sprt(text, float(found[1]), float(found[3]), (found[2], found[4]), errors)
    raise ValueError(
        f"match.stop={text}: choose games, width:0.02, sprt:0:30 (H0 and H1 in Elo) or "
        "sprt:25%:30% (in win rates)"
    )


def _sprt(text: str, h0: float, h1: float, units: tuple[str, str], errors: float) -> Sprt:
    if not 0 < errors < 0.5:
        raise ValueError(f"match.stop={text}: it can err with more than 0 % and less than 50 %")
    if units[0] != units[1]:
        raise ValueError(f"match.stop={text}: give both hypotheses in Elo or both in per cent")
    if h0 == h1:
        raise ValueError(f"match.stop={text}: H0 and H1 are the same; they must differ")
    largest = max(abs(h0), abs(h1))
    if not units[0]:
        if largest > LARGEST_ELO:
            raise ValueError(f"match.stop={text}: give at most {LARGEST_ELO} Elo, either sign")
        return Sprt(h0, h1, elo=True, errors=errors)
    if largest >= 100:
        raise ValueError(f"match.stop={text}: give less than 100 %, either sign")
    return Sprt(h0 / 100, h1 / 100, elo=False, errors=errors)

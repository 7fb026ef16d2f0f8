"""Stopping rules: after all games, at an interval width, or by a sequential test.

A rule reads results in the order of game numbers, not of completion, so that the last counted game
does not depend on the workers.  Games played beyond it are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from experiments.stats import sprt
from experiments.stats.anytime import paired_difference_anytime, win_rate_anytime
from experiments.stats.elo import elo_to_difference, elo_to_win_rate, paired_elo
from experiments.stats.intervals import Estimate, paired_difference, wilson_width, win_rate
from experiments.stats.sprt import ERROR, MINIMUM, Verdict

LARGEST_ELO = 2000

_NUMBER = r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))"
_WIDTH = re.compile(rf"width:{_NUMBER}(%?)")
_SPRT = re.compile(rf"sprt:{_NUMBER}(%?)[,:]{_NUMBER}(%?)(?:[,:]{_NUMBER}%)?")


@dataclass(frozen=True)
class Stop:
    """The rule ``games``: never stop early."""

    def check(self, paired: bool) -> None:
        """Refuse a rule that does not fit one player's wins, or a paired difference.

        Raises ValueError with one sentence for the user.
        """

    def after(self, won: np.ndarray, players: int, seats: int = 1) -> int | None:
        """Return the number of games after which a match of one player ends, or None.

        ``won``: (games,) bool, whether the player won, in order of game number without gaps;
        ``players``: at the table; ``seats``: number that the player holds.
        """
        return _games_at_end(self.verdict(won, players, seats))

    def after_paired(self, first: np.ndarray, second: np.ndarray) -> int | None:
        """Return the number of games after which a paired comparison ends, or None.

        ``first``, ``second``: (games,) bool, whether each player won, in order without gaps.
        """
        return _games_at_end(self.verdict_paired(first, second))

    def verdict(self, won: np.ndarray, players: int, seats: int = 1) -> Verdict | None:
        """Return the test's verdict on the results of `after`; None if this is no test."""
        return None

    def verdict_paired(self, first: np.ndarray, second: np.ndarray) -> Verdict | None:
        """Return the test's verdict on the results of `after_paired`; None if this is no test."""
        return None

    def win_rate(self, wins: int, games: int) -> Estimate:
        """Return the win rate with an interval valid under this rule."""
        return win_rate(wins, games)

    def difference(self, first: np.ndarray, second: np.ndarray) -> Estimate:
        """Return the paired difference with an interval valid under this rule."""
        return paired_difference(first, second)

    def elo_difference(self, first: np.ndarray, second: np.ndarray) -> Estimate:
        """Return the Elo of ``second`` above ``first``, likewise."""
        return paired_elo(self.difference(first, second), np.mean([first, second]), len(first))


EVERY_GAME = Stop()
"""The rule that ends no match early."""


@dataclass(frozen=True)
class Width(Stop):
    """The rule ``width:0.02``: stop at the first game, from `MINIMUM` on, with this width.

    The width depends on the results only through their variance, so intervals for a fixed number of
    games keep their coverage [Chow and Robbins 1965, Annals of Mathematical Statistics 36].
    Attribute ``width``: of the whole 95 % interval, as a fraction: 0.02 is plus or minus one per
    cent.
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

    A third part is the error probability, as in ``sprt:0,30,1%``.

    ``h0``, ``h1``: the hypotheses: Elo above the others at the table, or above the first of two
    players; if not in Elo, win rates of one player or differences of two players', as fractions;
    ``elo``: whether they are in Elo; ``errors``: error probability under either hypothesis.
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
        """Return the verdict of `experiments.stats.sprt.wins`.

        Raises ValueError as `check`, and if the player has no opponents at the table.
        """
        self.check(paired=False)
        h0, h1 = self.h0, self.h1
        if self.elo:
            h0, h1 = (elo_to_win_rate(elo, players, seats) for elo in (h0, h1))
        return sprt.wins(won, h0, h1, self.errors)

    def verdict_paired(self, first: np.ndarray, second: np.ndarray) -> Verdict:
        """Return the verdict of `experiments.stats.sprt.difference`.

        Elo is converted to a difference at the first player's win rate as of each game.
        """
        h0: np.ndarray | float = self.h0
        h1: np.ndarray | float = self.h1
        if self.elo:
            first = np.asarray(first, bool)
            rate = (np.cumsum(first) + 0.5) / (np.arange(len(first)) + 2)
            h0, h1 = (elo_to_difference(elo, rate) for elo in (self.h0, self.h1))
        return sprt.difference(first, second, h0, h1, self.errors)

    def describe(self, verdict: Verdict, player: str, control: str | None = None) -> str:
        """Return ``verdict`` in words: the accepted hypothesis, the players, and the games."""
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
    or ``sprt:0%,3%`` in differences of them; a third part is the error probability, 5 % by default,
    as in ``sprt:0,30,1%``.  A colon may replace the comma, which Hydra's command line reads as a
    choice of two values unless the text is quoted twice.  Raises ValueError with one sentence for
    the user if the rule is invalid.
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
        raise ValueError(f"match.stop={text}: give errors above 0 % and below 50 %")
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

"""Games turn by turn: ends, winners, and what planners know.

Turns are counted over all players, from 1.  Rows are read part by part (`experiments.runs.rows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import stdtrit

from experiments.matches.part_files import GAMES
from experiments.runs.figures import Moment
from experiments.runs.rows import apart, by_part
from experiments.stats.intervals import CONFIDENCE, Estimate

MIN_GAMES = 5
"""Minimum number of games for a moment to be shown."""

_PLAYER = ["match", "player"]


@dataclass(frozen=True)
class Ends:
    """Turns at which the games of one player of a match ended, and its wins among them.

    Attributes ``turns``: (n,) int, distinct lengths of games in turns, ascending; ``games``,
    ``wins``: (n,) int, for games of that length.
    """

    turns: np.ndarray
    games: np.ndarray
    wins: np.ndarray

    @property
    def total(self) -> int:
        """All games."""
        return int(self.games.sum())

    def quantile(self, share: float) -> int:
        """Return the turn by which ``share`` of the games have ended."""
        return int(self.turns[np.searchsorted(np.cumsum(self.games), share * self.total)])

    def spans(self, limit: int) -> list[slice]:
        """Return at most ``limit`` ranges of `turns` with about equally many games each."""
        before = np.cumsum(self.games) - self.games
        group = before * limit // self.total
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        return [
            slice(int(start), int(end))
            for start, end in zip(starts, [*starts[1:], len(group)], strict=True)
        ]


def well_sampled(moments: Sequence[Moment]) -> list[Moment]:
    """Return the moments with at least `MIN_GAMES` games, enough for an interval."""
    return [moment for moment in moments if moment.games >= MIN_GAMES]


def bits(moment: Moment) -> Estimate:
    """Return the mean of a `well_sampled` moment with Student's interval, cut off at 0 bits."""
    assert moment.error is not None, "it has several games"
    margin = float(stdtrit(moment.games - 1, (1 + CONFIDENCE) / 2)) * moment.error
    return Estimate(moment.bits, max(0.0, moment.bits - margin), moment.bits + margin)


def ends(folder: Path) -> dict[tuple[str, str], Ends]:
    """Return the ends of games, by match and player, of the run in ``folder``.

    A game counts once per player, however many seats it has.  Raises Refusal if there are no games,
    or a part cannot be read.
    """
    turns = [*_PLAYER, "turns"]

    def count_ends(part: pl.LazyFrame) -> pl.LazyFrame:
        games = part.group_by(*turns, "game").agg(pl.col("won").max())
        return games.group_by(turns).agg(pl.len().alias("games"), pl.col("won").sum())

    found = by_part(folder, GAMES, count_ends).group_by(turns).agg(pl.col("games", "won").sum())
    return {
        who: Ends(*(mine[name].to_numpy().astype(int) for name in ("turns", "games", "won")))
        for who, mine in apart(found.sort("turns"), _PLAYER).items()
    }


def envelopes(folder: Path) -> dict[tuple[str, str], tuple[Moment, ...]]:
    """Return the envelope's entropy before a planner's decisions, by match and player.

    A turn with several decisions of one seat counts with their mean.  Raises Refusal if there are
    no decisions, or a part cannot be read.
    """
    bits = pl.col("envelope")

    def find_known(part: pl.LazyFrame) -> pl.LazyFrame:
        turn = part.filter(bits.is_not_null()).group_by(*_PLAYER, "game", "turn", "seat")
        return turn.agg(bits.mean())

    found = (
        by_part(folder, "decisions", find_known)
        .group_by(*_PLAYER, "turn")
        .agg(pl.len().alias("games"), bits.mean(), bits.std(ddof=1).alias("deviation"))
        .sort("turn")
    )
    columns = ("turn", "games", "envelope", "deviation")
    return {
        who: tuple(
            Moment(turn, games, mean, None if games < 2 else deviation / sqrt(games))
            for turn, games, mean, deviation in mine.select(columns).iter_rows()
        )
        for who, mine in apart(found, _PLAYER).items()
    }

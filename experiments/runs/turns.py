"""What a game looks like turn by turn: when games end and who wins them, what planners know.

Turns are those of all players together, from 1.  Rows are read part by part
(`experiments.matches.results.stream`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.special import stdtrit

from experiments.matches.results import GAMES, stream
from experiments.runs.figures import Moment
from experiments.stats.intervals import CONFIDENCE, Estimate

LEAST = 5
"""Games below which a moment is not shown."""

_PLAYER = ["match", "player"]


@dataclass(frozen=True)
class Ends:
    """When the games of one player of a match ended, and how many of them it won.

    Attributes
    ----------
    turns : (n,) int, different numbers of turns after which games ended, ascending
    games, wins : (n,) int, of games that ended after so many
    """

    turns: np.ndarray
    games: np.ndarray
    wins: np.ndarray

    @property
    def total(self) -> int:
        """All games."""
        return int(self.games.sum())

    def quantile(self, share: float) -> int:
        """Return the turn after which ``share`` of the games are over."""
        return int(self.turns[np.searchsorted(np.cumsum(self.games), share * self.total)])

    def spans(self, most: int) -> list[slice]:
        """Return at most ``most`` ranges of `turns` that hold about equally many games."""
        before = np.cumsum(self.games) - self.games
        group = before * most // self.total
        starts = np.flatnonzero(np.diff(group, prepend=-1))
        return [
            slice(int(start), int(end))
            for start, end in zip(starts, [*starts[1:], len(group)], strict=True)
        ]


def telling(moments: Sequence[Moment]) -> list[Moment]:
    """Return the moments of `LEAST` games or more, whose spread tells something."""
    return [each for each in moments if each.games >= LEAST]


def bits(moment: Moment) -> Estimate:
    """Return the mean of a `telling` moment with Student's interval, of bits not below 0."""
    margin = float(stdtrit(moment.games - 1, (1 + CONFIDENCE) / 2)) * moment.error
    return Estimate(moment.bits, max(0.0, moment.bits - margin), moment.bits + margin)


def ends(folder: Path) -> dict[tuple[str, str], Ends]:
    """Return when games ended, by match and player, of the run in ``folder``.

    A game counts once for a player, however many seats it has.

    Raises
    ------
    Refusal
        If there are no games, or a part cannot be read.
    """
    counted = []
    for part in stream(folder, GAMES, [*_PLAYER, "game", "turns", "won"]):
        at = part.column_names.index("won")
        part = part.set_column(at, "won", pc.cast(part["won"], pa.int64()))
        games = part.group_by([*_PLAYER, "game", "turns"]).aggregate([("won", "max")])
        counted.append(
            _renamed(games, [*_PLAYER, "turns"], [("won_max", "count"), ("won_max", "sum")])
        )
    found = _renamed(
        pa.concat_tables(counted),
        [*_PLAYER, "turns"],
        [("won_max_count", "sum"), ("won_max_sum", "sum")],
    ).sort_by("turns")
    return {
        who: Ends(*(table.column(at).to_numpy() for at in (2, 3, 4))) for who, table in _each(found)
    }


def envelopes(folder: Path) -> dict[tuple[str, str], tuple[Moment, ...]]:
    """Return the entropy of the envelope before a planner's decisions, by match and player.

    A turn with several decisions of one seat counts with their mean.

    Raises
    ------
    Refusal
        If there are no decisions, or a part cannot be read.
    """
    turns = []
    for part in stream(folder, "decisions", [*_PLAYER, "game", "turn", "seat", "envelope"]):
        known = part.filter(pc.is_valid(part["envelope"]))
        turns.append(_renamed(known, [*_PLAYER, "game", "turn", "seat"], [("envelope", "mean")]))
    spread = pc.VarianceOptions(ddof=1)
    found = _renamed(
        pa.concat_tables(turns),
        [*_PLAYER, "turn"],
        [
            ("envelope_mean", "count"),
            ("envelope_mean", "mean"),
            ("envelope_mean", "stddev", spread),
        ],
    ).sort_by("turn")
    return {
        who: tuple(
            Moment(turn, games, bits, None if games < 2 else deviation / sqrt(games))
            for turn, games, bits, deviation in zip(
                *(table.column(at).to_pylist() for at in range(2, 6)), strict=True
            )
        )
        for who, table in _each(found)
    }


def _renamed(table: pa.Table, keys: list[str], measures: list[tuple]) -> pa.Table:
    """Return ``measures`` of ``table`` by ``keys``, which come first."""
    found = table.group_by(keys).aggregate(measures)
    return found.select([*keys, *(name for name in found.column_names if name not in keys)])


def _each(table: pa.Table) -> Iterator[tuple[tuple[str, str], pa.Table]]:
    """Yield the rows of each match and player."""
    for match, player in sorted(
        set(zip(table["match"].to_pylist(), table["player"].to_pylist(), strict=True))
    ):
        both = pc.and_(pc.equal(table["match"], match), pc.equal(table["player"], player))
        yield (match, player), table.filter(both)

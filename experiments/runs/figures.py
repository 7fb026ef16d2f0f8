"""Statistics of Tables 4.3 and 4.4 of [Ledford 2018], from rows of games and of details.

Rows are read part by part (`experiments.runs.rows`); only a few sums per game are kept.  Intervals
are 95 % and clustered by game, because suggestions of one game are dependent.  A mean over
suggestions is the ratio of two sums over games, with its linearised interval [Cochran 1977,
Sampling Techniques, s. 6.4].  The published 1.79 to 1.87 bits per suggestion are means of per-game
means, which weight short and long games equally; both are computed.

A game that runs into the turn cap has about a thousand uninformative suggestions: 17 such games in
1,000 move the mean of four Heuristics from 1.44 to 0.95 bits per suggestion, and from 120 to 169
turns.  The published figures seem to leave out games without a winner.

Players with the same name are pooled over seats; matches are kept apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from experiments.matches.part_files import GAMES
from experiments.runs import rows
from experiments.runs.rows import apart, by_part
from experiments.stats.intervals import Estimate, mean, median

_PLAYER = ["match", "player"]
_GAME = [*_PLAYER, "game"]


@dataclass(frozen=True)
class Suggesting:
    """Statistics of one player's suggestions in one match; Table 4.3.

    Estimates are None with fewer than two games.

    Attributes
    ----------
    games, suggestions : games in which the player suggested, and its suggestions in all of them
    decrease, game_decrease : bits by which a suggestion reduced the whole factored belief: mean
        over suggestions, and mean of per-game means
    known, game_known : cards of the three that the suggester already knew, likewise
    own : cards of the three in its hand, mean over suggestions
    envelope_decrease : bits by which a suggestion reduced the envelope's exact entropy, where known
    """

    match: str
    player: str
    games: int
    suggestions: int
    decrease: Estimate | None
    game_decrease: Estimate | None
    known: Estimate | None
    game_known: Estimate | None
    own: Estimate | None
    envelope_decrease: Estimate | None


@dataclass(frozen=True)
class Lasting:
    """Game lengths of one match; Table 4.4.  Estimates are None for a single game.

    ``undecided``: games without a winner: all accused wrongly, or the turn cap; ``turns``,
    ``suggestions``: per game, over all players; ``by_player``: suggestions per game and seat.
    """

    match: str
    games: int
    undecided: int
    turns: Estimate | None
    median_turns: Estimate
    least_turns: int
    most_turns: int
    suggestions: Estimate | None
    by_player: dict[str, Estimate | None]


@dataclass(frozen=True)
class Deciding:
    """Statistics of one player's searches in one match.

    ``simulations``, ``seconds``: per decision; ``kinds``: decisions by kind of action, as named in
    `sim.records.events`.
    """

    match: str
    player: str
    games: int
    decisions: int
    simulations: Estimate | None
    seconds: Estimate | None
    kinds: dict[str, int]


def suggestion_stats(folder: Path) -> list[Suggesting]:
    """Return the statistics of each match and player in the run ``folder``.

    Raises Refusal if the folder has no rows of suggestions, or a part cannot be read.
    """
    before, after = pl.col("envelope_before"), pl.col("envelope_after")
    sums = (
        (pl.col("entropy_before") - pl.col("entropy_after")).sum().alias("lost"),
        pl.col("known", "own").sum(),
        (before - after).sum().alias("envelope_lost"),
        (before - after).count().alias("envelope_known"),
    )
    games = by_part(folder, "suggestions", lambda part: part.group_by(_GAME).agg(pl.len(), *sums))
    return [
        Suggesting(
            match=match,
            player=player,
            games=mine.height,
            suggestions=int(mine["len"].sum()),
            decrease=ratio(mine["lost"], mine["len"]),
            game_decrease=_mean(mine["lost"] / mine["len"]),
            known=ratio(mine["known"], mine["len"]),
            game_known=_mean(mine["known"] / mine["len"]),
            own=ratio(mine["own"], mine["len"]),
            envelope_decrease=ratio(mine["envelope_lost"], mine["envelope_known"]),
        )
        for (match, player), mine in apart(games.sort("game"), _PLAYER).items()
    ]


def game_lengths(folder: Path) -> list[Lasting]:
    """Return the game lengths of each match of the run in ``folder``.

    Matches without a game are left out; raises Refusal as `suggestion_stats`.
    """
    games = rows.games(folder).sort("game")
    asked = by_part(
        folder, GAMES, lambda part: part.group_by(_GAME).agg(pl.len(), pl.col("suggestions").sum())
    )
    shares: dict[str, dict[str, Estimate | None]] = {}
    for (match, player), mine in apart(asked.sort("game"), _PLAYER).items():
        shares.setdefault(match, {})[player] = ratio(mine["suggestions"], mine["len"])
    return [
        Lasting(
            match=match,
            games=mine.height,
            undecided=mine.filter(pl.col("winner") < 0).height,
            turns=_mean(mine["turns"]),
            median_turns=median(mine["turns"].to_numpy()),
            least_turns=int(mine["turns"].to_numpy().min()),
            most_turns=int(mine["turns"].to_numpy().max()),
            suggestions=_mean(mine["game_suggestions"]),
            by_player=shares[match],
        )
        for (match,), mine in apart(games, ["match"]).items()
    ]


def decision_stats(folder: Path) -> list[Deciding]:
    """Return the search statistics of each match and planner in the run ``folder``.

    Raises Refusal as `suggestion_stats`.
    """
    spent, kind = ["simulations", "seconds"], [*_PLAYER, "kind"]
    games = by_part(
        folder, "decisions", lambda part: part.group_by(_GAME).agg(pl.len(), pl.col(spent).sum())
    )
    kinds = by_part(folder, "decisions", lambda part: part.group_by(kind).agg(pl.len()))
    counts = apart(kinds.group_by(kind).agg(pl.col("len").sum()).sort("kind"), _PLAYER)
    return [
        Deciding(
            match=match,
            player=player,
            games=mine.height,
            decisions=int(mine["len"].sum()),
            **{name: ratio(mine[name], mine["len"]) for name in spent},
            kinds=dict(counts[match, player].select("kind", "len").iter_rows()),
        )
        for (match, player), mine in apart(games.sort("game"), _PLAYER).items()
    ]


def _mean(values: pl.Series | np.ndarray) -> Estimate | None:
    return mean(np.asarray(values)) if len(values) > 1 else None


def ratio(totals: pl.Series | np.ndarray, counts: pl.Series | np.ndarray) -> Estimate | None:
    """Return a mean over measurements from (games,) sums and counts, with the interval by game."""
    sums, numbers = np.asarray(totals), np.asarray(counts)
    if not numbers.sum():
        return None
    ratio = sums.sum() / numbers.sum()
    # Their mean is the ratio; their spread is the ratio's to first order.
    return _mean(ratio + (sums - ratio * numbers) / numbers.mean())

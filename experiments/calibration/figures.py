"""Predictions of searches and what came of them, from the rows of decisions and of games.

A search predicts the winning chance of the action that it plays: the mean of its simulations.
Decisions of one game are dependent, so intervals are by game: a mean over decisions is the ratio of
two sums over games (`experiments.runs.figures.ratio`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from experiments.matches.part_files import GAMES
from experiments.runs.figures import ratio
from experiments.runs.rows import apart, by_part
from experiments.stats.intervals import Estimate, columns, win_rate

ACCUSATION = "accusation"

FEWEST = 10
"""Games that an interval of several decisions a game needs."""

_GAME = ["match", "game"]
_BINS = 10


@dataclass(frozen=True)
class Group:
    """Decisions of one player that have something in common.

    Attributes
    ----------
    name : what they have in common
    decisions, games : their numbers
    predicted, won : mean winning chance by the search, and share that won
    bias : predicted minus won; this and ``won`` are None where games are too few
    """

    name: str
    decisions: int
    games: int
    predicted: float
    won: Estimate | None
    bias: Estimate | None


def load(folder: Path) -> dict[tuple[str, str], pl.DataFrame]:
    """Return the decisions of the run in ``folder`` by match and player.

    Columns are ``game``, ``kind``, ``round``, ``value``, ``going_on``, ``accusing`` and ``won``.
    Raises Refusal if there are no decisions, or a part cannot be read.
    """
    columns = ["match", "player", "game", "seat", "turn", "kind", "value", "going_on", "accusing"]
    made = by_part(
        folder, "decisions", lambda part: part.filter(pl.col("value").is_not_null()).select(columns)
    )
    ends = by_part(folder, GAMES, lambda part: part.select(*_GAME, "seat", "won"))
    players = ends.group_by("match").agg(pl.col("seat").max() + 1).rename({"seat": "players"})
    there = made.join(ends, on=[*_GAME, "seat"]).join(players, on="match")
    rounds = ((pl.col("turn") - 1) // pl.col("players") + 1).alias("round")
    return apart(there.with_columns(rounds).sort("game"), ["match", "player"])


def overall(made: pl.DataFrame) -> Group:
    """Return all decisions but accusations together."""
    return _group("going on", made.filter(pl.col("kind") != ACCUSATION))


def by_kind(made: pl.DataFrame) -> list[Group]:
    """Return the decisions by kind of action; an accusation is won if it is right."""
    return [_group(str(kind), part) for (kind,), part in apart(made, ["kind"]).items()]


def by_round(made: pl.DataFrame, least: int) -> list[Group]:
    """Return the decisions that do not accuse by round, those of ``least`` games or more."""
    going_on = made.filter(pl.col("kind") != ACCUSATION)
    groups = (_group(str(turn), part) for (turn,), part in apart(going_on, ["round"]).items())
    return [group for group in groups if group.games >= least]


def by_prediction(made: pl.DataFrame) -> list[Group]:
    """Return the decisions by what was predicted, in tenths."""
    tenth = (pl.col("value") * _BINS).floor().clip(0, _BINS - 1).cast(pl.Int64).alias("tenth")
    parts = apart(made.with_columns(tenth), ["tenth"])
    return [_group(_tenth(number), part) for (number,), part in parts.items()]


def accusations(made: pl.DataFrame) -> pl.DataFrame:
    """Return the decisions that accuse."""
    return made.filter(pl.col("kind") == ACCUSATION)


def _tenth(number: int) -> str:
    return f"{number / _BINS:.1f} to {(number + 1) / _BINS:.1f}"


def _group(name: str, part: pl.DataFrame) -> Group:
    games = part.group_by("game").agg(
        pl.len().alias("decisions"),
        pl.col("won").cast(pl.Float64).sum(),
        (pl.col("value") - pl.col("won").cast(pl.Float64)).sum().alias("bias"),
    )
    counts = games["decisions"]
    return Group(
        name=name,
        decisions=part.height,
        games=games.height,
        predicted=float(part["value"].to_numpy().mean()) if part.height else float("nan"),
        won=_share(games["won"], counts),
        bias=ratio(games["bias"], counts) if games.height >= FEWEST else None,
    )


def _share(wins: pl.Series, decisions: pl.Series) -> Estimate | None:
    """Return the share of decisions in games that were won; Wilson's interval for one a game."""
    if len(wins) and (decisions == 1).all():
        return win_rate(int(wins.sum()), len(wins))
    found = ratio(wins, decisions) if len(wins) >= FEWEST else None
    return found and Estimate(found.value, max(0.0, found.low), min(1.0, found.high))


def rows(label: str, match: str, player: str, made: pl.DataFrame) -> Iterator[dict[str, object]]:
    """Yield the figures of one player as rows of a CSV file."""
    parts: Sequence[tuple[str, list[Group]]] = (
        ("all", [overall(made)]),
        ("kind", by_kind(made)),
        ("round", by_round(made, 1)),
        ("prediction", by_prediction(made)),
        ("accusation", by_prediction(accusations(made))),
    )
    about = {"run": label, "match": match, "player": player}
    for by, groups in parts:
        for group in groups:
            yield {
                **about,
                "by": by,
                "group": group.name,
                "decisions": group.decisions,
                "games": group.games,
                "predicted": group.predicted,
                **columns("won", group.won),
                **columns("bias", group.bias),
            }

"""Figures of Tables 4.3 and 4.4 of [Ledford 2018], from the rows of games and of details.

They are read part by part (`experiments.matches.results.stream`); kept are a few sums a game.
Intervals are of 95 % and by game, suggestions of one game being dependent.  A mean over suggestions
is the ratio of two sums over games, and its interval the linearised one [Cochran 1977, Sampling
Techniques, s. 6.4]; the published 1.79 to 1.87 bits a suggestion are means of the games' own means,
which weigh a short game as much as a long one, so there are both.

A game that runs into the turn cap has some thousand suggestions that tell nothing: 17 of 1,000
take the mean of four Heuristics from 1.44 to 0.95 bits a suggestion, and from 120 to 169 turns.
``decided`` leaves out games that nobody won, as the published figures seem to.

Players of one name are one, whatever their seats; matches are kept apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from experiments.matches.results import GAMES, stream
from experiments.stats.intervals import Estimate, mean, median


@dataclass(frozen=True)
class Moment:
    """The envelope of those who suggest in one turn, as they then know it.

    Attributes
    ----------
    turn : of all players together, from 1
    games : in which the player suggested in this turn; the others were over, or elsewhere
    bits : mean entropy of the envelope after the answer, exact
    error : its standard error; None with one game
    """

    turn: int
    games: int
    bits: float
    error: float | None


@dataclass(frozen=True)
class Suggesting:
    """What the suggestions of one player in one match came to; Table 4.3.

    Estimates are None where there are fewer than two games.

    Attributes
    ----------
    games : in which it suggested
    suggestions : in all of them
    decrease, game_decrease : bits that the whole factored belief lost by a suggestion: mean over
        suggestions, and mean of the games' means
    known, game_known : cards of the three that the suggester knew before, likewise
    own : cards of the three in its hand, mean over suggestions
    envelope_decrease : bits that the envelope lost by a suggestion, exact; over those suggestions
        for which it is known
    by_turn : the envelope over a game
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
    by_turn: tuple[Moment, ...]


@dataclass(frozen=True)
class Lasting:
    """How long the games of one match were; Table 4.4.  Estimates are None for a single game.

    Attributes
    ----------
    games : that count
    undecided : games that nobody won, whether they count or not: all accused wrongly, or the cap
    turns, median_turns, least_turns, most_turns : of all players together, a game
    suggestions : of all players together, a game
    by_player : suggestions a game and seat, by player
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
    """What the searches of one player in one match came to.

    Attributes
    ----------
    games, decisions : their numbers
    simulations, seconds : a decision
    kinds : decisions by kind of action, in the words of `sim.records.events`
    """

    match: str
    player: str
    games: int
    decisions: int
    simulations: Estimate | None
    seconds: Estimate | None
    kinds: dict[str, int]


def suggestion_stats(folder: Path, decided: bool = False) -> list[Suggesting]:
    """Return the figures of each match and player in the run ``folder`` that wrote suggestions.

    Only games that somebody won count if ``decided``.

    Raises
    ------
    Refusal
        If the folder holds none, or a part cannot be read.
    """
    about, bits = ["match", "player", "game"], ["entropy_before", "entropy_after"]
    envelope = ["envelope_before", "envelope_after"]
    games = _sums(
        map(
            _lost, _rows(folder, "suggestions", [*about, *bits, *envelope, "known", "own"], decided)
        ),
        about,
        ["lost", "known", "own", "envelope_lost", "envelope_known"],
    )
    moments = _sums(
        map(_squared, _rows(folder, "suggestions", [*about, "turn", "envelope_after"], decided)),
        ["match", "player", "turn"],
        ["bits", "square"],
    )
    curves = {who: _curve(table) for who, table in _apart(moments)}
    found = []
    for (match, player), table in _apart(games):
        lost, known, rows = (_column(table, each) for each in ("lost", "known", "rows"))
        found.append(
            Suggesting(
                match=match,
                player=player,
                games=len(rows),
                suggestions=int(rows.sum()),
                decrease=_ratio(lost, rows),
                game_decrease=_mean(lost / rows),
                known=_ratio(known, rows),
                game_known=_mean(known / rows),
                own=_ratio(_column(table, "own"), rows),
                envelope_decrease=_ratio(
                    _column(table, "envelope_lost"), _column(table, "envelope_known")
                ),
                by_turn=curves.get((match, player), ()),
            )
        )
    return found


def game_lengths(folder: Path, decided: bool = False) -> list[Lasting]:
    """Return the length of games, by match, of the run in ``folder``.

    Matches without a game that counts are left out.  ``decided`` and what is raised are as in
    `suggestion_stats`.
    """
    games = pa.concat_tables(
        table.filter(pc.equal(table["seat"], 0)).drop_columns("seat")
        for table in stream(
            folder, GAMES, ["match", "game", "seat", "winner", "turns", "game_suggestions"]
        )
    )
    nobody = {
        match: int(np.count_nonzero(_column(table, "winner") < 0))
        for (match,), table in _apart(games, ["match"])
    }
    if decided:
        games = games.filter(pc.greater_equal(games["winner"], 0))
    about = ["match", "player", "game"]
    seats = _sums(_rows(folder, GAMES, [*about, "suggestions"], decided), about, ["suggestions"])
    shares: dict[str, dict[str, Estimate | None]] = {}
    for (match, player), table in _apart(seats):
        asked = _ratio(_column(table, "suggestions"), _column(table, "rows"))
        shares.setdefault(match, {})[player] = asked
    found = []
    for (match,), table in _apart(games, ["match"]):
        turns = _column(table, "turns")
        found.append(
            Lasting(
                match=match,
                games=len(turns),
                undecided=nobody[match],
                turns=_mean(turns),
                median_turns=median(turns),
                least_turns=int(turns.min()),
                most_turns=int(turns.max()),
                suggestions=_mean(_column(table, "game_suggestions")),
                by_player=shares[match],
            )
        )
    return found


def decision_stats(folder: Path) -> list[Deciding]:
    """Return the figures of each match and planner in the run ``folder`` that wrote decisions.

    Raises Refusal as `suggestion_stats`.
    """
    about, spent = ["match", "player", "game"], ["simulations", "seconds"]
    games = _sums(stream(folder, "decisions", [*about, *spent]), about, spent)
    kinds = _sums(stream(folder, "decisions", [*about, "kind"]), ["match", "player", "kind"], [])
    counts = {
        who: dict(zip(table["kind"].to_pylist(), table["rows"].to_pylist(), strict=True))
        for who, table in _apart(kinds)
    }
    return [
        Deciding(
            match=match,
            player=player,
            games=table.num_rows,
            decisions=int(_column(table, "rows").sum()),
            **{each: _ratio(_column(table, each), _column(table, "rows")) for each in spent},
            kinds=counts[match, player],
        )
        for (match, player), table in _apart(games)
    ]


def _rows(folder: Path, kind: str, columns: list[str], decided: bool) -> Iterator[pa.Table]:
    """Yield rows part by part, of all games, or of those that somebody won."""
    tables = stream(folder, kind, columns)
    if not decided:
        return tables
    nobody = pa.concat_tables(
        table.filter(pc.less(table["winner"], 0)).drop_columns("winner")
        for table in stream(folder, GAMES, ["match", "game", "winner"])
    )
    return (table.join(nobody, ["match", "game"], join_type="left anti") for table in tables)


def _lost(table: pa.Table) -> pa.Table:
    """Add what each suggestion took from the entropies, and where the envelope's is known."""
    lost = pc.subtract(table["entropy_before"], table["entropy_after"])
    envelope = pc.subtract(table["envelope_before"], table["envelope_after"])
    table = table.append_column("lost", lost)
    table = table.append_column("envelope_known", pc.cast(pc.is_valid(envelope), pa.int64()))
    return table.append_column("envelope_lost", pc.fill_null(envelope, 0.0))


def _squared(table: pa.Table) -> pa.Table:
    """Return the suggestions after which the envelope's entropy is known, with its square."""
    table = table.filter(pc.is_valid(table["envelope_after"])).rename_columns(
        {"envelope_after": "bits"}
    )
    return table.append_column("square", pc.multiply(table["bits"], table["bits"]))


def _sums(tables: Iterable[pa.Table], keys: list[str], measures: Sequence[str]) -> pa.Table:
    """Return by ``keys``, in their order, the sums of ``measures`` and the number of ``rows``.

    Of ``tables`` one at a time is held.
    """

    def summed(table: pa.Table, sums: Sequence[str]) -> pa.Table:
        by_key = table.group_by(keys).aggregate([(each, "sum") for each in sums])
        return by_key.rename_columns({f"{each}_sum": each for each in sums})

    def counted(table: pa.Table) -> pa.Table:
        ones = pa.array(np.ones(table.num_rows, np.int64))
        return summed(table.append_column("rows", ones), [*measures, "rows"])

    parts = pa.concat_tables(map(counted, tables))
    return summed(parts, [*measures, "rows"]).sort_by([(key, "ascending") for key in keys])


def _apart(
    table: pa.Table, keys: Sequence[str] = ("match", "player")
) -> Iterator[tuple[tuple[str, ...], pa.Table]]:
    """Yield the rows of each combination of ``keys``, in order."""
    groups = table.group_by(list(keys)).aggregate([])
    for group in groups.sort_by([(key, "ascending") for key in keys]).to_pylist():
        rows = table
        for key in keys:
            rows = rows.filter(pc.equal(rows[key], group[key]))
        yield tuple(group[key] for key in keys), rows


def _column(table: pa.Table, name: str) -> np.ndarray:
    return table[name].to_numpy()


def _curve(table: pa.Table) -> tuple[Moment, ...]:
    """Return the moments of one player, in order of turns, from sums over games."""
    # One player suggests in a turn, and once at most: rows are games.
    columns = (_column(table, each).tolist() for each in ("turn", "rows", "bits", "square"))
    moments = []
    for turn, games, total, squares in zip(*columns, strict=True):
        bits, error = total / games, None
        if games > 1:
            spread = max(squares / games - bits**2, 0.0)
            error = sqrt(spread / (games - 1))
        moments.append(Moment(turn, games, bits, error))
    return tuple(moments)


def _mean(values: np.ndarray) -> Estimate | None:
    return mean(values) if len(values) > 1 else None


def _ratio(totals: np.ndarray, counts: np.ndarray) -> Estimate | None:
    """Return the mean over measurements, (games,) sums and numbers, with the interval by game."""
    if not counts.any():
        return None
    ratio = totals.sum() / counts.sum()
    # Their mean is the ratio, and their spread that of the ratio to first order.
    return _mean(ratio + (totals - ratio * counts) / counts.mean())

"""The summary of a run: its statistics, how it ended, its provenance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from experiments.matches.match_loop import Outcome
from experiments.matches.monitor import verdicts
from experiments.matches.part_files import GAMES
from experiments.matches.results import Results, Tally, sat_and_won
from experiments.matches.row_provenance import run_of
from experiments.matches.schedule import Match, control_of
from experiments.provenance import provenance
from experiments.stats import stopping
from experiments.stats.comparisons import Comparison, holm, mcnemar, round_robin
from experiments.stats.elo import likelihood_of_superiority
from experiments.stats.intervals import discordant, paired_score
from experiments.stats.ratings import ratings
from experiments.stats.stopping import EVERY_GAME, Sprt, Stop

_SUMS = (
    "turns",
    "game_suggestions",
    "suggestions",
    "out",
    "decisions",
    "simulations",
    "search_seconds",
    "faults",
)
"""Columns to sum."""


@dataclass(frozen=True)
class Score:
    """Games of one entrant of a match, each counted once, however many seats it holds.

    ``rate``, an `Estimate`, and ``parity``, the win rate of identical players, are None without
    games.
    """

    match: str
    player: str
    games: int
    wins: int
    draws: int
    rate: Any
    parity: Any

    def to_json(self) -> dict[str, Any]:
        """Return it as stored in files: the rate as ``win_rate`` and ``ci95``."""
        return _spread(vars(self), "rate", "win_rate")


@dataclass(frozen=True)
class Line(Score):
    """Statistics of one entrant of a match; means are None where undefined.

    ``simulations_per_second`` is per second of search, not of the run; ``by_seat`` holds games and
    wins.
    """

    turns_mean: float | None
    suggestions_mean: float | None
    accused_wrongly: int
    decisions: int
    simulations: int
    simulations_per_second: float | None
    faults: int
    by_seat: dict[str, dict[str, int]]

    @property
    def milliseconds(self) -> float | None:
        """The mean time per decision; None without a search."""
        speed, decisions = self.simulations_per_second, self.decisions
        return 1000 * self.simulations / speed / decisions if speed and decisions else None


@dataclass(frozen=True)
class Figures:
    """The statistics of a run.

    ``table``: a line for each measured player of a match, or each of a round robin;
    ``comparisons``: differences of players on the same games; ``ratings``: Elo of a round robin;
    ``tests``: verdicts of the sequential test; the last three are plain data.
    """

    table: list[Line]
    comparisons: list[dict[str, Any]]
    ratings: list[dict[str, Any]]
    tests: list[dict[str, Any]]

    @property
    def lines(self) -> list[Line]:
        """The lines of the table that have games."""
        return [line for line in self.table if line.games]

    def to_json(self) -> dict[str, Any]:
        """Return them as stored in `summary.json`."""
        return {**vars(self), "table": [line.to_json() for line in self.table]}


@dataclass(frozen=True)
class Summary:
    """The content of `summary.json`.

    Except for times and the section ``run``, it depends only on players, rules, seed and stopping
    rule.  A run that ended early is ``interrupted``; ``fault`` gives the reason unless it was
    Ctrl-C.  The run took ``seconds`` in addition to the ``held`` games played earlier, None where
    unknown.
    """

    seed: int
    stop: str
    figures: Figures
    interrupted: bool
    fault: str | None
    run: dict[str, Any]
    held: int | None = None
    seconds: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the content of the file; times that are None are left out."""
        found = dict[str, Any]()
        for key, value in vars(self).items():
            if value is not None or key == "fault":
                found |= self.figures.to_json() if key == "figures" else {key: value}
        return found


def describe(
    played: Results, stop: str, ended: Outcome, configuration: Mapping[str, Any]
) -> Summary:
    """Return the summary of a run without times."""
    return Summary(
        seed=played.matches[0].seed,
        stop=stop,
        figures=figures(played, stopping.parse(stop)),
        interrupted=ended.interrupted or ended.fault is not None,
        fault=ended.fault,
        run={
            "id": run_of(played.folder),
            "folder": str(played.folder),
            "configuration": configuration,
            **provenance.origin(),
        },
    )


def figures(played: Results, stop: Stop = EVERY_GAME) -> Figures:
    """Return the statistics of a run.

    ``played``: with all rows on disk; ``stop``: the stopping rule, which determines the intervals.
    """
    sums = _sums(played.folder) if played.games else {}
    met = [_spread(vars(pair), "difference", "difference") for _, pair in meetings(played)]
    return Figures(
        table=[_line(*who, sums, stop) for who in played.entrants()],
        comparisons=[*against_controls(played, stop), *met],
        ratings=[rating for both in played.pairs() for rating in _ratings(*both)],
        tests=[
            {
                "match": test.match.name,
                "control": test.control and test.control.name,
                "games": test.verdict.games,
                "llr": test.verdict.llr,
                "accepted": test.verdict.accepted,
                "verdict": test.words,
            }
            for test in verdicts(played.matches, played.tallies, stop)
        ],
    )


def _line(
    match: Match,
    tally: Tally,
    entrant: int,
    sums: dict[tuple[str, str, int], dict[str, float]],
    stop: Stop,
) -> Line:
    scored = score(match, tally, entrant, stop)
    who = [scored.match, scored.player]
    seats = {seat: found for (*key, seat), found in sums.items() if key == who}
    total = {key: sum(seat[key] for seat in seats.values()) for key in (*_SUMS, "rows")}
    rows, seconds = total["rows"], total["search_seconds"]
    return Line(
        **vars(scored),
        turns_mean=total["turns"] / rows if rows else None,
        suggestions_mean=total["game_suggestions"] / rows if rows else None,
        accused_wrongly=int(total["out"]),
        decisions=int(total["decisions"]),
        simulations=int(total["simulations"]),
        simulations_per_second=total["simulations"] / seconds if seconds else None,
        faults=int(total["faults"]),
        by_seat={
            str(seat): {"games": int(counts["rows"]), "wins": int(counts["won"])}
            for seat, counts in sorted(seats.items())
        },
    )


def score(match: Match, tally: Tally, entrant: int, stop: Stop) -> Score:
    """Return games, wins and win rate of one entrant of a match."""
    played = tally.numbers
    winner = tally.winner()[played]
    sat = match.sat(tally.reach, entrant)[played]
    counted = sat > 0
    games, wins = int(counted.sum()), int(match.wins_of(tally.winner(), entrant)[played].sum())
    return Score(
        match=match.name,
        player=match.labels[entrant],
        games=games,
        wins=wins,
        draws=int((winner[counted] == -1).sum()),
        rate=stop.win_rate(wins, games) if games else None,
        parity=float(sat[counted].mean() / match.players) if games else None,
    )


def _sums(folder: Path) -> dict[tuple[str, str, int], dict[str, float]]:
    """Return sums of the columns by match, player and seat."""
    import polars as pl  # not before a run has ended

    from experiments.runs.rows import by_part

    keys, names = ["match", "player", "seat"], ["won", *_SUMS]

    def sum_part(part: pl.LazyFrame) -> pl.LazyFrame:
        return part.group_by(keys).agg(pl.len().alias("rows"), pl.col(names).sum())

    whole = by_part(folder, GAMES, sum_part).group_by(keys).agg(pl.col("rows", *names).sum())
    return {tuple(row.pop(key) for key in keys): row for row in whole.sort(keys).to_dicts()}


def against_controls(played: Results, stop: Stop) -> Iterator[dict[str, Any]]:
    """Yield the difference of each match from its control, on the games both played.

    Holm's correction covers all matches with the same control.
    """
    families: dict[int, list[int]] = {}
    for number in range(len(played.matches)):
        control = control_of(played.matches, number)
        if control is not None:
            families.setdefault(control, []).append(number)
    for control, others in families.items():
        compared = [found for i in others if (found := _compare_pair(played, control, i, stop))]
        p = holm(np.array([pair["p"] for pair in compared]))
        for pair, adjusted in zip(compared, p, strict=True):
            pair["p_holm"] = float(adjusted)
            # A sequential test allows no p value; its verdict is shown instead.
            fixed = ("p", "p_holm", "superiority") if isinstance(stop, Sprt) else ()
            yield {**pair, **dict.fromkeys(fixed)}


def _compare_pair(played: Results, control: int, other: int, stop: Stop) -> dict[str, Any] | None:
    """Return the difference of match ``other`` from ``control``, None if they share no game."""
    both = np.intersect1d(played.tallies[control].numbers, played.tallies[other].numbers)
    if not len(both):
        return None
    first, second = (
        played.matches[i].wins_of(played.tallies[i].winner(), 0)[both] for i in (control, other)
    )
    p, elo = mcnemar(first, second), stop.elo_difference(first, second)
    gained, lost, games = discordant(first, second)
    won = int(first.sum())
    return {
        "first": played.matches[control].name,
        "second": played.matches[other].name,
        "games": games,
        **_spread({"difference": stop.difference(first, second)}, "difference", "difference"),
        "p": p,
        "p_holm": p,
        "both": won - lost,
        "only_first": lost,
        "only_second": gained,
        "neither": games - won - gained,
        "elo": elo.value,
        "elo_ci95": [elo.low, elo.high],
        "superiority": likelihood_of_superiority(paired_score(gained, lost, games)),
    }


def meetings(played: Results) -> Iterator[tuple[str, Comparison]]:
    """Yield the differences of players that met in a round robin, by match."""
    for match, tally in played.pairs():
        if match.measured is None and tally.games:
            for pair in round_robin(*sat_and_won(match, tally), match.labels):
                yield match.name, pair


def _spread(values: Mapping[str, Any], key: str, name: str) -> dict[str, Any]:
    """Return ``values``, the estimate ``key`` among them as ``name`` and ``ci95``."""
    found, rate = dict[str, Any](), values[key]
    shown = {name: rate and rate.value, "ci95": rate and [rate.low, rate.high]}
    for one, value in values.items():
        found |= shown if one == key else {one: value}
    return found


def _ratings(match: Match, tally: Tally) -> list[dict[str, Any]]:
    """Return the Elo of the players of a round robin; empty while some player has no win."""
    if match.measured is not None or not tally.games:
        return []
    try:
        found = ratings(*sat_and_won(match, tally), match.labels, match.seed)
    except ValueError:
        return []
    return [
        {"match": match.name, "player": one.label, "elo": one.elo, "low": one.low, "high": one.high}
        for one in found
    ]

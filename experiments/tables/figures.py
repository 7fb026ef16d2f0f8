"""Figures of tables: what was measured in the run of a table, beside what others measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from experiments.matches.part_files import GAMES
from experiments.matches.results import Tally
from experiments.matches.schedule import Match, control_of
from experiments.runs import figures, rows, runfolder, summary
from experiments.stats import stopping
from experiments.stats.comparisons import Comparison, holm, mcnemar
from experiments.stats.intervals import Estimate, mean, median, paired_difference, win_rate


@dataclass(frozen=True)
class Figure:
    """A value, or the two that it lies between, of so many games; what is not known is None."""

    value: float | None
    low: float | None = None
    high: float | None = None
    games: int | None = None

    @classmethod
    def counted(cls, wins: int, games: int) -> Figure:
        """Return a share of games with its Wilson interval."""
        return cls.of(win_rate(wins, games), games)

    @classmethod
    def of(cls, estimate: Estimate | None, games: int) -> Figure | None:
        """Return ``estimate`` of so many games; None without one."""
        return estimate and cls(estimate.value, estimate.low, estimate.high, games)

    def side(self, other: Figure) -> int | None:
        """Return on which side of ``other`` this is: 1 for more, -1 for less.

        0 if the intervals have something in common, None if neither has one.  A value without an
        interval is an interval of no width.
        """
        if self.low is None and other.low is None:
            return None
        (low, high), (others_low, others_high) = self._span(), other._span()
        return int(low > others_high) - int(others_low > high)

    def _span(self) -> tuple[float, float]:
        return (self.value, self.value) if self.low is None else (self.low, self.high)


class Measured:
    """The figures of the run in ``folder``, each read when it is asked for.

    Raises
    ------
    Refusal
        If there is no such run, or a part cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.played = runfolder.load(folder)
        self.rule = stopping.parse("games")

    @cached_property
    def figures(self) -> dict[str, Any]:
        """Table and comparisons, as in the run's summary."""
        return summary.figures(self.played, self.rule)

    @cached_property
    def lines(self) -> dict[str, dict[str, Any]]:
        """Lines of the summary's table by match, of those with games."""
        return {line["match"]: line for line in self.figures["table"] if line["games"]}

    @cached_property
    def game_lengths(self) -> dict[str, figures.Lasting]:
        """Lengths of games by match."""
        return {found.match: found for found in figures.game_lengths(self.folder)}

    @cached_property
    def suggestion_stats(self) -> dict[tuple[str, str], figures.Suggesting]:
        """Suggestions by match and player."""
        found = figures.suggestion_stats(self.folder)
        return {(one.match, one.player): one for one in found}

    @cached_property
    def games(self) -> dict[str, pl.DataFrame]:
        """Winner, turns and suggestions of each game, by match."""
        found = rows.apart(rows.games(self.folder), ["match"])
        return {match: games for (match,), games in found.items()}

    def comparisons(self, controls: Sequence[str]) -> list[Comparison]:
        """Return how the players differ from their controls, on the games that both played.

        A control is the first match of its kind (`schedule.control_of`), of all others; and those
        of players called as in ``controls``, of all others but the first.  Holm's correction is
        over all that have the same control.
        """
        matches = self.played.matches
        won = [
            match.wins_of(tally.winner(), 0)
            for match, tally in zip(matches, self.played.tallies, strict=True)
        ]
        kinds: dict[int, list[int]] = {}
        for number in range(len(matches)):
            first = control_of(matches, number)
            kinds.setdefault(number if first is None else first, []).append(number)
        found = []
        for first, *others in kinds.values():
            named = [number for number in others if matches[number].labels[0] in controls]
            for control in (first, *named):
                rest = [number for number in others if number != control]
                pairs = [self._compared(control, other, won) for other in rest]
                found += _corrected([pair for pair in pairs if pair])
        return found

    def _compared(self, control: int, other: int, won: Sequence[np.ndarray]) -> Comparison | None:
        """Return how match ``other`` differs from ``control``, None if they share no game."""
        both = np.intersect1d(*(self.played.tallies[i].numbers for i in (control, other)))
        if not len(both):
            return None
        first, second = won[control][both], won[other][both]
        names = (self.played.matches[i].name for i in (control, other))
        p = mcnemar(first, second)
        return Comparison(*names, len(both), paired_difference(first, second), p, p)

    def match(self, name: str) -> Match:
        """Return the match called ``name``."""
        (found,) = (one for one in self.played.matches if one.name == name)
        return found

    def winner(self, match: str) -> np.ndarray:
        """Return the seats that won games 0, 1, ... of ``match``, as `results.Tally.winner`."""
        return self._tally(match).winner()

    def numbers(self, match: str) -> np.ndarray:
        """Return the numbers of the games of ``match`` that were played."""
        return self._tally(match).numbers

    def _tally(self, match: str) -> Tally:
        return self.played.tallies[self.played.matches.index(self.match(match))]

    @cached_property
    def accused_wrongly(self) -> dict[tuple[str, str], int]:
        """Seats that accused wrongly, by match and player."""
        keys = ["match", "player"]
        found = rows.by_part(
            self.folder, GAMES, lambda part: part.group_by(keys).agg(pl.col("out").sum())
        )
        whole = found.group_by(keys).agg(pl.col("out").sum())
        return {(match, player): out for match, player, out in whole.iter_rows()}

    def turn_cap(self, match: str) -> int:
        """Return the turns after which a game of ``match`` is a draw."""
        return self.match(match).rules["turn_cap"]


def _corrected(family: Sequence[Comparison]) -> list[Comparison]:
    """Return comparisons made at once with Holm's correction."""
    if not family:
        return []
    adjusted = holm(np.array([pair.p for pair in family]))
    return [replace(pair, p_holm=float(p)) for pair, p in zip(family, adjusted, strict=True)]


def simulations_of(match: Match) -> int | None:
    """Return the budget of a decision of the measured player of ``match``, None for a policy.

    In a round robin it is that of the first planner.
    """
    searching = [entrant for entrant in match.entrants if "budget" in entrant]
    asked = match.entrants[:1] if match.measured is not None else searching[:1]
    return asked[0].get("budget", {}).get("simulations") if asked else None


@dataclass(frozen=True)
class Quantity:
    """What a line of a table tells.

    Attributes
    ----------
    name : in the table
    measure : from a run, a match and a player, of which there are games
    rate : whether it is a share of games, told in per cent
    digits : behind the point, if it is none
    """

    name: str
    measure: Callable[[Measured, str, str], Figure | None]
    rate: bool = False
    digits: int = 1

    def told(self, figure: Figure) -> str:
        """Return ``figure`` in words."""
        factor, digits, unit = (100, 1, " %") if self.rate else (1, self.digits, "")
        if figure.low is None:  # as exact as it was given
            return f"{factor * figure.value:,.6g}{unit}"
        low, high = (f"{factor * end:,.{digits}f}" for end in (figure.low, figure.high))
        if figure.value is None:
            return f"{low} to {high}{unit}"
        return f"{factor * figure.value:,.{digits}f}{unit} ({low} to {high})"


def _won(run: Measured, match: str, player: str) -> Figure:
    found = run.match(match)
    won = found.won(run.winner(match), found.labels.index(player))[run.numbers(match)]
    return Figure.counted(int(won.sum()), len(won))


def _won_behind(places: int) -> Callable[[Measured, str, str], Figure]:
    """Return how often the seat wins that plays so many ``places`` after the measured one."""

    def measure(run: Measured, match: str, player: str) -> Figure:
        found, games = run.match(match), run.numbers(match)
        first = np.asarray(found.seating.shifts)[games % len(found.seating.shifts)]
        won = run.winner(match)[games] == (first + places) % found.players
        return Figure.counted(int(won.sum()), len(games))

    return measure


def _gained(run: Measured, match: str, control: str) -> Figure:
    """Return the share of games won less that of match ``control``, on the games of both."""
    games = np.intersect1d(run.numbers(match), run.numbers(control))
    won, without = (run.match(name).won(run.winner(name), 0)[games] for name in (match, control))
    return Figure.of(paired_difference(without, won), len(games))


def _accused_wrongly(run: Measured, match: str, player: str) -> Figure:
    return Figure.counted(run.accused_wrongly[match, player], len(run.numbers(match)))


def _own_turns(places: int) -> Callable[[Measured, str, str], Figure | None]:
    """Return the rounds of the games that the seat wins that is `_won_behind`."""

    def measure(run: Measured, match: str, player: str) -> Figure | None:
        found, games = run.match(match), run.games[match]
        shifts = np.asarray(found.seating.shifts)
        first = shifts[games["game"].to_numpy() % len(shifts)]
        won = games["winner"].to_numpy() == (first + places) % found.players
        rounds = np.ceil(games["turns"].to_numpy()[won] / found.players)
        return Figure.of(mean(rounds), len(rounds)) if len(rounds) > 1 else None

    return measure


def _own_turns_of(run: Measured, match: str, player: str) -> Figure | None:
    found, games = run.match(match), run.games[match]
    numbers = games["game"].to_numpy()
    won = found.won(run.winner(match), found.labels.index(player))[numbers]
    rounds = np.ceil(games["turns"].to_numpy()[won] / found.players)
    return Figure.of(mean(rounds), len(rounds)) if len(rounds) > 1 else None


def _out(run: Measured, match: str, player: str) -> Figure:
    line = run.lines[match]
    return Figure(round(line["accused_wrongly"] / line["games"], 2), games=line["games"])


def _lasting(name: str) -> Callable[[Measured, str, str], Figure | None]:
    def measure(run: Measured, match: str, player: str) -> Figure | None:
        found = run.game_lengths[match]
        value = getattr(found, name)
        if isinstance(value, int):
            return Figure(value, games=found.games)
        return Figure.of(value, found.games)

    return measure


def _suggesting(name: str) -> Callable[[Measured, str, str], Figure | None]:
    def measure(run: Measured, match: str, player: str) -> Figure | None:
        found = run.suggestion_stats.get((match, player))
        return found and Figure.of(getattr(found, name), found.games)

    return measure


def _of_won(
    column: str, estimate: Callable[[np.ndarray], Estimate] = mean
) -> Callable[[Measured, str, str], Figure | None]:
    def measure(run: Measured, match: str, player: str) -> Figure | None:
        values = run.games[match].filter(pl.col("winner") >= 0)[column].to_numpy()
        return Figure.of(estimate(values), len(values)) if len(values) > 1 else None

    return measure


def _endless(run: Measured, match: str, player: str) -> Figure:
    games = run.games[match]
    capped = games.filter((pl.col("winner") < 0) & (pl.col("turns") >= run.turn_cap(match)))
    return Figure.counted(capped.height, games.height)


WON = Quantity("games won", _won, rate=True)
WON_BEHIND = tuple(Quantity("games won", _won_behind(places), rate=True) for places in range(3))
"""By the measured seat, the next and the one after that, whoever they are."""
GAINED = Quantity("games won less those of the control, same games", _gained, rate=True)
"""The "player" of a cell is the match of the control."""
WRONGLY = Quantity("games with a wrong accusation of its own", _accused_wrongly, rate=True)
"""Of a player that has one seat."""
OWN_TURNS = tuple(Quantity("own turns in games it won, mean", _own_turns(k)) for k in range(3))
"""As `WON_BEHIND`; all players' turns divided by their number, rounded up."""
OWN_TURNS_OF = Quantity(OWN_TURNS[0].name, _own_turns_of)
"""Of a player that has one seat, wherever it is."""
OUT = Quantity("wrong accusations of the planners, a game", _out)
TURNS = Quantity("turns a game, mean", _lasting("turns"))
TURNS_MEDIAN = Quantity("turns a game, median", _lasting("median_turns"), digits=0)
TURNS_LEAST = Quantity("turns a game, least", _lasting("least_turns"), digits=0)
TURNS_MOST = Quantity("turns a game, most", _lasting("most_turns"), digits=0)
TURNS_WON = Quantity("turns a game that somebody won, mean", _of_won("turns"))
TURNS_WON_MEDIAN = Quantity("the same, median", _of_won("turns", median), digits=0)
ASKED_WON = Quantity("suggestions a game that somebody won, mean", _of_won("game_suggestions"))
ENDLESS = Quantity("games without an end within the cap on turns", _endless, rate=True)
BITS_OF_GAMES = Quantity(
    "bits less by a suggestion, mean of games' means", _suggesting("game_decrease"), digits=2
)
BITS = Quantity(
    "bits less by a suggestion, mean of all, games of up to 3,000 turns",
    _suggesting("decrease"),
    digits=2,
)
KNOWN = Quantity(
    "cards of a suggestion already known to the suggester, games of up to 3,000 turns",
    _suggesting("known"),
    digits=2,
)

"""Quantities: the measures that tables show, by their keys in YAML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from experiments.matches.certainty import CATEGORIES
from experiments.stats.intervals import Estimate, mean, median, paired_difference
from experiments.tables.figure import Figure
from experiments.tables.measured import Measured, common_wins

Measure = Callable[[Measured, str, str], Figure | None]
"""Maps a run, a match with games and a player in it to a figure."""


@dataclass(frozen=True)
class Quantity:
    """A quantity of a match.

    ``name``: in the table; ``measure``: None if games are not the source: figures are computed, or
    only published; ``rate``: whether it is a share of games, shown in per cent; ``digits``:
    decimals, unless it is a rate.
    """

    name: str
    measure: Measure | None = None
    rate: bool = False
    digits: int = 1

    def of(self, run: Measured, match: str, player: str = "") -> Figure | None:
        """Return the figure of a ``player``, by default the measured one; None without games.

        ``player``: its label; for ``gained``, the match of the control.
        """
        found = run.locate(match)
        if found is None or self.measure is None:
            return None
        there, name = found
        return self.measure(there, name, player or there.match(name).labels[0])

    def text(self, figure: Figure) -> str:
        """Return ``figure`` as text."""
        factor, digits, unit = (100, 1, " %") if self.rate else (1, self.digits, "")
        value = None if figure.value is None else factor * figure.value
        if figure.low is None or figure.high is None:  # with the digits given
            return f"{value:,.6g}{unit}"
        low, high = (f"{factor * end:,.{digits}f}" for end in (figure.low, figure.high))
        if value is None:
            return f"{low} to {high}{unit}"
        return f"{value:,.{digits}f}{unit} ({low} to {high})"


def _wins(run: Measured, match: str, player: str, places: int | None) -> np.ndarray:
    """Return the wins of ``player``, or of the seat ``places`` after the measured one, by game."""
    played = run.match(match)
    if places is None:
        return run.wins(match, played.labels.index(player))
    winner, shifts = run.winner(match), np.asarray(played.seating.shifts)
    turn = np.arange(len(winner)) % len(shifts)
    return winner == (shifts[turn] + places) % played.players


def _share_won(places: int | None, run: Measured, match: str, player: str) -> Figure:
    won = _wins(run, match, player, places)[run.numbers(match)]
    return Figure.from_wins(int(won.sum()), len(won))


def _difference(run: Measured, match: str, control: str) -> Figure | None:
    """Return the share of games won minus that of match ``control``, on common games."""
    without, won = common_wins((run, control), (run, match))
    if not len(won):
        return None
    return Figure.from_estimate(paired_difference(without, won), len(won))


def _accused_wrongly(run: Measured, match: str, player: str) -> Figure:
    return Figure.from_wins(run.accused_wrongly[match, player], len(run.numbers(match)))


def _own_turns(places: int | None, run: Measured, match: str, player: str) -> Figure | None:
    """Return the mean of own turns over the games won."""
    games = run.games[match]
    won = _wins(run, match, player, places)[games["game"].to_numpy()]
    turns = games["turns"].to_numpy()[won]
    return _estimate(mean, np.ceil(turns / run.match(match).players))


def _certain(
    category: str, places: int | None, run: Measured, match: str, player: str
) -> Figure | None:
    """Return the mean of own turns to determine a card over the games won."""
    if run.certainties is None:
        return None
    about = (pl.col("match") == match) & (pl.col("category") == category)
    winners = run.games[match].select("game", "winner")
    found = run.certainties.filter(about).join(winners, on="game")
    found = found.filter(pl.col("seat") == pl.col("winner"))
    found = found.filter(_wins(run, match, player, places)[found["game"].to_numpy()])
    return _estimate(mean, np.ceil(found["turn"].to_numpy() / run.match(match).players))


def _estimate(how: Callable[[np.ndarray], Estimate], values: np.ndarray) -> Figure | None:
    return Figure.from_estimate(how(values), len(values)) if len(values) > 1 else None


def _wrong_accusations(run: Measured, match: str, player: str) -> Figure:
    line = run.lines[match]
    return Figure(round(line.accused_wrongly / line.games, 2), games=line.games)


def _length(name: str, run: Measured, match: str, _: str) -> Figure | None:
    found = run.game_lengths[match]
    value = getattr(found, name)
    if isinstance(value, int):
        return Figure(value, games=found.games)
    return value and Figure.from_estimate(value, found.games)


def _suggestions(name: str, run: Measured, match: str, player: str) -> Figure | None:
    found = run.suggestion_stats.get((match, player))
    value = found and getattr(found, name)
    return Figure.from_estimate(value, found.games) if found and value else None


def _if_won(
    column: str, how: Callable[[np.ndarray], Estimate], run: Measured, match: str, _: str
) -> Figure | None:
    won = run.games[match].filter(pl.col("winner") >= 0)
    return _estimate(how, won[column].to_numpy())


def _endless(run: Measured, match: str, player: str) -> Figure:
    games, cap = run.games[match], run.match(match).rules["turn_cap"]
    capped = games.filter((pl.col("winner") < 0) & (pl.col("turns") >= cap))
    return Figure.from_wins(capped.height, games.height)


_PLACES = {"": None, "_0": 0, "_1": 1, "_2": 2}

QUANTITIES = {
    **{
        f"won{end}": Quantity("games won", partial(_share_won, places), rate=True)
        for end, places in _PLACES.items()
    },
    "gained": Quantity("games won minus those of the control, same games", _difference, rate=True),
    "accused_wrongly": Quantity(
        "games with a wrong accusation of its own", _accused_wrongly, rate=True
    ),
    "wrong_accusations": Quantity(
        "wrong accusations of the planners, per game", _wrong_accusations
    ),
    **{
        f"own_turns{end}": Quantity("own turns in games it won, mean", partial(_own_turns, places))
        for end, places in _PLACES.items()
    },
    **{
        f"{category}_turns{end}": Quantity(
            f"own turns to determine the {category} in games it won, mean",
            partial(_certain, category, places),
        )
        for category in CATEGORIES
        for end, places in _PLACES.items()
    },
    "turns": Quantity("turns per game, mean", partial(_length, "turns")),
    "turns_median": Quantity("turns per game, median", partial(_length, "median_turns"), digits=0),
    "turns_least": Quantity("turns per game, least", partial(_length, "least_turns"), digits=0),
    "turns_most": Quantity("turns per game, most", partial(_length, "most_turns"), digits=0),
    "turns_if_won": Quantity("turns per game with a winner, mean", partial(_if_won, "turns", mean)),
    "turns_if_won_median": Quantity(
        "the same, median", partial(_if_won, "turns", median), digits=0
    ),
    "suggestions": Quantity("suggestions per game, mean", partial(_length, "suggestions")),
    "suggestions_if_won": Quantity(
        "suggestions per game with a winner, mean", partial(_if_won, "game_suggestions", mean)
    ),
    "endless": Quantity("games cut off at the turn cap", _endless, rate=True),
    "bits_of_games": Quantity(
        "bits lost per suggestion, mean of games' means",
        partial(_suggestions, "game_decrease"),
        digits=2,
    ),
    "bits": Quantity(
        "bits lost per suggestion, mean of all, games of up to 3,000 turns",
        partial(_suggestions, "decrease"),
        digits=2,
    ),
    "known": Quantity(
        "cards of a suggestion already known to the suggester, games of up to 3,000 turns",
        partial(_suggestions, "known"),
        digits=2,
    ),
    "b_tot": Quantity("B_tot", digits=3),
    "d_tot": Quantity("D_tot, bins"),
    "branches": Quantity("branches", digits=0),
    "slices": Quantity("time slices, of the longest branch", digits=0),
    "seconds": Quantity("seconds", digits=5),
    "ratio": Quantity("seconds of all simple paths / those of labels"),
}
"""Quantities by key.

``won_N``, ``own_turns_N`` and ``room_turns_N`` refer to the seat N places after the measured one.
Own turns are the turns of all players divided by their number, rounded up.  ``accused_wrongly``
needs a player with one seat, as does ``own_turns``, in any seat.  The last six are computed.
"""

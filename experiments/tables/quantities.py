"""Quantities: the measures that lines of tables show, by the keys that their YAML uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from experiments.matches.certainty import CATEGORIES
from experiments.stats.intervals import Estimate, mean, median, paired_difference
from experiments.tables.figure import Figure
from experiments.tables.measured import Measured, common_wins

Measure = Callable[[Measured, str, str], Figure | None]
"""From a run, a match with games and a player in it to a figure."""


@dataclass(frozen=True)
class Quantity:
    """A quantity of a match.

    Attributes
    ----------
    name : in the table
    measure : None where games are not the source: figures are computed, or only published
    rate : whether it is a share of games, shown in per cent
    digits : behind the point, if it is no rate
    """

    name: str
    measure: Measure | None = None
    rate: bool = False
    digits: int = 1

    def of(self, run: Measured, match: str, player: str = "") -> Figure | None:
        """Return the figure of a ``player``, by default the measured one; None without games.

        ``player``: its label; of ``gained``, the name of the control's match.
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
        if figure.low is None or figure.high is None:  # as exact as it was given
            return f"{value:,.6g}{unit}"
        low, high = (f"{factor * end:,.{digits}f}" for end in (figure.low, figure.high))
        if value is None:
            return f"{low} to {high}{unit}"
        return f"{value:,.{digits}f}{unit} ({low} to {high})"


def _share_won(run: Measured, match: str, player: str) -> Figure:
    entrant = run.match(match).labels.index(player)
    won = run.wins(match, entrant)[run.numbers(match)]
    return Figure.from_wins(int(won.sum()), len(won))


def _wins_of_seat(
    places: int, games: np.ndarray, winner: np.ndarray, run: Measured, match: str
) -> np.ndarray:
    """Return whether the seat so many ``places`` behind the measured one won each of ``games``."""
    shifts = np.asarray(run.match(match).seating.shifts)
    return winner == (shifts[games % len(shifts)] + places) % run.match(match).players


def _won_behind(places: int) -> Measure:
    def measure(run: Measured, match: str, player: str) -> Figure:
        games = run.numbers(match)
        won = _wins_of_seat(places, games, run.winner(match)[games], run, match)
        return Figure.from_wins(int(won.sum()), len(games))

    return measure


def _difference(run: Measured, match: str, control: str) -> Figure | None:
    """Return the share of games won minus that of match ``control``, on common games, if any."""
    without, won = common_wins((run, control), (run, match))
    if not len(won):
        return None
    return Figure.from_estimate(paired_difference(without, won), len(won))


def _accused_wrongly(run: Measured, match: str, player: str) -> Figure:
    return Figure.from_wins(run.accused_wrongly[match, player], len(run.numbers(match)))


def _rounds(run: Measured, match: str, won: np.ndarray) -> Figure | None:
    """Return the mean of own turns over the games that were ``won``."""
    turns = run.games[match]["turns"].to_numpy()[won]
    return _estimate(mean, np.ceil(turns / run.match(match).players))


def _own_turns_behind(places: int) -> Measure:
    def measure(run: Measured, match: str, player: str) -> Figure | None:
        games = run.games[match]
        numbers, winner = games["game"].to_numpy(), games["winner"].to_numpy()
        return _rounds(run, match, _wins_of_seat(places, numbers, winner, run, match))

    return measure


def _own_turns(run: Measured, match: str, player: str) -> Figure | None:
    entrant = run.match(match).labels.index(player)
    return _rounds(run, match, run.wins(match, entrant)[run.games[match]["game"].to_numpy()])


def _measure_certainty(category: str, places: int | None = None) -> Measure:
    """Return the mean of own turns to determine a card, over games won by a seat or a player.

    The seat is that so many ``places`` behind the measured one; None: the player's.
    """

    def measure(run: Measured, match: str, player: str) -> Figure | None:
        if run.certainties is None:
            return None
        about = (pl.col("match") == match) & (pl.col("category") == category)
        found = run.certainties.filter(about).join(
            run.games[match].select("game", "winner"), on="game"
        )
        found = found.filter(pl.col("seat") == pl.col("winner"))
        if places is None:
            found = found.filter(pl.col("player") == player)
        else:
            numbers, winner = found["game"].to_numpy(), found["winner"].to_numpy()
            found = found.filter(_wins_of_seat(places, numbers, winner, run, match))
        return _estimate(mean, np.ceil(found["turn"].to_numpy() / run.match(match).players))

    return measure


def _estimate(how: Callable[[np.ndarray], Estimate], values: np.ndarray) -> Figure | None:
    return Figure.from_estimate(how(values), len(values)) if len(values) > 1 else None


def _wrong_accusations(run: Measured, match: str, player: str) -> Figure:
    line = run.lines[match]
    return Figure(round(line.accused_wrongly / line.games, 2), games=line.games)


def _of_lengths(name: str) -> Measure:
    def measure(run: Measured, match: str, player: str) -> Figure | None:
        found = run.game_lengths[match]
        value = getattr(found, name)
        if isinstance(value, int):
            return Figure(value, games=found.games)
        return value and Figure.from_estimate(value, found.games)

    return measure


def _of_suggestions(name: str) -> Measure:
    def measure(run: Measured, match: str, player: str) -> Figure | None:
        found = run.suggestion_stats.get((match, player))
        value = found and getattr(found, name)
        return Figure.from_estimate(value, found.games) if found and value else None

    return measure


def _if_won(column: str, how: Callable[[np.ndarray], Estimate] = mean) -> Measure:
    def measure(run: Measured, match: str, player: str) -> Figure | None:
        won = run.games[match].filter(pl.col("winner") >= 0)
        return _estimate(how, won[column].to_numpy())

    return measure


def _endless(run: Measured, match: str, player: str) -> Figure:
    games, cap = run.games[match], run.match(match).rules["turn_cap"]
    capped = games.filter((pl.col("winner") < 0) & (pl.col("turns") >= cap))
    return Figure.from_wins(capped.height, games.height)


_OWN_TURNS = "own turns in games it won, mean"

QUANTITIES = {
    "won": Quantity("games won", _share_won, rate=True),
    "won_0": Quantity("games won", _won_behind(0), rate=True),
    "won_1": Quantity("games won", _won_behind(1), rate=True),
    "won_2": Quantity("games won", _won_behind(2), rate=True),
    "gained": Quantity("games won minus those of the control, same games", _difference, rate=True),
    "accused_wrongly": Quantity(
        "games with a wrong accusation of its own", _accused_wrongly, rate=True
    ),
    "wrong_accusations": Quantity(
        "wrong accusations of the planners, per game", _wrong_accusations
    ),
    "own_turns": Quantity(_OWN_TURNS, _own_turns),
    "own_turns_0": Quantity(_OWN_TURNS, _own_turns_behind(0)),
    "own_turns_1": Quantity(_OWN_TURNS, _own_turns_behind(1)),
    "own_turns_2": Quantity(_OWN_TURNS, _own_turns_behind(2)),
    **{
        f"{category}_turns{place}": Quantity(
            f"own turns to determine the {category} in games it won, mean",
            _measure_certainty(category, int(place[1:]) if place else None),
        )
        for category in CATEGORIES
        for place in ("", "_0", "_1", "_2")
    },
    "turns": Quantity("turns per game, mean", _of_lengths("turns")),
    "turns_median": Quantity("turns per game, median", _of_lengths("median_turns"), digits=0),
    "turns_least": Quantity("turns per game, least", _of_lengths("least_turns"), digits=0),
    "turns_most": Quantity("turns per game, most", _of_lengths("most_turns"), digits=0),
    "turns_if_won": Quantity("turns per game with a winner, mean", _if_won("turns")),
    "turns_if_won_median": Quantity("the same, median", _if_won("turns", median), digits=0),
    "suggestions": Quantity("suggestions per game, mean", _of_lengths("suggestions")),
    "suggestions_if_won": Quantity(
        "suggestions per game with a winner, mean", _if_won("game_suggestions")
    ),
    "endless": Quantity("games cut off at the turn cap", _endless, rate=True),
    "bits_of_games": Quantity(
        "bits lost per suggestion, mean of games' means", _of_suggestions("game_decrease"), digits=2
    ),
    "bits": Quantity(
        "bits lost per suggestion, mean of all, games of up to 3,000 turns",
        _of_suggestions("decrease"),
        digits=2,
    ),
    "known": Quantity(
        "cards of a suggestion already known to the suggester, games of up to 3,000 turns",
        _of_suggestions("known"),
        digits=2,
    ),
    "b_tot": Quantity("B_tot", digits=3),
    "d_tot": Quantity("D_tot, bins"),
    "branches": Quantity("branches", digits=0),
    "slices": Quantity("time slices, of the longest branch", digits=0),
    "seconds": Quantity("seconds", digits=5),
    "ratio": Quantity("seconds of all simple paths / those of labels"),
    "missed": Quantity("optimum missed", rate=True),
    "lost": Quantity("lost where it is missed", rate=True),
}
"""By key.

``won_N``, ``own_turns_N`` and ``room_turns_N`` are of the seat N places behind the measured one.
Own turns are the turns of all players divided by their number, rounded up.  ``accused_wrongly`` is
of a player with one seat; ``own_turns`` of one too, wherever it sits.  The last eight are computed.
"""

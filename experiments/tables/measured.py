"""The measurements in a run folder, each computed when first used."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import polars as pl

from experiments.matches import part_files
from experiments.matches.part_files import GAMES
from experiments.matches.results import Results, Tally
from experiments.matches.schedule import Match, control_of
from experiments.runs import figures, rows, runfolder, summary
from experiments.runs.figures import Lasting, Suggesting
from experiments.runs.summary import Figures, Line
from experiments.stats import stopping
from experiments.stats.comparisons import Comparison, compare


class Measured:
    """The measurements of the run in ``folder``.

    Raises Refusal if the run is missing, or a part cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.played: Results = runfolder.load(folder)
        self.rule = stopping.parse("games")

    def locate(self, match: str) -> tuple["Measured", str] | None:
        """Return the run with the games of ``match``, and its name there; None without games."""
        return (self, match) if match in self.begun else None

    @cached_property
    def begun(self) -> set[str]:
        """The names of the matches with games."""
        return {match.name for match, tally in self.played.pairs() if tally.games}

    @cached_property
    def summary(self) -> Figures:
        """Table, comparisons and ratings of the run's summary file."""
        return summary.figures(self.played, self.rule)

    @cached_property
    def lines(self) -> dict[str, Line]:
        """Lines of the summary's table, by match with games."""
        return {line.match: line for line in self.summary.lines}

    @cached_property
    def game_lengths(self) -> dict[str, Lasting]:
        """Lengths of games by match."""
        return {found.match: found for found in figures.game_lengths(self.folder)}

    @cached_property
    def suggestion_stats(self) -> dict[tuple[str, str], Suggesting]:
        """Suggestions by match and player."""
        found = figures.suggestion_stats(self.folder)
        return {(one.match, one.player): one for one in found}

    @cached_property
    def games(self) -> dict[str, pl.DataFrame]:
        """Winner, turns and suggestions of each game, by match."""
        found = rows.apart(rows.games(self.folder), ["match"])
        return {match: games for (match,), games in found.items()}

    @cached_property
    def certainties(self) -> pl.DataFrame | None:
        """Rows of `experiments.matches.certainty`; None if the run has none."""
        if not part_files.parts(self.folder, "certainties"):
            return None
        return rows.by_part(self.folder, "certainties", lambda part: part)

    @cached_property
    def accused_wrongly(self) -> dict[tuple[str, str], int]:
        """Number of wrong accusations by match and player."""
        keys = ["match", "player"]
        found = rows.by_part(
            self.folder, GAMES, lambda part: part.group_by(keys).agg(pl.col("out").sum())
        )
        whole = found.group_by(keys).agg(pl.col("out").sum())
        return {(match, player): out for match, player, out in whole.iter_rows()}

    def match(self, name: str) -> Match:
        """Return the match ``name``."""
        return self.played.matches[self._number(name)]

    def numbers(self, match: str) -> np.ndarray:
        """Return the numbers of the games of ``match`` that are finished, ascending."""
        return self._tally(match).numbers

    def winner(self, match: str) -> np.ndarray:
        """Return the winning seats of games 0, 1, ... of ``match``, as `Tally.winner`."""
        return self._tally(match).winner()

    def wins(self, match: str, entrant: int = 0) -> np.ndarray:
        """Return (games,) bool whether ``entrant`` won games 0, 1, ... of ``match``."""
        return self.match(match).wins_of(self.winner(match), entrant)

    def _tally(self, match: str) -> Tally:
        return self.played.tallies[self._number(match)]

    def _number(self, match: str) -> int:
        return [one.name for one in self.played.matches].index(match)

    def comparisons(self, controls: Sequence[str]) -> list[Comparison]:
        """Compare players with their controls on their common games.

        A match is compared with the first of its kind (`schedule.control_of`), and with those of
        its kind whose player is one of ``controls``.  Holm's correction covers all comparisons
        with the same control.
        """
        matches = self.played.matches
        kinds: dict[int, list[int]] = {}
        for number in range(len(matches)):
            first = control_of(matches, number)
            kinds.setdefault(number if first is None else first, []).append(number)
        found: list[Comparison] = []
        for first, *others in kinds.values():
            named = [number for number in others if matches[number].labels[0] in controls]
            for control in (first, *named):
                name = matches[control].name
                rest = [matches[number].name for number in others if number != control]
                won = [(name, other, *common_wins((self, name), (self, other))) for other in rest]
                found += compare([pair for pair in won if len(pair[-1])])
        return found


def common_wins(
    control: tuple[Measured, str], other: tuple[Measured, str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return (common games,) bool of the wins of each of two matches, given with their runs."""
    (first, name), (second, other_name) = control, other
    both = np.intersect1d(first.numbers(name), second.numbers(other_name))
    return first.wins(name)[both], second.wins(other_name)[both]


def simulations_of(match: Match) -> int | None:
    """Return the measured player's simulations per decision; None for a policy.

    For a round robin, return the budget of the first planner.
    """
    planners = [entrant for entrant in match.entrants if "budget" in entrant]
    asked = match.entrants[:1] if match.measured is not None else planners[:1]
    return asked[0].get("budget", {}).get("simulations") if asked else None

"""The difference between two players, measured on the same games.

    python -m experiments.paired RUN_A RUN_B

Reads the folders of two runs of one match each, with the same seed, seats, opponents and rules;
prints both win rates and how much more often the second player won, with its 95 % interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from omegaconf import MISSING, DictConfig

from experiments.settings.command import Command
from experiments.settings.commandline import Refusal

if TYPE_CHECKING:
    from rich.console import Console

    from experiments.matches.results import Tally
    from experiments.matches.schedule import Match


@dataclass
class Paired:
    """The schema of the configuration."""

    runs: list[str] = MISSING


def job(settings: DictConfig, _: Path) -> None:
    """Compare the two runs; raises `Refusal` as `show`."""
    if len(settings.runs) != 2:
        raise Refusal(f"runs: {len(settings.runs)} are named; a comparison is of two run folders")
    from experiments import terminal

    show(*map(Path, settings.runs), terminal.console())


def show(first: Path, second: Path, console: Console) -> None:
    """Print the comparison of the runs in two folders.

    Raises
    ------
    Refusal
        If they are not runs of one match each, or did not play the same games.
    """
    import numpy as np

    from experiments import tabular
    from experiments.matches.schedule import SAME
    from experiments.stats.intervals import paired_difference, win_rate
    from experiments.tabular import Table, words

    (one, its), (other, others) = _single(first), _single(second)
    for key in SAME:
        values = [_of(match, key) for match in (one, other)]
        if values[0] != values[1]:
            raise Refusal(f"the runs differ in {key}: play both with the same")
    games = its.numbers
    if not np.array_equal(games, others.numbers):
        raise Refusal(
            f"the runs hold different games ({its.games} and {others.games}): play both with the "
            "same match.games"
        )
    if not len(games):
        raise Refusal("no game of either run has been played")
    won, rows = [], []
    for folder, match, tally in ((first, one, its), (second, other, others)):
        won.append(match.wins_of(tally.winner(), 0)[games])
        wins = int(won[-1].sum())
        rows.append([str(folder), match.labels[0], wins, win_rate(wins, len(games))])
    columns = ("run", words("player"), "wins", "win rate, 95 %")
    tabular.show(Table(f"{len(games)} games of seed {one.seed}", columns, rows), console)
    console.print(f"difference, second less first, on the same games: {paired_difference(*won)}")


def _single(folder: Path) -> tuple[Match, Tally]:
    """Return the only match of the run in ``folder`` and who won its games."""
    from experiments.runs import runfolder

    played = runfolder.load(folder)
    if len(played.matches) != 1 or played.matches[0].measured is None:
        raise Refusal(
            f"{folder} holds several matches or a round robin, whose own table compares them: give "
            "runs of one player against others"
        )
    return played.matches[0], played.tallies[0]


def _of(match: Match, key: str) -> object:
    if key == "opponents":  # whatever they are called
        return [{**entrant, "label": None} for entrant in match.entrants[1:]]
    return getattr(match, key)


COMMAND = Command("paired", Paired, job, bare="runs", multirun=False)
main = COMMAND.main

if __name__ == "__main__":
    main()

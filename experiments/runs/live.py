"""Live view of a run while it is played: statistics of the games on disk so far.

Only the winner of each game is shown: no card, deal, seed or command.
"""

from __future__ import annotations

import copy
import threading
from pathlib import Path
from typing import Any

import numpy as np

from experiments.matches.match_loop import verdicts
from experiments.matches.part_files import parts
from experiments.matches.results import Results, Tally, stops
from experiments.matches.schedule import Match
from experiments.provenance.files import CONFIG, read_yaml, reading
from experiments.runs import runfolder
from experiments.runs.summary import against_controls, score
from experiments.stats import stopping
from experiments.stats.stopping import Stop

POINTS = 60
"""Maximum number of points of a chart."""


class Followed:
    """The winners of the games of the run in ``folder``; each look reads the new parts alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[Path, tuple[int, int]] = {}
        self._played: Results | None = None
        self._looking = threading.Lock()

    def tallies(self) -> Results:
        """Return the result of `runfolder.tallies`; errors as there."""
        with self._looking:
            matches = runfolder.read_matches(self._folder)
            states = ((part, part.stat()) for part in parts(self._folder))
            found = {part: (state.st_mtime_ns, state.st_size) for part, state in states}
            played, self._played = self._played, None  # until the update succeeds
            changed = any(found.get(part) != date for part, date in self._known.items())
            if played is None or played.matches != matches or changed:
                played, self._known = Results(self._folder, matches), {}
            played.take_in([part for part in found if part not in self._known])
            self._played, self._known = played, found
            return runfolder.cut(copy.deepcopy(played))


def live_figures(played: Results) -> dict[str, Any]:
    """Return the state of a run, of which ``played`` is on disk, as plain data.

    ``table``: a line for each measured player of a match, or each of a round robin, with ``most``,
    its maximum number of games, None if unknown; ``comparisons``: two players on the same games;
    ``tests``: the sequential tests; ``chart``: by line the win rate over games, or by test the
    log-likelihood ratio; each point is the games, the value and, for a rate, its interval.  Raises
    Refusal if it is not a run folder, or one of its files is malformed.
    """
    folder = played.folder
    stop = stopping.parse(runfolder.about(folder)["stop"])
    max_games, ends = _max_games(folder), stops(folder)
    lines = list(played.entrants())
    table = [
        {**score(*line, stop).to_json(), "most": ends.get(line[0].name, max_games)}
        for line in lines
    ]
    tests = [
        {
            "words": test.words,
            "llr": test.verdict.llr,
            "bound": test.verdict.bound,
            "progress": test.verdict.progress,
            "accepted": test.verdict.accepted,
            "left": test.verdict.games_left,
        }
        for test in verdicts(played.matches, played.tallies, stop)
    ]
    ratio = any(tally.prefix for tally in played.tallies) and tests
    return {
        "table": table,
        "comparisons": list(against_controls(played, stop)),
        "tests": tests,
        "chart": {
            "of": "ratio" if ratio else "rate",
            "lines": _ratios(played, stop) if ratio else [_rates(*line, stop) for line in lines],
        },
    }


def _max_games(folder: Path) -> int | None:
    """Return the maximum number of games per match; None if no configuration says it."""
    path = folder / CONFIG
    if not path.exists():
        return None
    with reading(path, "the planned number of games is unknown"):
        try:
            return int(read_yaml(path)["match"]["games"])
        except (LookupError, TypeError):
            raise ValueError("match.games is missing") from None


def _looks(games: int) -> np.ndarray:
    """Return up to `POINTS` game counts from 1 to ``games``."""
    return np.unique(np.linspace(1, games, min(POINTS, games)).astype(int))


def _rates(match: Match, tally: Tally, entrant: int, stop: Stop) -> dict[str, Any]:
    """Return an entrant's win rate, with its interval, over the games it sat in."""
    sat = match.sat(tally.reach, entrant)[tally.numbers] > 0
    wins = np.cumsum(match.wins_of(tally.winner(), entrant)[tally.numbers][sat])
    at = [
        (int(games), stop.win_rate(int(wins[games - 1]), int(games))) for games in _looks(len(wins))
    ]
    return {
        "name": match.labels[entrant],
        "points": [[games, found.value, found.low, found.high] for games, found in at],
    }


def _ratios(played: Results, stop: Stop) -> list[dict[str, Any]]:
    """Return each test's log-likelihood ratio over the games without a gap."""
    lines: dict[str, list[list[float]]] = {}
    for games in _looks(max(tally.prefix for tally in played.tallies)):
        for test in verdicts(played.matches, played.tallies, stop, int(games)):
            points = lines.setdefault(test.match.name, [])
            if not points or test.verdict.games > points[-1][0]:
                points.append([test.verdict.games, test.verdict.llr])
    return [{"name": name, "points": points} for name, points in lines.items()]

"""A run in its folder as it stands, for those who watch it: figures of what is on disk by now.

Of a game there is who won it, and nothing else: no card, no deal, no seed, no command.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from experiments.matches.results import Results, Tally, stops
from experiments.matches.schedule import Match
from experiments.matches.sequential import verdicts
from experiments.provenance.files import CONFIG, read_yaml, reading
from experiments.runs import runfolder
from experiments.runs.summary import against_controls, score
from experiments.stats import stopping
from experiments.stats.stopping import Stop

POINTS = 60
"""Numbers of games at which a chart has a point."""


def live_figures(played: Results) -> dict[str, Any]:
    """Return how a run stands of which ``played`` is on disk, as plain data.

    ``table``: a line for each measured player of a match, or each of a round robin, with ``most``,
    the games that it may get, None if nobody knows; ``comparisons``: two players on the same games;
    ``tests``: the sequential tests; ``chart``: by line the win rate over games, or by test the
    log-likelihood ratio, each point the games, the value and, of a rate, its interval.  Raises
    Refusal if it is no run folder, or a file of it is not what a run writes.
    """
    folder = played.folder
    stop = stopping.parse(runfolder.about(folder)["stop"])
    most, ends = _most(folder), stops(folder)
    lines = list(played.entrants())
    table = [
        {**score(*line, stop).to_json(), "most": ends.get(line[0].name, most)} for line in lines
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


def _most(folder: Path) -> int | None:
    """Return the games that each match may get; None where no configuration says it."""
    path = folder / CONFIG
    if not path.exists():
        return None
    with reading(path, "how many games there are to be is not known"):
        try:
            return int(read_yaml(path)["match"]["games"])
        except (LookupError, TypeError):
            raise ValueError("it has no match.games") from None


def _looks(games: int) -> np.ndarray:
    """Return up to `POINTS` numbers of games from 1 to ``games``."""
    return np.unique(np.linspace(1, games, min(POINTS, games)).astype(int))


def _rates(match: Match, tally: Tally, entrant: int, stop: Stop) -> dict[str, Any]:
    """Return the win rate of an entrant, with its interval, over the games that it sat in."""
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
    """Return the log-likelihood ratio of each test over the games without a gap."""
    lines: dict[str, list[list[float]]] = {}
    for games in _looks(max(tally.prefix for tally in played.tallies)):
        for test in verdicts(played.matches, played.tallies, stop, int(games)):
            points = lines.setdefault(test.match.name, [])
            if not points or test.verdict.games > points[-1][0]:
                points.append([test.verdict.games, test.verdict.llr])
    return [{"name": name, "points": points} for name, points in lines.items()]

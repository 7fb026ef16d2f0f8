"""The line of progress has the rate or difference so far, and how far a test is."""

from __future__ import annotations

import io
import re

import numpy as np

from experiments import terminal
from experiments.matches import lineups, progress
from experiments.matches.monitor import verdicts
from experiments.matches.results import Tally
from experiments.settings import config
from experiments.stats.stopping import parse


def _standing(monkeypatch, settings, won, stop):
    """Return the line that is printed after games of which ``won`` (matches, games) were won."""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    matches = lineups.matches(config.compose("compare", settings))
    tallies = [Tally() for _ in matches]
    for match, tally, wins in zip(matches, tallies, np.atleast_2d(won), strict=True):
        games = np.arange(len(wins))
        focal = match.seating.at(games).argmin(axis=1)  # where player 0 sits
        tally.add(games, np.where(wins, focal, (focal + 1) % 4).astype(np.int8))
    out = io.StringIO()
    shown = progress.GamesPlayed(terminal.console(file=out, width=80), matches, 1000, parse(stop))
    with shown:
        assert shown.update(tallies)
    return out.getvalue(), list(verdicts(matches, tallies, parse(stop)))


def test_a_test_says_how_far_it_is(monkeypatch):
    won = np.arange(100) % 10 < 3
    line, (test,) = _standing(monkeypatch, ["player=swift"], won, "sprt:25%:30%")
    assert re.search(
        r"100/1000 games, won 30\.0 % \(.*\), LLR \d\.\d\d, \d+% of the way to H1", line
    )
    assert f"about {test.verdict.games_left:,} games to a verdict" in line
    assert test.words.startswith("swift wins 25 % (H0) of the games or 30 % (H1): undecided")

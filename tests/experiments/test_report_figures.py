"""Reports beyond the summary of a run: turns, knowledge, runs beside one another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from experiments.matches.results import Played, Results
from experiments.report.overview import between, side_by_side
from experiments.report.page import Page, markdown
from experiments.report.run import load
from experiments.runs import runfolder
from experiments.stats.intervals import paired_difference


def make_run(folder, match, rows, **details):
    """Make the folder of a run of one match that has not ended; return it."""
    runfolder.claim(folder, [match], "games")
    kept = Results(folder, [match])
    kept.add(0, Played(rows, details=details))
    kept.flush()
    return folder


def test_runs_of_the_same_games_are_paired_and_others_are_not_compared(tmp_path, match, rows):
    won = [lambda game: 0, lambda game: game % 4, lambda game: 1]
    other = replace(match, seed=5)
    folders = [
        make_run(tmp_path / name, each, rows(games, winner))
        for name, each, games, winner in (
            ("a", match, range(40), won[0]),
            ("b", match, range(4, 40), won[1]),
            ("c", other, range(40), won[2]),
        )
    ]
    runs = [load(each, each.name) for each in folders]
    (paired,) = between(runs)
    first = np.array([game % 4 == 0 for game in range(4, 40)])
    assert paired.games == 36
    assert paired.difference == paired_difference(first, np.ones(36, bool))
    assert paired.p == paired.p_holm < 1e-6
    said = markdown(Page("", [], [], [side_by_side(runs)]))
    assert f"b: {match.name} minus a: {match.name} | 36 | {paired.difference} |" in said
    assert "| run | seed |" in said, "the settings in which they differ"

"""Reports beyond the summary of a run: turns, knowledge, runs beside one another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from experiments.matches.results import Played, Results
from experiments.report.overview import between, compare_unpaired, side_by_side
from experiments.report.page import Page, markdown
from experiments.report.run import load
from experiments.runs import runfolder
from experiments.stats.intervals import paired_difference, win_rate


def make_run(folder, match, rows, **details):
    """Make the folder of a run of one match that has not ended; return it."""
    runfolder.claim(folder, [match], "games", False)
    kept = Results(folder, [match])
    kept.add(0, Played(rows, details=details))
    kept.flush()
    return folder


def test_runs_of_the_same_games_are_paired_and_others_are_not(tmp_path, match, rows):
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
    paired, apart = between(runs)
    first = np.array([game % 4 == 0 for game in range(4, 40)])
    assert paired.unpaired is None
    assert paired.games == (36, 36)
    assert paired.difference == paired_difference(first, np.ones(36, bool))
    assert apart.unpaired == "other seed"
    assert apart.games == (40, 40)
    assert apart.difference == compare_unpaired(win_rate(10, 40), win_rate(10, 40))
    assert paired.p < paired.p_holm < 1e-6 < apart.p == apart.p_holm == 1
    said = markdown(Page("", [], [], [side_by_side(runs)]))
    assert f"b: {match.name} minus a: {match.name} | paired | 36 | {paired.difference} |" in said
    assert "unpaired: other seed" in said
    assert "| run | seed |" in said, "the settings in which they differ"


@pytest.mark.parametrize(("p", "q"), [(0.25, 0.4), (0.05, 0.1)])
def test_the_interval_of_independent_samples_keeps_its_coverage(p, q):
    n, m = 60, 80
    first, second = ([win_rate(wins, games) for wins in range(games + 1)] for games in (n, m))
    chance = np.outer(binom.pmf(range(n + 1), n, p), binom.pmf(range(m + 1), m, q))

    def count_misses(interval):
        """Return how often the interval lies above the truth, and how often below; exact."""
        low, high = np.array([[interval(one, other) for other in second] for one in first]).T
        return (chance.T * (low > q - p)).sum(), (chance.T * (high < q - p)).sum()

    def newcombe(one, other):
        found = compare_unpaired(one, other)
        return found.low, found.high

    assert 0.01 < min(count_misses(newcombe)) <= max(count_misses(newcombe)) < 0.035
    # Control: the second's own interval, as if the first's rate were known.
    alone = count_misses(lambda one, other: (other.low - one.value, other.high - one.value))
    assert max(alone) > 0.06

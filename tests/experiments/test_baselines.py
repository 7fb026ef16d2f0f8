"""The baselines: references as written down, and three strengths."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from experiments.matches import play
from experiments.tables import catalog
from experiments.tables.matches import matches
from experiments.tables.quantities import QUANTITIES

ROWS = {
    row.setup: row
    for name in ("baselines", "thresholds")
    for row in catalog.load(name).published.rows
    if row.quantity is QUANTITIES["won"]
}
WITHIN = 0.05
"""Difference of two simulators that needs an explanation."""


def test_references_are_those_written_down():
    """Win rates in per cent with 95 % intervals, as their sources print them."""
    written = {
        "random v heuristic": [(6.6, 5.8, 7.6)],
        "heuristic v random": [(91.3,), (86.6, 85.3, 87.7)],
        "closure v heuristic": [(63.3, 62.6, 64.0)],
        "swift v heuristic": [(91.8,)],
        "swift v closure": [(74.8,)],
        "swift (0.35) v heuristic": [(68.0,)],
        "greedy v heuristic": [(91.6, 89.7, 93.2)],
        "greedy v closure": [(78.4, 75.7, 80.8)],
        "greedy v swift": [(27.0,)],
        "greedy (0.5) v greedy": [(44.1,)],
        "greedy (0.35) v greedy": [(48.0, 44.9, 51.1)],
        "swift v swift": [(25.0,)],
        "swift v swift (0.35)": [(17.7,)],
    }
    waiting = (26.9, 31.3, 39.8, 43.1, 45.3, 46.6, 44.9, 39.8, 36.9)
    for at, rate in zip((0.7, 0.6, 0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2), waiting, strict=True):
        written[f"swift ({at}) v swift"] = [(rate,)]
    for at, rate in zip((0.5, 0.4, 0.3, 0.25), (19.8, 21.7, 23.9, 24.8), strict=True):
        written[f"swift ({at}) v swift (0.35)"] = [(rate,)]
    found = {name: [*row.published.values()] for name, row in ROWS.items() if row.published}
    assert found.keys() == written.keys()
    for name, rates in written.items():
        for figure, theirs in zip(found[name], rates, strict=True):
            ours = [figure.value, *(figure.bounds if len(theirs) > 1 else ())]
            assert np.round(100 * np.array(ours), 1).tolist() == list(theirs)


def test_lengths_are_those_written_down():
    rows = catalog.load("baselines").published.rows[-6:]
    found = [(key, figure.value) for row in rows for key, figure in row.published.items()]
    assert found == [
        ("program", 121), ("trial", 135), ("program", 123),
        ("program", 29.7), ("trial", 40.7), ("program", 0.0074),
    ]  # fmt: skip


def _near(player, opponent, rate, games=2_000):
    """Return whether wins are within five standard deviations of a rate within 5 points of it.

    A player whose true rate is within 5 points fails by chance once in a million runs.
    """
    pair = replace(catalog.load("baselines"), pairs=[f"{player} against {opponent}"])
    (match,) = matches(pair, None, 21)
    rows = play.portion(match, np.arange(games)).rows
    wins = sum(rows.filter(rows["focal"])["won"].to_pylist())
    least = binom.isf(1 - 3e-7, games, rate - WITHIN)
    most = binom.isf(3e-7, games, min(rate + WITHIN, 1))
    return least <= wins <= most


@pytest.mark.parametrize(
    ("player", "opponent", "another"),
    [
        ("closure", "heuristic", "swift"),
        ("swift", "heuristic", "closure"),
        ("swift", "closure", "closure+label=other"),
    ],
)
def test_strengths(player, opponent, another):
    """Control: another player in its place is seen."""
    rate = ROWS[f"{player} v {opponent}"].published["trial"].value
    assert _near(player, opponent, rate)
    assert not _near(another, opponent, rate)

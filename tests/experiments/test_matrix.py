"""A matrix: differences by variant and opponents, and pooled, are those of the games."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.matches import play
from experiments.matches.results import Results
from experiments.runs import runfolder
from experiments.stats.comparisons import mcnemar
from experiments.stats.intervals import paired_difference
from experiments.tables import matrix
from experiments.tables.matches import matches
from experiments.tables.measured import Measured
from experiments.tables.schema import Table
from tests.experiments.rows import play_matches

GAMES = 160
SMALL = Table(
    about="a small matrix",
    players=["heuristic", "closure", "swift"],
    opponents=["heuristic", "swift+threshold=0.35+label=swift35"],
    variants=["three+rules=ferrari2009", "four+rules=ledford"],
    settings=["rules.turn_cap=300"],
    matrix="swift",
    by="opponent",
    games=GAMES,
    simulations=None,
    seconds=0,
    seed=5,
    name="small",
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    place = tmp_path_factory.mktemp("matrix") / "small"
    play_matches(place, matches(SMALL, None, SMALL.seed), GAMES)
    return Measured(place)


def wins_of(run, player, opponent, variant):
    """Return (games,) bool whether ``player`` won, from the matches' names."""
    (name,) = (
        match.name
        for match in run.played.matches
        if match.name.startswith(f"{player} against") and f" {opponent}, {variant}" in match.name
    )
    return run.wins(name)


def test_differences_are_those_of_the_games(run):
    found = {one[:3]: one for one in matrix.differences(SMALL, run)}
    assert len(found) == 2 * 2 * 3
    for variant in ("three", "four"):
        for control in ("heuristic", "closure"):
            pairs = [
                [wins_of(run, player, opponent, variant) for player in (control, "swift")]
                for opponent in ("heuristic", "swift35")
            ]
            for opponent, (first, second) in zip(("heuristic", "swift35"), pairs, strict=True):
                cell = found[variant, opponent, control]
                assert cell.difference == paired_difference(first, second)
                assert cell.own.value == second.mean() and cell.other.value == first.mean()
                assert cell.p >= mcnemar(first, second)
            pool = found[variant, matrix.POOLED, control]
            first, second = map(np.concatenate, zip(*pairs, strict=True))
            assert (pool.games, pool.difference) == (2 * GAMES, paired_difference(first, second))
            assert pool.p == mcnemar(first, second)


def test_holm_is_over_all_cells_with_a_control(run):
    found = matrix.differences(SMALL, run)
    for control in ("heuristic", "closure"):
        cells = [one for one in found if one.control == control and one.opponent != matrix.POOLED]
        least = min(
            mcnemar(
                *(wins_of(run, player, one.opponent, one.variant) for player in (control, "swift"))
            )
            for one in cells
        )
        assert min(one.p for one in cells) == pytest.approx(min(1.0, 4 * least))


def test_variants_without_games_are_left_out(run, tmp_path):
    planned = matches(SMALL, None, SMALL.seed)
    runfolder.claim(tmp_path / "few", planned, "games")
    few = Results(tmp_path / "few", planned)
    for number, match in enumerate(planned):
        if match.name.endswith("heuristic, four"):
            few.add(number, play.portion(match, range(8)))
    few.flush()
    found = matrix.differences(SMALL, Measured(tmp_path / "few"))
    assert {(one.variant, one.opponent) for one in found} == {
        ("four", "heuristic"),
        ("four", matrix.POOLED),
    }

"""Predictions of searches beside what came of them: figures of known rows, and of a real run."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from experiments.calibration import __main__ as calibration
from experiments.calibration.__main__ import COMMAND
from experiments.stats.intervals import win_rate


def decisions(rng, games, bias=0.0):
    """Return decisions of games that are won with what is predicted less ``bias``."""
    chance = rng.uniform(0.2, 0.8, games)
    won = rng.random(games) < chance - bias
    made = pl.DataFrame(
        {
            "game": np.repeat(np.arange(games), 3),
            "kind": ["move", "suggestion", "accusation"] * games,
            "round": np.repeat(rng.integers(1, 4, games), 3),
            "value": np.repeat(chance, 3),
            "won": np.repeat(won, 3),
        }
    )
    return made, chance, won


@pytest.mark.parametrize("bias", [0.0, 0.15])
def test_a_bias_is_found_and_none_where_there_is_none(bias):
    made, chance, won = decisions(np.random.default_rng(5), 3_000, bias)
    groups = calibration.group(made)
    for group in (*groups["all"], *groups["kind"], *groups["round"]):
        assert group.bias.low < bias < group.bias.high
        assert group.bias.high - group.bias.low < 0.12
    (whole,) = groups["all"]
    assert (whole.decisions, whole.games) == (6_000, 3_000)
    assert whole.predicted == pytest.approx(chance.mean())
    assert whole.won.value == pytest.approx(won.mean())


def test_decisions_of_one_game_are_no_more_than_one():
    """Ten copies of each decision leave the intervals as they are."""
    made, *_ = decisions(np.random.default_rng(5), 200)
    once, often = (calibration.group(frame)["all"][0] for frame in (made, pl.concat([made] * 10)))
    assert once.bias.low == pytest.approx(often.bias.low)
    assert often.decisions == 10 * once.decisions


def test_accusations_are_sorted_by_their_probability():
    made, chance, won = decisions(np.random.default_rng(6), 500)
    for group in calibration.group(made)["accusation"]:
        low, high = map(float, group.name.split(" to "))
        there = (chance >= low) & (chance < high)
        assert group.decisions == there.sum()
        assert group.won == win_rate(int(won[there].sum()), int(there.sum()))


def test_few_games_have_no_interval():
    made, *_ = decisions(np.random.default_rng(6), calibration.FEWEST - 1)
    (whole,) = calibration.group(made)["all"]
    assert whole.won is None and whole.bias is None


@pytest.fixture
def run(run_compare, tmp_path):
    """Return the folder of a run of a search that wrote its decisions."""
    settings = ("player=flat", "player.budget.simulations=20", "match.games=12", "match.workers=1")
    return run_compare(*settings, "run.details=[decisions]").folder


def test_a_run_is_read(run, capsys):
    assert COMMAND.run([str(run)]) == 0
    assert "accusation" in capsys.readouterr().out
    found = pl.read_csv(run / "calibration.csv")
    (whole,) = found.filter(pl.col("by") == "all").iter_rows(named=True)
    kinds = found.filter(pl.col("by") == "kind", pl.col("group") != "accusation")
    assert whole["decisions"] == kinds["decisions"].sum() > 100
    assert 0 < whole["predicted"] < 1 and whole["games"] == 12
    assert (run / "calibration.png").read_bytes().startswith(b"\x89PNG")
    assert COMMAND.run([str(run), f"output={run / 'matches.json'}/no"]) == 1
    for part in run.glob("decisions-*.parquet"):  # several on a slow machine
        part.unlink()
    capsys.readouterr()
    assert COMMAND.run([str(run)]) == 1
    assert capsys.readouterr().err.count("\n") == 1

"""The command that learns which room is worth walking to."""

from __future__ import annotations

import shutil

import polars as pl
import pytest

from benchmarks.qlearning import __main__ as qlearning
from benchmarks.qlearning import report
from benchmarks.qlearning.__main__ import COMMAND
from sim.qlearning import network

pytestmark = pytest.mark.nightly

SMALL = (
    "states=100",
    "updates=400000",
    "repeats=2",
    "network.epochs=300",
    "network.hidden=12",
    "network.learning_rate=0.03",
)
FILES = ["config.yaml", "learning.parquet", "learning.png", "network.json", "summary.json"]


def _rows(outcome):
    return pl.read_parquet(outcome.folder / "learning.parquet")


def test_a_run_learns_checks_fits_and_tells_and_goes_on_where_it_was(
    run_study, tmp_path, monkeypatch
):
    outcome = run_study(COMMAND, *SMALL)
    assert outcome.code == 0
    assert sorted(path.name for path in outcome.folder.iterdir()) == FILES
    falling, one = outcome.summary["ends"]
    assert (falling["rate"], falling["runs"], falling["updates"]) == ("falling", 2, 400000)
    assert falling["error"] < 0.5 * one["error"]
    rows = _rows(outcome)
    assert rows.height == 2 * 2 * qlearning.CHECKPOINTS
    ends = rows.filter(pl.col("updates") == 400000, pl.col("rate") == "falling")["error"]
    assert falling["error"] == pytest.approx(ends.mean())
    for line in outcome.summary["values"]:
        assert line["unprojected"][0] == pytest.approx(line["closed"], abs=1e-9)
    assert "off by" in outcome.out and "alpha" not in outcome.out
    table, figures = report.show(outcome.folder)  # the same from the rows alone
    assert figures == outcome.summary["ends"] and table.as_text() != []
    report.draw_kept(outcome.folder, tmp_path)
    assert (tmp_path / report.PLOT).exists()
    fitted = network.load(str(outcome.folder / "network.json"))
    assert fitted.size == outcome.summary["network"]["numbers"] == 12 * 20 + 1
    assert outcome.summary["network"]["explained"] >= 0.85
    whole = rows.drop("seconds")
    weights = (tmp_path / "out/network.json").read_text()
    (tmp_path / "out").rename(tmp_path / "before")
    curve, begun = qlearning._curve, []

    def press(*arguments):
        begun.append(arguments)
        if len(begun) == 3:
            raise KeyboardInterrupt
        return curve(*arguments)

    monkeypatch.setattr(qlearning, "_curve", press)
    stopped = run_study(COMMAND, *SMALL)
    assert stopped.code == 130 and stopped.summary["interrupted"]
    assert stopped.summary["network"] is None
    assert not (stopped.folder / "network.json").exists()
    again = run_study(COMMAND, *SMALL, f"run.folder={tmp_path / 'out'}")
    assert len(begun) == 5  # the two that were done are not learnt again
    assert _rows(again).drop("seconds").equals(whole)
    assert (tmp_path / "out/network.json").read_text() == weights


def test_a_fit_that_is_too_bad_is_told_in_a_line_and_not_stored(run_study):
    outcome = run_study(COMMAND, *SMALL, "network.epochs=1", "repeats=1", "rates=[falling]")
    assert outcome.code == 1
    assert outcome.err.startswith("sleuth-qlearning: the network fits badly: R^2 is ")
    assert outcome.err.count("\n") == 1
    assert not (outcome.folder / "network.json").exists()
    assert not (outcome.folder / "summary.json").exists()


def test_the_network_may_be_trained_as_in_2008(run_study):
    """Control: its weights are others than Adam's, and it says what made them."""
    few = ("repeats=1", "rates=[falling]", "network.least_fit=0.1", "network.epochs=600")
    sets = {}
    for training in qlearning.TRAININGS:
        outcome = run_study(COMMAND, *SMALL, *few, f"training={training}")
        assert outcome.code == 0, outcome.err
        fitted = network.loads((outcome.folder / "network.json").read_text())
        sets[training] = fitted.hidden_weights.tolist()
        assert fitted.settings["training"] == training
        assert 0.1 < outcome.summary["network"]["explained"] <= 1
        epochs = outcome.summary["network"]["epochs"]
        shutil.rmtree(outcome.folder)
    assert epochs == 600  # every step counts, made or not
    assert sets["adam"] != sets["traingda"]

"""The command that fits the chance of winning at a leaf."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from experiments.win_model import games
from experiments.win_model.__main__ import COMMAND
from experiments.win_model.fit import confidence, fit_model, recalibrate, train
from sim.planning.leaf.features import OTHER, OWN, size
from sim.planning.leaf.positions import ROLLOUTS, UNPLAYED, Positions
from sim.planning.leaf.win_model import WinModel, load

NETWORK = {"hidden": 6, "decay": 0.01, "learning_rate": 0.01, "epochs": 6}
SMALL = (
    "player=swift",
    "player.threshold=0.5",
    "opponent.threshold=0.35",
    "games=60",
    "held_out=3",
    "network.hidden=3",
    "network.epochs=2",
)


def made_up(shuffled=False):
    """Return positions of 900 games whose winner follows from two of the features, or does not."""
    noise = np.random.default_rng(3)
    game = np.repeat(np.arange(900), 3)
    inputs = np.zeros((len(game), size(4)))
    inputs[:, 1:4] = noise.normal(size=(len(game), 3)) * (1, 5, 0.1)
    odds = 2 * np.abs(inputs[:, 1]) - 1 + 10 * inputs[:, 3]
    won = (noise.random(len(game)) < 1 / (1 + np.exp(-odds))).astype(float)
    if shuffled:
        won = noise.permutation(won)
    return Positions(game, inputs, np.full(len(game), UNPLAYED), won)


def fit_to(data, start=None):
    return fit_model(data, 4, NETWORK, 3, start, {"players": 4}, 10, 5)


def test_the_kernel_says_what_scikit_learn_says():
    data = made_up()
    weights, model, scaler = train(data.inputs, data.won, NETWORK, 1)
    found = WinModel(weights, {}, {})(data.inputs[:300])
    theirs = model.predict_proba(scaler.transform(data.inputs[:300]))[:, 1]
    np.testing.assert_allclose(found, theirs, rtol=0, atol=1e-9)


def test_what_can_be_told_is_told_and_of_shuffled_games_nothing():
    losses = fit_to(made_up()).losses
    assert losses["the model"].high < losses["logistic regression"].low
    assert losses["logistic regression"].high < losses["base rate"].low
    nothing = fit_to(made_up(shuffled=True)).losses
    assert nothing["the model"].value > nothing["base rate"].value - 0.01


def test_a_model_that_is_too_sure_is_recalibrated():
    data, right = made_up(), fit_to(made_up()).model
    weights = right.weights
    sure = weights._replace(
        output_weights=3 * weights.output_weights, output_bias=3 * weights.output_bias + 1
    )
    wrong = WinModel(sure, right.settings, {})
    again = WinModel(recalibrate(wrong, data.inputs, data.won), {}, {})
    assert np.abs(again(data.inputs) - right(data.inputs)).max() < 0.1
    assert np.abs(wrong(data.inputs) - right(data.inputs)).max() > 0.3
    losses = fit_to(data, wrong).losses
    assert losses["the model"].high < losses["the model it starts from"].low


def test_the_estimate_by_confidence_shares_the_chance_out():
    inputs = np.zeros((2, size(4)))
    at = OWN.index("probability of its best guess")
    inputs[0, [at, len(OWN) + at, len(OWN) + 2 * len(OTHER) + at]] = 0.2, 0.3, 0.5
    assert confidence(inputs, 4).tolist() == [0.2, 0.0]


def test_a_run_plays_fits_and_tells_and_goes_on_where_it_was(run_study, tmp_path, monkeypatch):
    outcome = run_study(COMMAND, *SMALL, "rolled=1")
    assert outcome.code == 0 and "Log loss on games held out" in outcome.out
    rows = pl.read_parquet(outcome.folder / "positions.parquet")
    held = pl.col("game") % 3 == 0
    assert (rows.filter(~held)["rolled"] == UNPLAYED).all()
    shares = rows.filter(held)["rolled"] * ROLLOUTS
    assert ((shares - shares.round()).abs() < 1e-9).all() and shares.min() >= 0
    assert f"mean of {ROLLOUTS} roll-outs" in outcome.summary["log_loss_of_rolled"]
    text = (outcome.folder / "win_model.json").read_text()
    model = load(str(outcome.folder / "win_model.json"))
    assert model.settings["games"] == 60 and model.settings["players"] == 4
    thin = rows.group_by("game").agg(pl.len())["len"].clip(upper_bound=8)
    assert model.figures["positions"] == thin.sum() < rows.height
    assert (outcome.folder / "calibration.png").exists()
    outcome.folder.rename(tmp_path / "before")
    real, begun = games.portion, []

    def press(*arguments):
        begun.append(arguments)
        if len(begun) == 3:  # the first compiles
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(games, "portion", press)
    stopped = run_study(COMMAND, *SMALL, "rolled=1")
    assert stopped.code == 130 and not (stopped.folder / "win_model.json").exists()
    run_study(COMMAND, *SMALL, "rolled=1", f"run.resume={tmp_path / 'out'}")
    assert pl.read_parquet(tmp_path / "out/positions.parquet").equals(rows)
    assert (tmp_path / "out/win_model.json").read_text() == text


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("opponent=best", "opponent=bmcts: choose a compiled policy"),
        ("player=bn", "player=bn: choose a compiled policy or a planner"),
        ("start=nothing", "is no win model"),
        ("games=1", "games=1: must be at least 2"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(run_study, setting, message):
    outcome = run_study(COMMAND, setting)
    assert outcome.code == 1 and message in outcome.err and outcome.err.count("\n") == 1

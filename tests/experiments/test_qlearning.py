"""The command that learns which room is worth walking to."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.neural_network import MLPRegressor

from experiments.qlearning import __main__ as qlearning
from experiments.qlearning import games
from experiments.qlearning.__main__ import COMMAND
from experiments.qlearning.fitted import Choices, fitted
from experiments.settings.config import composed
from sim.qlearning import learning, network, rooms, turns

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
    fitted = network.load(str(outcome.folder / "network.json"))
    assert fitted.size == outcome.summary["network"]["numbers"] == 12 * 20 + 1
    assert outcome.summary["network"]["explained"] >= 0.85
    whole = rows.drop("seconds")
    weights = (tmp_path / "out/network.json").read_text()
    (tmp_path / "out").rename(tmp_path / "before")
    curve, begun = qlearning._curve, []

    def pressed(*arguments):
        begun.append(arguments)
        if len(begun) == 3:
            raise KeyboardInterrupt
        return curve(*arguments)

    monkeypatch.setattr(qlearning, "_curve", pressed)
    stopped = run_study(COMMAND, *SMALL)
    assert stopped.code == 130 and stopped.summary["interrupted"]
    assert stopped.summary["network"] is None
    assert not (stopped.folder / "network.json").exists()
    again = run_study(COMMAND, *SMALL, f"run.resume={tmp_path / 'out'}")
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


def test_choices_and_the_shipped_network_are_those_of_the_modules():
    assert qlearning.OUTCOMES == rooms.OUTCOMES and qlearning.RATES == learning.RATES
    assert tuple(network.ACTIVATIONS) == qlearning.ACTIVATIONS
    COMMAND.register()
    usual = composed("qlearning")
    kept = network.load().settings
    assert kept["rate"] == usual.rates[0] and kept["network"] == usual.network
    assert network.load(kind="games").settings == {"games": usual.games, "seed": usual.seed}
    for key in ("states", "concentration", "outcomes", "discount", "exponent", "updates", "seed"):
        assert kept[key] == usual[key]


def test_learning_from_games_goes_on_where_it_was_and_stores_what_a_player_can_play(
    run_study, tmp_path, monkeypatch
):
    small = ("learn=games", "games.played=60", "games.iterations=1", "games.network.hidden=3")
    outcome = run_study(COMMAND, *small)
    assert outcome.code == 0
    assert outcome.summary["games"] == 60 and len(outcome.summary["values"]) == 2
    assert "60 games" in outcome.out
    weights = (outcome.folder / "network.json").read_text()
    assert network.loads(weights, network.KINDS["games"]).size == 2 * 3 * (turns.SIZE + 2) + 1
    rows = pl.read_parquet(outcome.folder / "games.parquet")
    assert rows.filter("last").height == rows["game"].n_unique() == 60
    assert rows.group_by("game").agg(pl.col("won").n_unique())["won"].max() == 1
    outcome.folder.rename(tmp_path / "before")
    played = []
    real = games.portion

    def pressed(number, *arguments):
        if number == 1 and 1 not in played:
            played.append(number)
            raise KeyboardInterrupt
        played.append(number)
        return real(number, *arguments)

    monkeypatch.setattr(games, "portion", pressed)
    stopped = run_study(COMMAND, *small)
    assert stopped.code == 130 and not (stopped.folder / "network.json").exists()
    run_study(COMMAND, *small, f"run.resume={tmp_path / 'out'}")
    assert pl.read_parquet(tmp_path / "out/games.parquet").equals(rows)
    assert (tmp_path / "out/network.json").read_text() == weights


def _chain(count, noise):
    """Two rooms that a game is won from or not: room 3 wins, any other goes on to lose."""
    inputs = np.zeros((count, 9, turns.SIZE))
    inputs[:, 3, 0] = 1
    room = noise.choice([2, 3], count)
    last = np.arange(count) % 2 == 1  # games of two choices
    won = np.repeat(room[1::2] == 3, 2)
    return Choices(inputs, room, np.full(count, -1), last, won, np.arange(count) // 2 % 2)


def test_fitted_q_finds_what_best_play_wins_and_the_first_fit_does_not():
    data = _chain(800, np.random.default_rng(0))
    settings = {"hidden": 4, "activation": "logistic", "learning_rate": 0.03, "epochs": 60}
    fit = fitted(data, settings, 3, 1.0, {}, 0)
    # How games ended: what is chosen first does not matter, so the best room looks like 3/4 or so;
    # if the best room is chosen ever after, each game is won.
    assert fit.values[0] < 0.85 < fit.values[-1]
    assert fit.network(data.inputs[0]).argmax() == 3
    # Half of the wins are a turn away.
    assert fitted(data, settings, 3, 0.5, {}, 0).values[-1] < 0.8


def _value(data):
    settings = {"hidden": 4, "activation": "logistic", "learning_rate": 0.03, "epochs": 60}
    return fitted(data, settings, 1, 1.0, {}, 0).values[0]


def test_a_room_that_is_no_choice_is_not_picked():
    data = _chain(200, np.random.default_rng(0))
    barred = replace(data, barred=np.full(200, 3))
    assert _value(barred) < _value(data)


def test_how_games_ended_is_discounted_by_the_choices_that_came_after():
    data = replace(
        _chain(6, np.random.default_rng(0)),
        last=np.array([False, False, True, True, False, True]),
        won=np.array([True, True, True, True, False, False]),
    )
    assert data.ended(0.5).tolist() == [0.25, 0.5, 1, 1, 0, 0]


def test_ctrl_c_in_the_fit_stores_no_network_half_trained(run_study, monkeypatch):
    def pressed(self, *arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(MLPRegressor, "_update_no_improvement_count", pressed)  # in its own loop
    few = ("states=60", "updates=1000", "repeats=1", "rates=[falling]", "network.least_fit=0")
    outcome = run_study(COMMAND, *few)
    assert outcome.code == 130
    assert "interrupted before the fit was done; run.resume=" in outcome.err
    assert not (outcome.folder / "network.json").exists()

"""Fit the model, and compare it with other estimates of the chance of winning on other games.

Inputs are standardised for the fit; mean and scale are then put into the first layer's weights, so
that the stored model reads features as they are.  With a ``start`` only the slope and the offset of
its log odds are fitted [Platt 1999]: a few hundred games suffice for two numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from experiments.stats.intervals import Estimate, clustered_means
from sim.planning.leaf.features import OTHER, OWN
from sim.planning.leaf.positions import ROLLOUTS, UNPLAYED, Positions
from sim.planning.leaf.win_model import DIGITS, Weights, WinModel

_LEAST = 1e-3
"""Chances are taken to be this far from 0 and 1 when they are scored."""


@dataclass(frozen=True)
class Fit:
    """A model and the estimates that it was compared with, on games that it was not fitted to.

    Attributes
    ----------
    model : with its figures
    losses : log loss in nats of each estimate, of all positions
    rolled : the same of the positions that were rolled out
    bins : of the calibration plot: mean chance, share won with its interval, positions
    """

    model: WinModel
    losses: dict[str, Estimate]
    rolled: dict[str, Estimate]
    bins: list[dict[str, Any]]


def fit_model(
    data: Positions,
    players: int,
    network: Mapping[str, Any],
    held_out: int,
    start: WinModel | None,
    settings: Mapping[str, Any],
    bins: int,
    seed: int,
) -> Fit:
    """Fit a model to the games whose number ``held_out`` does not divide, and measure on the rest.

    Parameters
    ----------
    network : ``hidden``, ``decay``, ``learning_rate`` and ``epochs``
    start : of which slope and offset are fitted; None: a network of its own
    settings : to be kept with the weights
    bins : of the calibration plot
    seed : of the first weights, the batches and the intervals

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, which scikit-learn turns into a warning and a network half trained.
    """
    out = data.game % held_out == 0
    if start is None:
        weights = train(data.inputs[~out], data.won[~out], network, seed)[0]
    else:
        weights = recalibrate(start, data.inputs[~out], data.won[~out])
    model = WinModel(weights, settings, {})
    inputs, won, game, rolled = (
        part[out] for part in (data.inputs, data.won, data.game, data.rolled)
    )
    estimates = {
        "the model": model(inputs),
        "base rate": np.full(len(won), data.won[~out].mean()),
        "logistic regression": logistic(data.inputs[~out], data.won[~out], inputs),
        "by confidence": confidence(inputs, players),
    }
    if start is not None:
        estimates["the model it starts from"] = start(inputs)
    losses = log_losses(estimates, won, game, seed)
    there = rolled != UNPLAYED
    few: dict[str, Estimate] = {}
    if there.any():
        chances = {name: chance[there] for name, chance in estimates.items()}
        chances[f"mean of {ROLLOUTS} roll-outs"] = rolled[there]
        chances["the same, shrunk by one win and one loss"] = (rolled[there] * ROLLOUTS + 1) / (
            ROLLOUTS + 2
        )
        few = log_losses(chances, won[there], game[there], seed)
    table = calibration(estimates["the model"], won, game, bins, seed)
    figures = {
        "games": len(np.unique(data.game)),
        "positions": len(data.won),
        "held_out_positions": int(out.sum()),
        "log_loss": {name: round(found.value, 4) for name, found in losses.items()},
        "calibration": [
            [round(row["predicted"], 4), round(row["observed"].value, 4), row["positions"]]
            for row in table
        ],
    }
    return Fit(WinModel(weights, settings, figures), losses, few, table)


def thin_out(data: Positions, most: int, seed: int) -> Positions:
    """Return at most ``most`` positions of each game, drawn at random; the rest have one winner."""
    order = np.lexsort((np.random.default_rng(seed).random(len(data.game)), data.game))
    first = np.searchsorted(data.game[order], data.game[order])
    kept = np.sort(order[np.arange(len(order)) - first < most])
    return Positions(*(part[kept] for part in data))


def train(
    inputs: np.ndarray, won: np.ndarray, network: Mapping[str, Any], seed: int
) -> tuple[Weights, MLPClassifier, StandardScaler]:
    """Return a network fitted to ``inputs`` (n, features), and what scikit-learn has of it."""
    scaler = StandardScaler().fit(inputs)
    model = MLPClassifier(
        hidden_layer_sizes=(network["hidden"],),
        alpha=network["decay"],
        learning_rate_init=network["learning_rate"],
        max_iter=network["epochs"],
        batch_size=min(128, len(won)),
        random_state=seed % 2**32,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("error", "Training interrupted by user")
        try:
            model.fit(scaler.transform(inputs), won)
        except UserWarning:
            raise KeyboardInterrupt from None
    (first, last), (bias, final) = model.coefs_, model.intercepts_
    scaled = first / scaler.scale_[:, None]
    weights = Weights(
        np.round(scaled, DIGITS),
        np.round(bias - scaler.mean_ @ scaled, DIGITS),
        np.round(last[:, 0], DIGITS),
        round(float(final[0]), DIGITS),
    )
    return weights, model, scaler


def recalibrate(start: WinModel, inputs: np.ndarray, won: np.ndarray) -> Weights:
    """Return the weights of ``start`` with slope and offset of its log odds fitted."""
    odds = _log_odds(start(inputs))[:, None]
    found = LogisticRegression(C=np.inf).fit(odds, won)
    slope, offset = float(found.coef_[0, 0]), float(found.intercept_[0])
    before = start.weights
    return before._replace(
        output_weights=np.round(slope * before.output_weights, DIGITS),
        output_bias=round(slope * before.output_bias + offset, DIGITS),
    )


def _log_odds(chances: np.ndarray) -> np.ndarray:
    chances = np.clip(chances, _LEAST, 1 - _LEAST)
    return np.log(chances / (1 - chances))


def logistic(inputs: np.ndarray, won: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return what logistic regression on ``inputs`` gives ``others``."""
    scaler = StandardScaler().fit(inputs)
    model = LogisticRegression(max_iter=300).fit(scaler.transform(inputs), won)
    return model.predict_proba(scaler.transform(others))[:, 1]


def confidence(inputs: np.ndarray, players: int) -> np.ndarray:
    """Return what `sim.planning.leaf.value.by_confidence` makes of positions, all beliefs kept."""
    at = OWN.index("probability of its best guess")
    others = len(OWN) + len(OTHER) * np.arange(players - 1) + at
    total = inputs[:, at] + inputs[:, others].sum(axis=1)
    return np.divide(inputs[:, at], total, out=np.zeros(len(inputs)), where=total > 0)


def log_losses(
    estimates: Mapping[str, np.ndarray], won: np.ndarray, game: np.ndarray, seed: int
) -> dict[str, Estimate]:
    """Return the log loss in nats of each of ``estimates``, with intervals by game."""
    numbers, cluster = np.unique(game, return_inverse=True)
    counts = np.bincount(cluster, minlength=len(numbers)).astype(float)
    losses = []
    for chance in estimates.values():
        chance = np.clip(chance, _LEAST, 1 - _LEAST)
        loss = -np.log(np.where(won > 0.5, chance, 1 - chance))
        losses.append(np.bincount(cluster, loss, len(numbers)))
    means = clustered_means(np.array(losses), np.tile(counts, (len(losses), 1)), seed)
    return {
        name: Estimate(mean.value, mean.low, mean.high)
        for name, mean in zip(estimates, means, strict=True)
    }


def calibration(
    chances: np.ndarray, won: np.ndarray, game: np.ndarray, bins: int, seed: int
) -> list[dict[str, Any]]:
    """Return a row for each of ``bins`` of equal width that holds positions of two games."""
    place = np.minimum((chances * bins).astype(int), bins - 1)
    rows = []
    for number in range(bins):
        there = place == number
        numbers, cluster = np.unique(game[there], return_inverse=True)
        if len(numbers) < 2:
            continue
        totals = np.bincount(cluster, won[there], len(numbers))
        counts = np.bincount(cluster, minlength=len(numbers)).astype(float)
        (mean,) = clustered_means(totals[None], counts[None], seed)
        rows.append(
            {
                "predicted": float(chances[there].mean()),
                "observed": Estimate(mean.value, mean.low, mean.high),
                "positions": int(there.sum()),
            }
        )
    return rows

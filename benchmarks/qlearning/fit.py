"""Fit the network to a table of Q, by Adam or as in 2008 by ``traingda``, and measure the fit.

Targets are standardised: otherwise gradient descent with its usual step stops at their mean.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor

from benchmarks.qlearning.descent import descend, network_error, start_weights
from benchmarks.qlearning.exact import worth
from sim.qlearning.network import DIGITS, Network
from sim.qlearning.rooms import RoomProblem, pairs, solve

UNFITTED = "interrupted before the fit was done; run.folder={} continues"
"""Message after Ctrl-C during the fit."""


@dataclass(frozen=True)
class Fit:
    """A network and how well it fits.

    Attributes
    ----------
    explained : R^2 on the training pairs
    fresh : R^2 against the exact Q of unseen states
    lost : mean value lost at the sampled states by following its choice
    epochs, seconds : spent
    """

    network: Network
    explained: float
    fresh: float
    lost: float
    epochs: int
    seconds: float


def fit_network(
    q: np.ndarray,
    rooms: RoomProblem,
    other: RoomProblem,
    settings: Mapping[str, Any],
    network: Mapping[str, Any],
    seed: int,
    training: str = "adam",
) -> Fit:
    """Fit a network to ``q`` (n, 9), normalised to at most 1.

    Parameters
    ----------
    rooms, other : the problem that was learnt, and one on other states
    settings : stored with the weights
    network : ``hidden``, ``activation``, ``learning_rate`` and ``epochs``
    seed : of the initial weights and of the batches
    training : ``adam``, on mini-batches, or ``traingda`` (`benchmarks.qlearning.descent`)
    """
    began = time.perf_counter()
    greatest = np.abs(q).max()
    targets = q.ravel() / greatest
    inputs, others = pairs(rooms.states), pairs(other.states)
    middle, spread = targets.mean(), targets.std()
    how = _descend if training == "traingda" else _fit_by_adam
    flat = inputs.reshape(len(targets), -1)
    (first, bias, last, final), epochs = how(flat, (targets - middle) / spread, network, seed)
    made = Network(
        hidden_weights=np.round(first, DIGITS),
        hidden_bias=np.round(bias, DIGITS),
        output_weights=np.round(spread * last, DIGITS),
        output_bias=np.round(spread * final + middle, DIGITS),
        activation=network["activation"],
        settings=settings,
    )
    exact = solve(rooms)[0]
    return Fit(
        network=made,
        explained=explained_share(made(inputs), q / greatest),
        fresh=explained_share(made(others), solve(other)[0] / greatest),
        lost=float(np.mean(exact.max(axis=1) - worth(made(inputs).argmax(axis=1), rooms))),
        epochs=epochs,
        seconds=time.perf_counter() - began,
    )


Weights = tuple[list[np.ndarray], int]
"""Hidden weights and bias, output weights and bias; and the number of epochs."""


def _fit_by_adam(
    inputs: np.ndarray, targets: np.ndarray, network: Mapping[str, Any], seed: int
) -> Weights:
    model = MLPRegressor(
        hidden_layer_sizes=(network["hidden"],),
        activation=network["activation"],
        learning_rate_init=network["learning_rate"],
        max_iter=network["epochs"],
        random_state=seed % 2**32,
    )
    train(model, inputs, targets)
    (first, last), (bias, final) = model.coefs_, model.intercepts_
    return [first, bias, last[:, 0], final[0]], model.n_iter_


def _descend(
    inputs: np.ndarray, targets: np.ndarray, network: Mapping[str, Any], seed: int
) -> Weights:
    hidden = network["hidden"]
    measure, split = network_error(inputs, targets, hidden, network["activation"])
    start = start_weights(np.random.default_rng(seed), inputs.shape[1], hidden)
    done = descend(measure, start, network["learning_rate"], network["epochs"])
    return split(done.point), len(done.errors)


def explained_share(found: np.ndarray, truth: np.ndarray) -> float:
    """Return R^2, the share of the variance of ``truth`` that ``found`` explains."""
    return float(1 - np.mean((found - truth) ** 2) / np.var(truth))


def train(model: MLPRegressor, inputs: np.ndarray, targets: np.ndarray) -> None:
    """Fit ``model``; it may stop before convergence, because the fit is measured afterwards.

    Raises KeyboardInterrupt on Ctrl-C, which scikit-learn turns into a warning and a half-trained
    network.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.filterwarnings("error", "Training interrupted by user")
        try:
            model.fit(inputs, targets)
        except UserWarning:
            raise KeyboardInterrupt from None

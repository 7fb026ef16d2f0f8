"""Double fitted Q-iteration on games [Ernst et al. 2005; van Hasselt 2010].

Q is the discounted chance of winning by going to a room now and to the best one ever after.  Two
networks are fitted to the two halves of the games, first to how the games ended, discounted; then,
again and again, to

    y = won                                                          for the last choice of a game
    y = discount Q_other(s', arg max over rooms of Q(s', .))         for any other

so that the network which picks the best room is not the one that says what it is worth: the best of
several noisy numbers is too good.  Without a discount it costs nothing to do what has to be done a
turn later, and the errors of the fit decide whether it is ever done: such a player walked to and
fro between two rooms for a thousand turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from sklearn.neural_network import MLPRegressor

from experiments.qlearning.fit import explained, train
from experiments.qlearning.played import inputs_of
from sim.qlearning.network import DIGITS, Network


@dataclass(frozen=True)
class Choices:
    """What was chosen in games.

    Attributes
    ----------
    inputs : (n, 9, inputs)
    room, barred : int64 (n,)
    last, won : bool (n,)
    half : int64 (n,) 0 or 1, the same for all of a game
    """

    inputs: np.ndarray
    room: np.ndarray
    barred: np.ndarray
    last: np.ndarray
    won: np.ndarray
    half: np.ndarray

    @property
    def taken(self) -> np.ndarray:
        """The inputs of the rooms that were gone to (n, inputs)."""
        return self.inputs[np.arange(len(self.room)), self.room]

    def ended(self, discount: float) -> np.ndarray:
        """Return what each choice led to (n,): 1 for a win, discounted for each choice after it."""
        count = np.arange(len(self.last))
        end = np.flatnonzero(self.last)
        return self.won * discount ** (end[np.searchsorted(end, count)] - count)


def choices(rows: pl.DataFrame, around: int) -> Choices:
    """Return the choices of ``rows``; the halves take turns after ``around`` games."""
    whole = {name: rows[name].to_numpy() for name in ("room", "barred", "last", "won")}
    return Choices(inputs=inputs_of(rows), half=rows["game"].to_numpy() // around % 2, **whole)


@dataclass(frozen=True)
class Fit:
    """What was fitted.

    Attributes
    ----------
    network : the mean of both
    explained : R^2 of the first fits beside how the games of the other half ended
    values : mean value of the best room after each iteration, the first fit being number 0
    """

    network: Network
    explained: float
    values: list[float]


def fitted(
    data: Choices,
    network: Mapping[str, Any],
    iterations: int,
    discount: float,
    settings: Mapping[str, Any],
    seed: int,
) -> Fit:
    """Fit the networks.

    Parameters
    ----------
    network : ``hidden``, ``activation``, ``learning_rate`` and ``epochs``, of each fit
    discount : of an own turn
    settings : to be kept with the weights
    seed : of the first weights and of the batches
    """
    taken, ended = data.taken, data.ended(discount)
    middle, spread = ended.mean(), ended.std()
    halves = [np.flatnonzero(data.half == half) for half in (0, 1)]
    models = [
        MLPRegressor(
            hidden_layer_sizes=(network["hidden"],),
            activation=network["activation"],
            learning_rate_init=network["learning_rate"],
            max_iter=network["epochs"],
            warm_start=True,
            random_state=(seed + half) % 2**32,
        )
        for half in (0, 1)
    ]
    targets = ended
    values, first = [], 0.0
    for iteration in range(iterations + 1):
        for model, rows in zip(models, halves, strict=True):
            train(model, taken[rows], (targets[rows] - middle) / spread)
        if iteration == 0:
            other = np.where(data.half == 0, *(model.predict(taken) for model in models[::-1]))
            first = explained(middle + spread * other, ended)
        worth = [_of_all(model, data, middle, spread) for model in models]
        values.append(float(np.mean([np.max(each, axis=1).mean() for each in worth])))
        targets = _targets(data, worth, discount)
    return Fit(_mean(models, middle, spread, settings), first, values)


def _of_all(model: MLPRegressor, data: Choices, middle: float, spread: float) -> np.ndarray:
    """Return Q (n, 9), minus infinity for rooms that are no choice."""
    q = middle + spread * model.predict(data.inputs.reshape(-1, data.inputs.shape[2]))
    q = q.reshape(data.inputs.shape[:2])
    barred = data.barred >= 0
    q[barred, data.barred[barred]] = -np.inf
    return q


def _targets(data: Choices, worth: list[np.ndarray], discount: float) -> np.ndarray:
    """Return what each choice is to be worth (n,): picked by the one, told by the other."""
    following = np.minimum(np.arange(len(data.room)) + 1, len(data.room) - 1)
    told = np.empty(len(data.room))
    for half in (0, 1):
        mine = data.half == half
        then = following[mine]
        best = worth[half][then].argmax(axis=1)
        told[mine] = worth[1 - half][then, best]
    return np.where(data.last, data.won, discount * np.clip(told, 0, 1))


def _mean(
    models: list[MLPRegressor], middle: float, spread: float, settings: Mapping[str, Any]
) -> Network:
    """Return the network whose output is the mean of the two: their hidden layers side by side."""
    one, other = models
    output = np.concatenate([one.coefs_[1][:, 0], other.coefs_[1][:, 0]])
    bias = np.mean([one.intercepts_[1][0], other.intercepts_[1][0]])
    return Network(
        hidden_weights=np.round(np.hstack([one.coefs_[0], other.coefs_[0]]), DIGITS),
        hidden_bias=np.round(np.hstack([one.intercepts_[0], other.intercepts_[0]]), DIGITS),
        output_weights=np.round(spread * output / 2, DIGITS),
        output_bias=np.round(spread * bias + middle, DIGITS),
        activation=one.activation,
        settings=settings,
    )

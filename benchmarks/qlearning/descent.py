"""Gradient descent with an adaptive learning rate, as the network of 2008 was trained.

[Cai & Ferrari 2008, s. III-B] name MATLAB's ``traingda``, whose documentation has this rule: each
epoch takes one step down the gradient over all data.  If the error grows by more than 4 %, the step
is not made and the rate falls by 0.7; else it is made, and if the error fell, the rate grows by
1.05.  MATLAB begins with a rate of 0.01, takes at most 1,000 epochs and stops below a gradient of
1e-5.  Its networks start by the rule of Nguyen and Widrow (1990), which spreads the slopes of the
hidden nodes over the inputs' range.  Its validation set, which the paper does not mention, is left
out.  Only `start_weights` consumes randomness.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sim.qlearning.network import ACTIVATIONS

GROWTH, CUT, WORSE = 1.05, 0.7, 1.04
LEAST_GRADIENT = 1e-5

Measure = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""From a point (n,) to the error there and its gradient (n,)."""


@dataclass(frozen=True)
class Descent:
    """A point (n,) that was reached, and error and rate after each epoch."""

    point: np.ndarray
    errors: list[float]
    rates: list[float]


def descend(measure: Measure, start: np.ndarray, rate: float, epochs: int) -> Descent:
    """Descend from ``start`` (n,) with the first learning ``rate`` for at most so many epochs."""
    point, (error, gradient) = start, measure(start)
    errors: list[float] = []
    rates: list[float] = []
    while len(errors) < epochs and np.linalg.norm(gradient) >= LEAST_GRADIENT:
        there = point - rate * gradient
        found, slope = measure(there)
        if found > WORSE * error:
            rate *= CUT
        else:
            rate *= GROWTH if found < error else 1.0
            point, error, gradient = there, found, slope
        errors.append(error)
        rates.append(rate)
    return Descent(point, errors, rates)


def start_weights(rng: np.random.Generator, width: int, hidden: int) -> np.ndarray:
    """Return the first weights of logistic nodes over ``width`` inputs from 0 to 1, by that rule.

    Those of the output are uniform on [-1, 1].  The nodes are MATLAB's hyperbolic tangents over
    inputs from -1 to 1, rewritten: tanh (w (2 x - 1) + b) is 2 logistic (4 w x + 2 (b - w)) - 1.
    """
    slopes = rng.uniform(-1, 1, (width, hidden))
    size = 0.7 * hidden ** (1 / width)
    slopes *= size / np.linalg.norm(slopes, axis=0)
    bias = size * np.linspace(-1, 1, hidden) * np.sign(slopes[0])
    outward = rng.uniform(-1, 1, hidden + 1)
    last, final = 2 * outward[:-1], outward[-1:] - outward[:-1].sum()
    return np.concatenate([4 * slopes.ravel(), 2 * (bias - slopes.sum(axis=0)), last, final])


def network_error(
    inputs: np.ndarray, targets: np.ndarray, hidden: int, activation: str
) -> tuple[Measure, Callable[[np.ndarray], list[np.ndarray]]]:
    """Return the mean squared error of a network in its weights (n,), and how to take these apart.

    ``inputs``, ``targets``: (pairs, inputs) and (pairs,); ``hidden``, ``activation``: nodes and
    their function (`sim.qlearning.network.ACTIVATIONS`).

    Returns
    -------
    measure, split
        ``split`` gives hidden weights (inputs, hidden), hidden bias, output weights (hidden,) and
        output bias ().
    """
    width = inputs.shape[1]
    ends = np.cumsum([width * hidden, hidden, hidden])
    of_node = ACTIVATIONS[activation]

    def split(weights: np.ndarray) -> list[np.ndarray]:
        first, bias, last, final = np.split(weights, ends)
        return [first.reshape(width, hidden), bias, last, final[0]]

    def measure(weights: np.ndarray) -> tuple[float, np.ndarray]:
        first, bias, last, final = split(weights)
        nodes = of_node(inputs @ first + bias)
        off = nodes @ last + final - targets
        slope = nodes * (1 - nodes) if activation == "logistic" else nodes > 0
        back = off[:, None] * last * slope
        parts = inputs.T @ back, back.sum(axis=0), nodes.T @ off, off.sum()
        gradient = np.concatenate([np.ravel(part) for part in parts])
        return float(np.mean(off**2)), 2 / len(off) * gradient

    return measure, split

"""A win model: the chance that the searching seat wins, from the features of a position.

A network with one hidden layer of rectified nodes and a logistic output: some thousand products a
position, of which those with features that are 0 are left out.  `experiments.win_model` fits it;
its file is one of `sim.network_files`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from sim.network_files import check_shapes, dump_network, parse_network, read_network
from sim.planning.leaf.features import size
from sim.policies.table import Policy
from sim.rules import Rules

DIGITS = 12
"""Decimals that are kept of a number."""


class Weights(NamedTuple):
    """The numbers that the kernel reads.

    Attributes
    ----------
    hidden_weights : (features, hidden)
    hidden_bias, output_weights : (hidden,)
    output_bias : of the log odds
    """

    hidden_weights: np.ndarray
    hidden_bias: np.ndarray
    output_weights: np.ndarray
    output_bias: float


NONE = Weights(np.zeros((0, 0)), np.zeros(0), np.zeros(0), 0.0)
"""No model."""


@jit
def chance(weights: Weights, inputs: np.ndarray, hidden: np.ndarray) -> float:
    """Return the chance of winning for ``inputs`` (features,); ``hidden`` (hidden,) is scratch."""
    nodes = len(weights.hidden_bias)
    for node in range(nodes):
        hidden[node] = weights.hidden_bias[node]
    for feature in range(len(weights.hidden_weights)):
        value = inputs[feature]
        if value != 0.0:
            for node in range(nodes):
                hidden[node] += value * weights.hidden_weights[feature, node]
    odds = weights.output_bias
    for node in range(nodes):
        odds += max(hidden[node], 0.0) * weights.output_weights[node]
    return 1.0 / (1.0 + exp(-odds))


@dataclass(frozen=True)
class WinModel:
    """A fitted model.

    Attributes
    ----------
    weights : the numbers that the kernel reads
    settings : of the fit: rules, players, opponents, games and seed among them
    figures : log loss and calibration on games that it was not fitted to
    """

    weights: Weights
    settings: Mapping[str, Any]
    figures: Mapping[str, Any]

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """Return the chances (n,) for ``inputs`` (n, features)."""
        hidden = np.empty(len(self.weights.hidden_bias))
        return np.array([chance(self.weights, row, hidden) for row in np.ascontiguousarray(inputs)])

    def dumps(self) -> str:
        """Return the text of its file."""
        return dump_network(self.weights, self.settings, {"figures": dict(self.figures)})


def loads(text: str) -> WinModel:
    """Return the model of a file's text.

    ValueError if it is damaged or something else, in one sentence.
    """
    arrays, settings, figures = parse_network(text, "figures")
    if not isinstance(figures, dict):
        raise ValueError("its figures are no mapping")
    try:
        inputs = size(int(settings["players"]))
    except (KeyError, OverflowError, TypeError, ValueError):
        raise ValueError("its settings name no number of players") from None
    check_shapes(arrays, inputs)
    bias = float(arrays.pop("output_bias"))
    return WinModel(Weights(**arrays, output_bias=bias), settings, figures)


def choose_model(named: str | None, rules: Rules, model: Policy) -> WinModel:
    """Return the model ``named``, or the project's against ``model``; ValueError if none fits."""
    name = f"{model.name}-{model.threshold:g}" if named is None else named
    if named is None and not _ours(name).is_file():
        raise ValueError(
            f"there is no win model against {model.name} that accuses from {model.threshold:g} on: "
            "fit one by `python -m experiments.win_model` and give win_model its file"
        )
    found = load(name)
    if found.settings["players"] != rules.players:
        raise ValueError(
            f"the win model {name} is of {found.settings['players']} players, not {rules.players}"
        )
    return found


def _ours(name: str) -> Traversable:
    """Return the file of the project's model ``name``, there or not."""
    return files(__package__).joinpath("models", f"{name}.json")


@cache
def load(path: str) -> WinModel:
    """Return the model in the file ``path``, or the project's of that name.

    ValueError if there is none, in one sentence that says what to do.
    """
    file = Path(path) if path.endswith(".json") else _ours(path)
    remedy = "`python -m experiments.win_model` fits one"
    return read_network(file, loads, "win model", remedy)

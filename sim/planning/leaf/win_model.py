"""A win model: the chance that the searching seat wins, from the features of a position.

A network with one hidden layer of rectified nodes and a logistic output: some thousand products a
position, of which those with features that are 0 are left out.  `experiments.win_model` fits it.  A
file is JSON: the numbers, the settings that they were made with, and a digest of each.
"""

from __future__ import annotations

import json
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
from sim.digest import MOST_BYTES, digest
from sim.planning.leaf.features import size
from sim.policies.table import Policy
from sim.rules import Rules

DIGITS = 12
"""Decimals that are kept of a number."""

_NUMBERS = ("hidden_weights", "hidden_bias", "output_weights", "output_bias")
_KEYS = {"settings", "figures", *_NUMBERS, "settings_digest", "numbers_digest"}


class Weights(NamedTuple):
    """What the kernel reads.

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
"""Where no model is asked."""


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
    weights : what the kernel reads
    settings : what it was made with: rules, players, opponents, games and seed among them
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
        numbers = {name: np.asarray(getattr(self.weights, name)).tolist() for name in _NUMBERS}
        told = {
            "settings": dict(self.settings),
            "settings_digest": digest(self.settings),
            "figures": dict(self.figures),
            **numbers,
            "numbers_digest": digest(numbers),
        }
        return json.dumps(told, allow_nan=False) + "\n"


def loads(text: str) -> WinModel:
    """Return the model of a file's text.

    Raises
    ------
    ValueError
        If it is damaged or none, in one sentence.
    """
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is no JSON") from None
    if not isinstance(told, dict) or set(told) != _KEYS:
        raise ValueError(f"it has not the keys {', '.join(sorted(_KEYS))}")
    settings, numbers = told["settings"], {name: told[name] for name in _NUMBERS}
    if not isinstance(settings, dict) or not isinstance(told["figures"], dict):
        raise ValueError("it has no settings or no figures")
    for part, found in (("settings", settings), ("numbers", numbers)):
        if told[f"{part}_digest"] != digest(found):
            raise ValueError(f"its {part} are not those that it was written with")
    try:
        arrays = {name: np.array(value, float) for name, value in numbers.items()}
        inputs = size(int(settings["players"]))
    except (KeyError, TypeError, ValueError):
        raise ValueError("its weights are not numbers, or its players not known") from None
    hidden = arrays["hidden_bias"].size
    shapes = [array.shape for array in arrays.values()]
    if shapes != [(inputs, hidden), (hidden,), (hidden,), ()] or not hidden:
        raise ValueError(f"its weights are not those of {inputs} features and a hidden layer")
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise ValueError("its weights are not all finite")
    arrays["output_bias"] = float(arrays["output_bias"])
    return WinModel(Weights(**arrays), settings, told["figures"])


def chosen(named: str | None, rules: Rules, model: Policy) -> WinModel:
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

    Raises
    ------
    ValueError
        If there is none, in one sentence that says what to do.
    """
    file = Path(path) if path.endswith(".json") else _ours(path)
    try:
        if isinstance(file, Path) and file.stat().st_size > MOST_BYTES:
            raise ValueError("it is too long")
        return loads(file.read_text("utf-8"))
    except OSError as fault:
        reason = fault.strerror
    except ValueError as fault:
        reason = "it is no text" if isinstance(fault, UnicodeDecodeError) else str(fault)
    raise ValueError(
        f"{file} is no win model: {reason}; `python -m experiments.win_model` fits one"
    )

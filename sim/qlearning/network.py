"""Networks that stand for Q [Cai & Ferrari 2008, s. III-B], as they are kept and played.

Some inputs, a hidden layer and one output.  The paper's has 18 inputs -- the state x and the room
entered, one of nine -- and 100 hidden nodes: 2,001 numbers, which need no framework.
`experiments.qlearning` fits them, this module plays them in NumPy.

A file is JSON: the numbers, the settings that they were made with, and a digest of each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from sim.board import N_ROOMS
from sim.digest import MOST_BYTES, digest

INPUTS = 2 * N_ROOMS
"""The state, and the room entered, one of nine."""

DIGITS = 6
"""Decimals that are kept of a number."""

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "logistic": lambda sums: 1 / (1 + np.exp(-np.clip(sums, -500, 500))),
    "relu": lambda sums: np.maximum(sums, 0),
}
"""What a hidden node makes of its sum, by the name that scikit-learn has for it."""

_NUMBERS = ("hidden_weights", "hidden_bias", "output_weights", "output_bias")
_KEYS = {"settings", "activation", *_NUMBERS, "settings_digest", "numbers_digest"}


@dataclass(frozen=True)
class Network:
    """A network with one hidden layer.

    Attributes
    ----------
    hidden_weights : (inputs, hidden)
    hidden_bias, output_weights : (hidden,)
    output_bias : ()
    activation : key of `ACTIVATIONS`
    settings : what it was made with, the seed among them
    """

    hidden_weights: np.ndarray
    hidden_bias: np.ndarray
    output_weights: np.ndarray
    output_bias: np.ndarray
    activation: str
    settings: Mapping[str, Any]

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """Return the output (...) for ``inputs`` (..., inputs)."""
        nodes = ACTIVATIONS[self.activation](inputs @ self.hidden_weights + self.hidden_bias)
        return nodes @ self.output_weights + self.output_bias

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return sum(getattr(self, name).size for name in _NUMBERS)

    def dumps(self) -> str:
        """Return the text of its file."""
        numbers = {name: getattr(self, name).tolist() for name in _NUMBERS}
        told = {
            "settings": dict(self.settings),
            "settings_digest": digest(self.settings),
            "activation": self.activation,
            **numbers,
            "numbers_digest": digest(numbers),
        }
        return json.dumps(told, allow_nan=False) + "\n"


def loads(text: str) -> Network:
    """Return the network of a file's text.

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
    if told["activation"] not in list(ACTIVATIONS) or not isinstance(told["settings"], dict):
        raise ValueError(
            f"its activation is none of {', '.join(ACTIVATIONS)}, or it has no settings"
        )
    numbers = {name: told[name] for name in _NUMBERS}
    for part, found in (("settings", told["settings"]), ("numbers", numbers)):
        if told[f"{part}_digest"] != digest(found):
            raise ValueError(f"its {part} are not those that it was written with")
    try:
        arrays = {name: np.array(value, float) for name, value in numbers.items()}
    except (TypeError, ValueError):
        raise ValueError("its weights are not numbers") from None
    hidden = arrays["hidden_bias"].size
    shapes = [array.shape for array in arrays.values()]
    if shapes != [(INPUTS, hidden), (hidden,), (hidden,), ()] or not hidden:
        raise ValueError(f"its weights are not those of {INPUTS} inputs and a hidden layer")
    if not all(np.isfinite(array).all() for array in arrays.values()):
        raise ValueError("its weights are not all finite")
    return Network(**arrays, activation=told["activation"], settings=told["settings"])


@cache
def load(path: str | None = None) -> Network:
    """Return the network in the file ``path``, or that of the project.

    Raises
    ------
    ValueError
        If there is none, in one sentence that says what to do.
    """
    file = files(__package__).joinpath("rooms.json") if path is None else Path(path)
    try:
        if isinstance(file, Path) and file.stat().st_size > MOST_BYTES:
            raise ValueError("it is too long")
        return loads(file.read_text("utf-8"))
    except OSError as fault:
        reason = fault.strerror
    except ValueError as fault:
        reason = "it is no text" if isinstance(fault, UnicodeDecodeError) else str(fault)
    raise ValueError(f"{file} is no network: {reason}; `python -m experiments.qlearning` makes one")

"""Networks that approximate Q [Cai & Ferrari 2008, s. III-B]: file format and evaluation.

A network has one hidden layer and one output.  That of the paper has 18 inputs (the state x and the
entered room, one of nine) and 100 hidden nodes: 2,001 numbers, which need no framework.
`benchmarks.qlearning` fits networks; this module evaluates them in NumPy.  Files are JSON with
digests of numbers and settings, so manual edits are detected.
"""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from sim.board import N_ROOMS

INPUTS = 2 * N_ROOMS
"""The state, and the entered room, one-hot."""

DIGITS = 6
"""Decimals of stored numbers."""

NUMBERS = ("hidden_weights", "hidden_bias", "output_weights", "output_bias")
"""Arrays of shapes (inputs, hidden), (hidden,), (hidden,) and ()."""

MAX_BYTES = 10_000_000
"""Maximum size of a file."""

MAX_WEIGHT = 1e30
"""Maximum weight: sums of products stay finite."""

_KEYS = {"settings", "settings_digest", "activation", *NUMBERS, "numbers_digest"}

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "logistic": lambda sums: 1 / (1 + np.exp(-np.clip(sums, -500, 500))),
    "relu": lambda sums: np.maximum(sums, 0),
}
"""Activation functions, by their names in scikit-learn."""


@dataclass(frozen=True)
class Network:
    """A network with one hidden layer.

    Attributes
    ----------
    hidden_weights : (inputs, hidden)
    hidden_bias, output_weights : (hidden,)
    output_bias : ()
    activation : key of `ACTIVATIONS`
    settings : settings of the fit, seed included
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
        """Number of weights and biases."""
        return sum(getattr(self, name).size for name in NUMBERS)

    def dumps(self) -> str:
        """Return the text of the file."""
        numbers = {name: np.asarray(getattr(self, name)).tolist() for name in NUMBERS}
        data = {
            "settings": dict(self.settings),
            "settings_digest": digest(self.settings),
            "activation": self.activation,
            **numbers,
            "numbers_digest": digest(numbers),
        }
        return json.dumps(data, allow_nan=False) + "\n"


def digest(data: Mapping[str, Any]) -> str:
    """Return a digest of JSON data, 16 hexadecimal digits."""
    text = json.dumps(dict(data), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def loads(text: str) -> Network:
    """Return the network in the text of a file; ValueError if it is damaged or no network."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    if not isinstance(data, dict) or set(data) != _KEYS or not isinstance(data["settings"], dict):
        raise ValueError(f"it is not a mapping of {', '.join(sorted(_KEYS))}")
    settings, numbers = data["settings"], {name: data[name] for name in NUMBERS}
    for part, found in (("settings", settings), ("numbers", numbers)):
        if data[f"{part}_digest"] != digest(found):
            raise ValueError(f"its {part} are not those that it was written with")
    if data["activation"] not in list(ACTIVATIONS):
        raise ValueError(f"its activation is none of {', '.join(ACTIVATIONS)}")
    try:
        arrays = {name: np.array(value, float) for name, value in numbers.items()}
    except (OverflowError, TypeError, ValueError):
        raise ValueError("its weights are not numbers") from None
    check_shapes(arrays)
    return Network(**arrays, activation=data["activation"], settings=settings)


def check_shapes(arrays: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError unless ``arrays`` are finite and those of a network."""
    hidden = arrays["hidden_bias"].size
    shapes = [arrays[name].shape for name in NUMBERS]
    if shapes != [(INPUTS, hidden), (hidden,), (hidden,), ()] or not hidden:
        raise ValueError(f"its weights are not those of {INPUTS} inputs and a hidden layer")
    if not all((np.abs(array) <= MAX_WEIGHT).all() for array in arrays.values()):
        raise ValueError(f"its weights are not all finite, or beyond {MAX_WEIGHT:g}")


@cache
def load(path: str | None = None) -> Network:
    """Return the network in ``path``, or that of the project; ValueError if it has none."""
    file = files(__package__).joinpath("rooms.json") if path is None else Path(path)
    try:
        if isinstance(file, Path):
            found = file.stat()
            if not stat.S_ISREG(found.st_mode):
                raise ValueError("it is a folder, a pipe or a device")
            if found.st_size > MAX_BYTES:
                raise ValueError("it is too long")
        return loads(file.read_text("utf-8"))
    except OSError as fault:
        reason = fault.strerror
    except ValueError as fault:
        reason = "it is not text" if isinstance(fault, UnicodeDecodeError) else str(fault)
    raise ValueError(f"{file} is no network: {reason}; `python -m benchmarks.qlearning` makes one")

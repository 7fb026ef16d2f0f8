"""Networks that approximate Q [Cai & Ferrari 2008, s. III-B], as they are stored and played.

Some inputs, a hidden layer and one output.  The paper's has 18 inputs -- the state x and the room
entered, one of nine -- and 100 hidden nodes: 2,001 numbers, which need no framework.
`benchmarks.qlearning` fits them, this module plays them in NumPy; their files are those of
`sim.network_files`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from sim.board import N_ROOMS
from sim.network_files import NUMBERS, check_shapes, dump_network, parse_network, read_network

INPUTS = 2 * N_ROOMS
"""The state, and the room entered, one of nine."""

DIGITS = 6
"""Decimals that are kept of a number."""

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "logistic": lambda sums: 1 / (1 + np.exp(-np.clip(sums, -500, 500))),
    "relu": lambda sums: np.maximum(sums, 0),
}
"""Functions of a hidden node, by their names in scikit-learn."""


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
        """Its number of weights and biases."""
        return sum(getattr(self, name).size for name in NUMBERS)

    def dumps(self) -> str:
        """Return the text of its file."""
        return dump_network(self, self.settings, {"activation": self.activation})


def loads(text: str) -> Network:
    """Return the network of a file's text.

    ValueError if it is damaged or something else, in one sentence.
    """
    arrays, settings, activation = parse_network(text, "activation")
    if activation not in list(ACTIVATIONS):
        raise ValueError(f"its activation is none of {', '.join(ACTIVATIONS)}")
    check_shapes(arrays, INPUTS)
    return Network(**arrays, activation=activation, settings=settings)


@cache
def load(path: str | None = None) -> Network:
    """Return the network in the file ``path``, or that of the project.

    ValueError if there is none, in one sentence that says what to do.
    """
    file = files(__package__).joinpath("rooms.json") if path is None else Path(path)
    remedy = "`python -m benchmarks.qlearning` makes one"
    return read_network(file, loads, "network", remedy)

"""Values of entering rooms, three functions of the state: (9,) -> (9,), at most 1.

``network`` is the fitted network, ``grid`` the table that it approximates, read at the nearest
sampled state, and ``zero`` the control.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache

import numpy as np

from sim.board import N_ROOMS
from sim.qlearning.network import load
from sim.qlearning.rooms import Sampled, nearest, pairs, solve

Worth = Callable[[np.ndarray], np.ndarray]

FUNCTIONS = ("network", "zero", "grid")
"""Estimators of the value of entering a room."""


def function(name: str, path: str | None = None) -> Worth:
    """Return the function ``name`` of `FUNCTIONS`.

    ``path``: file of the network, whose settings also define the grid; None for that of the
    project.  Raises ValueError for an unknown function or network.
    """
    if name not in FUNCTIONS:
        raise ValueError(f"q must be one of {', '.join(FUNCTIONS)}, got {name!r}")
    network = load(path)
    if name == "zero":
        return lambda state: np.zeros(N_ROOMS)
    return (lambda state: network(pairs(state))) if name == "network" else _grid(path)


@cache
def _grid(path: str | None) -> Worth:
    """Return Q by value iteration on the states that the network of ``path`` was fitted to."""
    kept = load(path).settings
    try:
        sampled = Sampled(**{setting.name: kept[setting.name] for setting in fields(Sampled)})
        problem = sampled.problem()
    except (KeyError, TypeError):
        raise ValueError("q=grid: the network's settings do not name its states") from None
    q = solve(problem)[0]
    table, project = q / np.abs(q).max(), nearest(problem.states)
    return lambda state: table[project(state)]

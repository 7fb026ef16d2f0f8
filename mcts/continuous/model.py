"""Interface of generative models with an observation density, and their registration.

A model is a ``NamedTuple`` type of parameters ``p`` with a few compiled functions, found by its
type as those of a domain are (`mcts.domain`).  States and observations are rows of floats; actions
are numbered from 0.  One agent acts.  A domain of `mcts.domain` returns only the key of an
observation; here an observation also has a density, which these searches and particle filters need.

Randomness comes from ``stream`` alone.  No function changes ``p`` or the state ``s``.

A *finite* model has states of one number, below ``p.q.shape[0]``, and gives `outcome` in place of
`step`; `solve` then finds the values of the underlying MDP.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts.kernel.compile import jit_generic, specialise
from mcts.kernel.dispatch import Registry
from mcts.kernel.rng import uniform

Number = int | float
_MODELS = Registry("model")

MOST_OUTCOMES = 8
"""Maximum number of successors of a state, in a finite model."""
_ROUNDING = 1e-9


@_MODELS.stub
def draw(p: Any, s: np.ndarray, stream: np.ndarray) -> None:
    """Draw a state of the initial belief into ``s``."""


@_MODELS.stub
def step(p: Any, s: np.ndarray, action: int, then: np.ndarray, stream: np.ndarray) -> None:
    """Draw into ``then`` the successor of the non-terminal ``s`` after ``action``."""


@_MODELS.stub
def reward(p: Any, s: np.ndarray, action: int, then: np.ndarray) -> float:
    """Return the reward of ``action`` in ``s`` when ``then`` follows."""


@_MODELS.stub
def terminal(p: Any, s: np.ndarray) -> bool:
    """Return whether ``s`` is terminal."""


@_MODELS.stub
def observe(p: Any, action: int, then: np.ndarray, seen: np.ndarray, stream: np.ndarray) -> None:
    """Draw the observation after ``action`` has led to ``then`` into ``seen``."""


@_MODELS.stub
def density(p: Any, action: int, then: np.ndarray, seen: np.ndarray) -> float:
    """Return the density, or the probability, of ``seen`` after ``action`` has led to ``then``."""


@_MODELS.stub
def values(p: Any, s: np.ndarray, action: int) -> float:
    """Return the fully observable value of ``action`` in ``s``: by default from ``p.q``, or nan."""


@_MODELS.stub
def outcome(p: Any, s: int, action: int, number: int) -> tuple[int, float]:
    """Return successor ``number`` of ``s`` in a finite model, and its probability.

    The probability is 0 past the last successor.
    """


@jit_generic
def _look_up(p, s, action):
    return np.float64(p.q[int(s[0]), action])


@jit_generic
def _unknown(p, s, action):
    return np.nan


@jit_generic
def _draw_outcome(p, s, action, then, stream):
    left = uniform(stream)
    for number in range(MOST_OUTCOMES):
        following, chance = outcome(p, int(s[0]), action, number)
        left -= chance
        if left < 0.0:
            break
    then[0] = following


@jit_generic
def _none(p, s, action, number):
    return s, 0.0


@dataclass(frozen=True)
class Model:
    """A registered model: compiled functions as the stubs above, and numbers or functions of ``p``
    that return one."""

    parameters: type
    draw: Callable
    reward: Callable
    terminal: Callable
    observe: Callable
    density: Callable
    actions: Number | Callable[[Any], Number]
    """Number of actions."""
    seen: Number | Callable[[Any], Number]
    """Length of an observation."""
    discount: Number | Callable[[Any], Number]
    width: Number | Callable[[Any], Number] = 1
    """Length of a state."""
    step: Callable = _draw_outcome
    values: Callable = _look_up
    outcome: Callable = _none
    suggest: Callable[[Any, np.ndarray], int] | None = None
    """Python: the action to try first at the root, given particles, if not all are tried."""

    def number(self, name: str, p: Any) -> Any:
        """Return the declaration ``name`` for ``p``."""
        value = getattr(self, name)
        return value(p) if callable(value) else value


def register(parameters: type, **parts: Any) -> None:
    """Register the model of ``parameters``; keywords are the fields of `Model`.

    A part that is not given is the function of its name in the module that calls this.  Raises
    TypeError as `mcts.domain.register`.
    """
    module = sys._getframe(1).f_globals
    if not hasattr(parameters, "q") and "values" not in module:
        parts.setdefault("values", _unknown)
    _MODELS.add(Model, parameters, parts, module)


def model_of(p: Any) -> Model:
    """Return the model of ``p``; KeyError if its type is not registered."""
    return _MODELS.find(p)


def _sweep(p, rows, q, best, discount):
    """Improve the values ``best`` of all states once; return the largest change."""
    changed = 0.0
    for s in range(len(q)):
        top = -np.inf
        for action in range(q.shape[1]):
            value = 0.0
            left = 1.0
            number = 0
            while left > _ROUNDING and number < MOST_OUTCOMES:
                following, chance = outcome(p, s, action, number)
                gain = reward(p, rows[s], action, rows[following])
                value += chance * (gain + discount * best[following])
                left -= chance
                number += 1
            if terminal(p, rows[s]):
                value = 0.0
            q[s, action] = value
            top = max(top, value)
        changed = max(changed, abs(top - best[s]))
        best[s] = top
    return changed


def solve(p: Any, precision: float = 1e-6) -> Any:
    """Return a finite model ``p`` with its MDP's action values in ``p.q``, by value iteration."""
    q, best = np.zeros_like(p.q), np.zeros(len(p.q))
    rows = np.arange(len(q), dtype=float)[:, None]
    kernel = specialise(_sweep, type(p).__module__)
    discount = float(model_of(p).number("discount", p))
    while kernel(p, rows, q, best, discount) > precision:
        pass
    return p._replace(q=q)

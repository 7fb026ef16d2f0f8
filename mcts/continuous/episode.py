"""A closed loop of a model: update the belief, plan, act and observe until the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mcts.continuous.belief import Belief
from mcts.continuous.model import draw, model_of, observe, reward, step, terminal
from mcts.kernel.compile import specialise
from mcts.kernel.rng import derive_key, new_stream

Choose = Callable[[np.ndarray, int, int], int]
"""``choose(particles, key, left)`` returns an action; ``left`` counts actions with this one."""


@dataclass(frozen=True)
class Loop:
    """Result of an episode."""

    returned: float
    """The discounted return."""
    actions: int
    over: bool
    """Whether the model terminated."""
    lost: int
    """Observations that no particle explained."""


def _advance(p, s, action, then, seen, stream):
    """Act and observe; return the reward."""
    step(p, s, action, then, stream)
    observe(p, action, then, seen, stream)
    return reward(p, s, action, then)


def play(p: Any, choose: Choose, key: int, particles: int, max_actions: int) -> Loop:
    """Play one episode of at most ``max_actions`` actions with a belief of ``particles`` particles.

    ``key`` names all randomness.
    """
    model, module = model_of(p), type(p).__module__
    advance = specialise(_advance, module)
    s = np.zeros(int(model.number("width", p)))
    then, seen = np.zeros_like(s), np.zeros(int(model.number("seen", p)))
    stream = new_stream(derive_key(key, 0))
    belief = Belief(p, particles, int(derive_key(key, 1)))
    draw(p, s, stream)
    total, weight, decision = 0.0, 1.0, 0
    discount = float(model.number("discount", p))
    while decision < max_actions and not terminal(p, s):
        action = choose(belief.particles, int(derive_key(key, 2, decision)), max_actions - decision)
        total += weight * advance(p, s, action, then, seen, stream)
        weight *= discount
        decision += 1
        s[:] = then
        if not terminal(p, s):
            belief.update(action, seen)
    return Loop(total, decision, bool(terminal(p, s)), belief.lost)

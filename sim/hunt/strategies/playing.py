"""Playing a hunt in closed loop: one episode, or the exact value of a way to choose.

A choice is a function of the position, with the exact belief, and of a key: a planner
(`sim.hunt.strategies.planners`), a policy, a person.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mcts.kernel.rng import derive_key, new_stream, uniform
from sim.hunt.benefit import surprise
from sim.hunt.strategies.domain import STOP, AdaptiveHunt

Choice = Callable[[AdaptiveHunt, int], int]
"""``choose(position, key)`` returns an action; the key is another one at each decision."""

_NO_OUTCOME = -1


def over(p: AdaptiveHunt) -> bool:
    """Return whether no steps are left, nothing to measure, or nothing to learn."""
    return p.hunt.moves <= 0 or not p.hunt.open.any() or bool(p.hunt.prior.max() >= 1.0)


def target_of(p: AdaptiveHunt, action: int) -> int:
    """Return the target that ``action`` measures, or -1."""
    return -1 if action == STOP else int(p.hunt.target[p.decisions.cell[action - STOP - 1]])


def chances(p: AdaptiveHunt, action: int) -> dict[int, float]:
    """Return the possible outcomes of ``action`` with their probabilities; -1 for `STOP`."""
    target = target_of(p, action)
    if target < 0:
        return {_NO_OUTCOME: 1.0}
    predicted = p.hunt.prior @ p.hunt.likelihood[target]
    return {int(z): float(predicted[z]) for z in np.flatnonzero(predicted > 0)}


def after(p: AdaptiveHunt, action: int, outcome: int = _NO_OUTCOME) -> AdaptiveHunt:
    """Return the position after ``action`` when its test showed ``outcome``, the belief exact.

    ValueError if the outcome is impossible, one is missing, or there was no test.
    """
    hunt = p.hunt
    if outcome not in chances(p, action):
        raise ValueError(f"outcome {outcome} is not possible after action {action}")
    if action == STOP:
        return p._replace(hunt=hunt._replace(moves=0))
    way, target = action - STOP - 1, target_of(p, action)
    joint, left = hunt.prior * hunt.likelihood[target, :, outcome], hunt.open.copy()
    left[target] = False
    cell, moves = int(p.decisions.cell[way]), hunt.moves - int(p.decisions.steps[way])
    prior = joint / joint.sum()
    return p._replace(hunt=hunt._replace(prior=prior, open=left, cell=cell, moves=moves))


def reward(p: AdaptiveHunt, action: int, then: AdaptiveHunt) -> float:
    """Return what ``action`` paid that led from ``p`` to ``then``: the entropy, less the costs."""
    if action == STOP:
        return 0.0
    hunt, target = p.hunt, target_of(p, action)
    cost = hunt.distance * float(p.decisions.length[action - STOP - 1])
    cost += hunt.test * float(hunt.cost[target])
    drop = surprise(hunt.prior).sum() - surprise(then.hunt.prior).sum()
    return hunt.benefit * float(drop) - cost


def play(p: AdaptiveHunt, choose: Choice, key: int) -> float:
    """Play one hunt from ``p`` in closed loop; return the sum of its rewards.

    ``key``: names all randomness: the y that is true, the outcomes, the keys of decisions.
    """
    stream, decision, total = new_stream(derive_key(key, 0)), 0, 0.0
    truth = _draw(p.hunt.prior, stream)
    while not over(p):
        decision += 1
        action = choose(p, int(derive_key(key, decision)))
        target, outcome = target_of(p, action), _NO_OUTCOME
        if target >= 0:
            outcome = _draw(p.hunt.likelihood[target, truth], stream)
        then = after(p, action, outcome)
        total += reward(p, action, then)
        p = then
    return total


def expected_value(p: AdaptiveHunt, choose: Choice, key: int) -> float:
    """Return the exact mean of the rewards if ``choose`` decides, over all outcomes.

    ``choose`` is called once for each position that can come up, with a key derived from the path.
    """
    if over(p):
        return 0.0
    action = choose(p, key)
    value = 0.0
    for outcome, chance in chances(p, action).items():
        then = after(p, action, outcome)
        below = expected_value(then, choose, int(derive_key(key, 1 + outcome)))
        value += chance * (reward(p, action, then) + below)
    return value


def _draw(distribution: np.ndarray, stream: np.ndarray) -> int:
    """Return an index drawn from ``distribution``; one draw."""
    place = int(np.searchsorted(np.cumsum(distribution), uniform(stream), side="right"))
    return min(place, int(np.flatnonzero(distribution)[-1]))

"""Policies of a hunt by situation, and their exact value.

Order does not matter to the posterior (Remark 4.2), so moves to go, the cell and the outcomes by
target are all that a decision can need: a sufficient statistic, the `Situation`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sim.hunt.benefit import surprise
from sim.hunt.strategies.hunt import NO_TARGET, Hunt

UNSEEN = -1


class Situation(NamedTuple):
    """All that matters of what happened so far."""

    moves: int
    """Steps to go."""
    cell: int
    seen: tuple[int, ...]
    """Of each target the outcome of its measurement, or `UNSEEN`."""


class Decision(NamedTuple):
    """The cell to go to, which may be the same, and whether to measure its target then."""

    cell: int
    test: bool


Policy = Callable[[Situation], Decision]


class Followed(NamedTuple):
    """The value of a policy, by expectation over all outcomes, and its decisions."""

    value: float
    """By the weights of the hunt."""
    benefit: float
    """Nats: the drop of the entropy of y."""
    cost: float
    """The sum of J over tests."""
    length: float
    decisions: dict[Situation, Decision]
    """In every situation that it can meet."""


def start(hunt: Hunt) -> Situation:
    """Return the situation in which ``hunt`` is."""
    return Situation(hunt.moves, hunt.cell, (UNSEEN,) * len(hunt.open))


def after(situation: Situation, decision: Decision, target: int, outcome: int) -> Situation:
    """Return what follows on ``decision``, if a test of ``target`` has this outcome."""
    seen = list(situation.seen)
    if decision.test:
        seen[target] = outcome
    return Situation(situation.moves - 1, decision.cell, tuple(seen))


def position(hunt: Hunt, situation: Situation) -> Hunt:
    """Return ``hunt`` as it stands in ``situation``.

    ValueError if the outcomes seen contradict each other.
    """
    measured = np.array(situation.seen) != UNSEEN
    posterior = _joint(hunt, situation)
    if posterior.sum() <= 0:
        raise ValueError(f"outcomes {situation.seen} cannot be seen together")
    return hunt._replace(
        prior=posterior / posterior.sum(),
        open=hunt.open & ~measured,
        cell=situation.cell,
        moves=situation.moves,
    )


def follow(hunt: Hunt, policy: Policy) -> Followed:
    """Return what ``policy`` is worth in ``hunt``, exactly: by recursion over all outcomes.

    ValueError if the policy goes where no arc leads, or measures what cannot be measured there.
    """
    decisions: dict[Situation, Decision] = {}
    parts: dict[Situation, np.ndarray] = {}

    def expectation(situation: Situation) -> np.ndarray:
        """Return benefit, cost and length to come, times the probability of what was seen."""
        if not situation.moves:
            return np.zeros(3)
        if situation in parts:
            return parts[situation]
        decision = decisions[situation] = policy(situation)
        joint = _joint(hunt, situation)
        target = _check_decision(hunt, situation, decision)
        sums = joint.sum() * np.array([0.0, 0.0, hunt.length[situation.cell, decision.cell]])
        if decision.test:
            sums[:2] += uncertain(joint[None])[0], joint.sum() * hunt.cost[target]
        for outcome in range(hunt.likelihood.shape[2]) if decision.test else (UNSEEN,):
            following = after(situation, decision, target, outcome)
            if (rest := _joint(hunt, following)).sum() > 0:
                sums[0] -= uncertain(rest[None])[0] if decision.test else 0.0
                sums += expectation(following)
        parts[situation] = sums
        return sums

    benefit, cost, length = (float(part) for part in expectation(start(hunt)))
    value = hunt.benefit * benefit - hunt.test * cost - hunt.distance * length
    return Followed(value, benefit, cost, length, decisions)


def uncertain(joint: np.ndarray) -> np.ndarray:
    """Return P(seen) H(y | seen) of tables P(y, seen), float (k, hypotheses), in nats."""
    return surprise(joint).sum(axis=1) - surprise(joint.sum(axis=1))


def _joint(hunt: Hunt, situation: Situation) -> np.ndarray:
    """Return P(y, seen), float (hypotheses,) [eq. 12]."""
    joint = hunt.prior
    for target, outcome in enumerate(situation.seen):
        if outcome != UNSEEN:
            joint = joint * hunt.likelihood[target, :, outcome]
    return joint


def _check_decision(hunt: Hunt, situation: Situation, decision: Decision) -> int:
    """Return the target of the cell of ``decision``; ValueError if it may not be taken."""
    if not np.isfinite(hunt.length[situation.cell, decision.cell]):
        raise ValueError(f"no arc leads from cell {situation.cell} to cell {decision.cell}")
    target = int(hunt.target[decision.cell])
    if decision.test and (
        target == NO_TARGET or not hunt.open[target] or situation.seen[target] != UNSEEN
    ):
        raise ValueError(f"there is nothing left to measure in cell {decision.cell}")
    return target

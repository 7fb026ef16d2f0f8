"""A particle belief for any problem that can be simulated.

Without a likelihood, particles are proposed until enough of them reproduce the observation [POMCP:
Silver & Veness 2010, s. 3.2].  With one, each particle is propagated once, weighted by it, and the
same number is drawn by weight [bootstrap filter: Gordon, Salmond & Smith 1993], by stratified
resampling [Kitagawa 1996].

Reinvigoration: static hidden parts are fixed by the initial particles, and after many observations
few different ones remain.  So a share of the proposals is varied before being propagated, and
accepted like any other if it reproduces the observation.  As in POMCP, a varied particle is checked
against the last observation only: with a large share the belief forgets.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mcts.kernel.errors import SleuthError
from mcts.plain.values import real, show, truth

State = Any
Likelihood = Callable[[State, Any, Any], float]

SHARE = 1 / 16
"""Share of varied proposals, as in POMCP's program."""

ATTEMPTS = 100
"""Proposals per particle before giving up."""


class Deprived(SleuthError, ValueError):
    """No particle explains the observation."""


@dataclass
class ParticleFilter:
    """Equally likely states.

    Raises ValueError without particles, or if ``share`` is no probability.
    """

    states: Sequence[State]
    """The particles; replaced at each update, never changed."""
    simulate: Callable[[State, Any, Any], tuple[State, Any]]
    """``simulate(state, action, chance)`` returns a new next state and the observation."""
    likelihood: Likelihood | None = None
    """``likelihood(state, action, observation)``: P(observation) in the next ``state``."""
    vary: Callable[[State, Any], State] | None = None
    """Returns a state like its argument, with one hidden part changed."""
    share: float = SHARE
    """Share of varied proposals, given `vary`."""
    attempts: int = ATTEMPTS
    same: Callable[[Any, Any], Any] = operator.eq
    """Return whether two observations are equal; arrays need more than ``==``."""
    accepted: int = field(default=0, init=False)
    """Accepted proposals of the last update, at most the number of particles ..."""
    proposed: int = field(default=0, init=False)
    """... and the proposals made."""

    def __post_init__(self) -> None:
        if not len(self.states):
            raise ValueError("a particle filter needs at least one particle")
        if not 0 <= real(self.share, "share") <= 1:
            raise ValueError(f"share must be from 0 to 1, not {self.share!r}")
        if not real(self.attempts, "attempts") > 0:
            raise ValueError(f"attempts must be above 0, not {self.attempts!r}")

    def update(self, action: Any, observation: Any, chance: random.Random) -> None:
        """Update on ``observation`` after ``action``; all draws are from ``chance``.

        Raises Deprived if no proposal explains the observation, leaving the particles unchanged.
        """
        if self.likelihood is None:
            found = self._reject(action, observation, chance)
        else:
            found = self._weigh(self.likelihood, action, observation, chance)
        if not found:
            raise Deprived(
                f"none of {self.proposed:,} simulations from {len(self.states):,} particles "
                f"explains {observation!r} after {action!r}: increase particles, or give vary or "
                "likelihood"
            )
        self.states = found

    def _proposal(self, state: State, action: Any, chance: random.Random) -> tuple[State, Any]:
        """Return a proposal from ``state``, varied or not."""
        if self.vary is not None and chance.random() < self.share:
            state = self.vary(state, chance)
        came = self.simulate(state, action, chance)
        try:
            following, seen = came
        except (TypeError, ValueError):
            raise TypeError(
                "simulate(state, action, chance) returns the next state and the observation, not "
                f"{show(came)}"
            ) from None
        return following, seen

    def _reject(self, action: Any, observation: Any, chance: random.Random) -> list[State]:
        """Return as many particles as before that reproduce the observation; or none."""
        wanted = len(self.states)
        found: list[State] = []
        self.proposed = 0
        while len(found) < wanted and self.proposed < self.attempts * wanted:
            drawn = self.states[int(chance.random() * wanted)]
            state, seen = self._proposal(drawn, action, chance)
            self.proposed += 1
            if truth(self.same(seen, observation), "same(seen, observation)"):
                found.append(state)
        self.accepted = len(found)
        while 0 < len(found) < wanted:
            found.append(found[int(chance.random() * self.accepted)])
        return found

    def _weigh(
        self, likelihood: Likelihood, action: Any, observation: Any, chance: random.Random
    ) -> list[State]:
        """Return as many particles as before, drawn by likelihood; none if all are 0."""
        moved = [self._proposal(state, action, chance)[0] for state in self.states]
        of = "likelihood(state, action, observation)"
        weights = [real(likelihood(state, action, observation), of) for state in moved]
        if min(weights) < 0:
            raise ValueError(f"{of} is {min(weights)}: it must be a number from 0")
        self.proposed = len(moved)
        self.accepted = sum(weight > 0 for weight in weights)
        total = sum(weights)
        if total <= 0:
            return []
        found, place, reached = [], 0, weights[0]
        part = total / len(moved)
        for i in range(len(moved)):
            drawn = (i + chance.random()) * part
            while reached < drawn and place < len(moved) - 1:
                place += 1
                reached += weights[place]
            found.append(moved[place])
        return found

"""Tiger and RockSample: ours against pomdp-py, by the discounted return of closed loops.

All play the same episodes (`mcts.problems.closed_loop`): the same hidden state and sounds for the
same actions, the exact belief, a new tree at each decision, a receding horizon, random roll-outs of
the same length, the same exploration and the same final choice.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.peers.measuring import Work
from mcts.domain import domain_of
from mcts.kernel.rng import derive_key
from mcts.options import Budget, Options
from mcts.problems.closed_loop import play
from mcts.search import Search

OURS = "ours, compiled"

Choose = Callable[[Any, int], int]
"""Returns an action for a position and a key."""
Contestant = Callable[[int], Choose]
"""Returns a chooser with the given number of simulations."""


@dataclass(frozen=True)
class Loop:
    """A problem, and its contestants."""

    name: str
    start: Any
    """The compiled position; ``steps`` are the actions of an episode and of a simulation."""
    after: Callable[[Any, int, int], Any]
    """The position after an action and an observation."""
    contestants: dict[str, Contestant]
    """Ours first."""

    def works(self) -> dict[str, Work]:
        """Return the timed work of each contestant: one decision from the start."""

        def work(make: Contestant) -> Work:
            made: dict[int, Choose] = {}

            def search(simulations: int) -> object:
                if simulations not in made:
                    made.clear()
                    made[simulations] = make(simulations)
                return made[simulations](self.start, 1)

            return search

        return {name: work(make) for name, make in self.contestants.items()}

    def returns(self, name: str, simulations: int, episodes: int, seed: int) -> list[float]:
        """Return the discounted return of each episode of a contestant."""
        choose = self.contestants[name](simulations)
        return [
            play(self.start, self.after, choose, int(derive_key(seed, n)), self.start.steps)
            for n in range(episodes)
        ]


def exploration(p: Any, units: float) -> float:
    """Return the option equivalent to ``units`` of return in the formula of POMCP."""
    domain = domain_of(p)
    return units / math.sqrt(2) / (domain.declaration("high", p) - domain.declaration("low", p))


def options(start: Any, units: float, simulations: int) -> Options:
    """Return the options of our searches: the final choice is by the mean, as in pomdp-py."""
    return Options(exploration=exploration(start, units), nodes=simulations, final="mean")


def ours(start: Any, units: float) -> Contestant:
    """Return our search of a compiled problem, with ``units`` of return for exploration."""

    def make(simulations: int) -> Choose:
        search = Search(start, options(start, units, simulations))
        return lambda p, key: search.run(Budget(simulations=simulations), key, p).best

    return make


def begin_chance(key: int) -> None:
    """Seed pomdp-py, which draws from global generators."""
    random.seed(key)
    np.random.seed(key % 2**32)

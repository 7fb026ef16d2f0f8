"""The planners' seat: it keeps what it has seen, and searches before each decision.

It is handed views and events by the referee; the belief, the search and the choice are its own.
A decision with one legal action, or one on offer, is not searched.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from belief import exact
from belief.evidence import EvidenceFull
from mcts.kernel.rng import fold
from mcts.options import Budget, Options
from mcts.search import Search, SearchResult
from sim.domains.cluedo import Cluedo, offer
from sim.game import legal
from sim.player import Player
from sim.policies.table import FAST_NAMES, Policy, number, policy, seat_policy
from sim.rules import Rules, world
from sim.state import EXTERNAL, FACTS, N_ACTIONS
from sim.view import Log, relive


@dataclass(frozen=True)
class Plan:
    """How a planner sees the game and searches it; ValueError on an impossible value.

    Attributes
    ----------
    opponents, rollout : policies that move the others, and the own seat in roll-outs: names, or
        for the opponents a `Policy` with its switches; ``greedy`` is too slow for either
    candidates : actions of a kind that a node offers, best information first; 0 offers all
    accusations, least_accused : a node offers to accuse so many envelopes, the likeliest, and
        only those above this probability.  Waiting is worth what the roll-outs make of it: where
        they play badly (``heuristic``), a planner free to accuse early does so far too often
    options, budget : see `mcts.options`
    """

    opponents: Policy | str = "heuristic"
    rollout: str = "swift"
    candidates: int = 6
    accusations: int = 1
    least_accused: float = 0.0
    options: Options = field(default_factory=lambda: Options(exploration=0.2, nodes=1001))
    budget: Budget = field(default_factory=lambda: Budget(simulations=1000))

    def __post_init__(self) -> None:
        for name in (policy(self.opponents).name, self.rollout):
            number(name)
            if name not in FAST_NAMES:
                raise ValueError(f"{name} is too slow inside a simulation: model it by swift")
        if self.candidates < 0:
            raise ValueError(f"candidates must be 0 (all) or more, got {self.candidates}")
        if not 1 <= self.accusations <= 8:
            raise ValueError(f"accusations must be 1 to 8, got {self.accusations}")
        if not 0.0 <= self.least_accused < 1.0:
            raise ValueError(f"least_accused must be from 0 to below 1, got {self.least_accused}")


class BMCTS(Player):
    """Belief Monte Carlo tree search [Ledford 2018, s. 3.4] in one seat.

    Attributes
    ----------
    plan : how it searches
    result : the last search, for inspection
    """

    def __init__(self, plan: Plan, name: str = "bmcts") -> None:
        super().__init__(name)
        self.plan = plan
        self.result: SearchResult | None = None
        self._search: Search | None = None
        self._posterior = exact.workspace()
        self._choices = np.empty(N_ACTIONS, np.int64)
        self._notes = np.empty(N_ACTIONS)

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        """Take ``seat`` in a new game; searches draw from streams below ``key``."""
        self.decisions = self.simulations = 0
        self.search_seconds = 0.0
        self._world, self._seat, self._key = world(rules), seat, key
        self._log = Log()

    def see(self, event: tuple[int, int, int, int]) -> None:
        """Add a suggestion to the log."""
        self._log.append(event)

    def position(self, view: np.recarray) -> Cluedo:
        """Return the position to search, from what this seat has seen alone.

        Raises
        ------
        belief.evidence.ContradictoryEvidence
            If no deal explains what was seen.
        belief.evidence.EvidenceFull
            If the posterior does not fit into memory.
        """
        root, plan, seat = view.copy(), self.plan, self._seat
        for other in range(self._world[0].players):
            seat_policy(root[0], other, policy(plan.opponents))
        seat_policy(root[0], seat, Policy(plan.rollout, showing=self.showing))
        root[0].policy[seat] = EXTERNAL
        root[0].tracks[seat] |= FACTS
        root[0].recording = 1
        relive(self._world[0], root[0], seat, self._log.events)
        posterior = exact.ExactPosterior(root[0].evidence[seat], self._posterior)
        if posterior.parts > 1:
            raise EvidenceFull("the posterior is too wide to be searched in one piece")
        work = posterior.work
        if work is not self._posterior:  # it grew, so the threads' workspaces must grow too
            self._posterior, self._search = work, None
        return Cluedo(
            world=self._world,
            root=root,
            posterior=self._posterior,
            events=self._log.events,
            seat=seat,
            rollout=number(plan.rollout),
            candidates=plan.candidates,
            accusations=plan.accusations,
            least_accused=float(plan.least_accused),
        )

    def decide(self, view: np.recarray) -> int:
        """Return the action that a search from ``view`` prefers."""
        if legal(self._world[0], view[0], self._choices) == 1:
            return int(self._choices[0])
        began = time.perf_counter()
        position = self.position(view)
        root = position.root[0]
        if offer(position, root, position.posterior, self._choices, self._notes) == 1:
            return int(self._choices[0])
        if self._search is None:
            self._search = Search(position, self.plan.options)
        key = fold(np.uint64(self._key), self.decisions)
        self.result = self._search.run(self.plan.budget, int(key), position)
        self.decisions += 1
        self.simulations += self.result.simulations
        self.search_seconds += time.perf_counter() - began
        return self.result.best

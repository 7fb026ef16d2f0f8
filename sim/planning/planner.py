"""Players that search before each decision.

    planner = Planner(PlannerConfig("bmcts", opponents="swift"))
    planner.begin(rules, seat, view, key)
    action = planner.decide(view)
    planner.result, planner.search.tree

`sim.planning.seat_models` holds the seat's observations and `sim.planning.seat_models` its models
of the others; from both the planner builds a position (`sim.planning.cluedo.Cluedo`) and searches
it.  Decisions with a single legal or offered action need no search.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from belief.exact import solver
from belief.exact.workspace import compact
from mcts.domain import observation
from mcts.kernel.rng import derive_key, new_stream
from mcts.merge import merge
from mcts.search import Search, SearchResult
from mcts.searcher import Searcher, searcher
from mcts.threads import alone
from sim.legal import legal
from sim.models.opponent_belief import OpponentBelief
from sim.planning import node_belief
from sim.planning.candidates import offer
from sim.planning.cluedo import Cluedo, Workspace, workspace
from sim.planning.config import PlannerConfig
from sim.planning.seat_models import SeatBelief, SeatModels
from sim.planning.variants import BELIEFS, POLICY
from sim.player import Player
from sim.policies.registry import Policy
from sim.rules import Rules, world
from sim.state import ACCUSE, EVENTS, N_ACTIONS, REVEAL
from sim.view import replay_evidence

_AMPLE = 100
"""Turns in which the last active seat certainly finds the envelope."""

_SURE = 1.0 - 1e-9
"""Minimum probability of a certain accusation."""


def withhold_accusation(result: SearchResult, margin: float) -> SearchResult:
    """Return ``result`` with the best non-accusing action, unless accusing is clearly better.

    The values of other actions are biased low, because roll-outs continue with a weaker player.  So
    an uncertain accusation is played only if its probability exceeds their maximum by ``margin``.
    """
    accuses = (result.actions >= ACCUSE) & (result.actions < REVEAL)
    (best,) = np.flatnonzero(result.actions == result.best)
    others = np.flatnonzero(~accuses & (result.visits > 0))
    chance = result.edge_data[best]
    if not margin or not accuses[best] or not len(others) or chance >= _SURE:
        return result
    if chance > result.values[others].max() + margin:
        return result
    most = others[np.argmax(result.visits[others])]
    return replace(result, best=int(result.actions[most]))


class Planner(Player):
    """A planner in one seat.

    Attributes
    ----------
    config : configuration
    search : searcher with the tree of the last search, or None
    result : result of the last search, or None
    belief, models : belief and opponent models of the current game
    """

    belief: SeatBelief
    models: SeatModels

    def __init__(self, config: PlannerConfig | None = None, name: str | None = None) -> None:
        self.config = config or PlannerConfig()
        super().__init__(name or self.config.variant)
        self.result: SearchResult | None = None
        self.search: Searcher | None = None
        self._work = solver.workspace()
        self._spare: Workspace | None = None
        self._choices = np.empty(N_ACTIONS, np.int64)
        self._edge_data = np.empty(N_ACTIONS)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.config.summary}>"

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        """Start a new game in ``seat``; searches draw from streams derived from ``key``."""
        self.decisions = self.simulations = 0
        self.search_seconds = 0.0
        if rules.players != getattr(self, "_rules", rules).players:  # needs other workspaces
            self.search = self._spare = None
        if isinstance(self.search, Search):
            self.search.forget()
        self._rules, self._world, self._seat, self._key = rules, world(rules), seat, key
        self.models = SeatModels(self.config, rules, seat, key, self.showing)
        chance = derive_key(key, 1)
        self.belief = SeatBelief(rules, seat, view, self.config.belief, chance, self._work)
        self._last: tuple[int, int] | None = None

    @property
    def rollout_policy(self) -> Policy:
        """Roll-out policy of the own seat in this game."""
        return self.models.own

    @property
    def seen(self) -> np.recarray:
        """Suggestions so far as this seat saw them, (n,) of `sim.state.EVENT`."""
        return self.belief.log.events

    @property
    def evidence(self) -> np.ndarray:
        """Copy of the seat's evidence at its last decision, (1,) of `belief.evidence.EVIDENCE`.

        It includes the own-card weights for the others' suggestions.
        """
        return np.array(self.belief.facts).reshape(1).copy()  # NumPy does not copy records

    @property
    def reads(self) -> bool:
        """Whether it infers hands from suggestions."""
        return bool(np.any(self.belief.facts.own_card_weight[: self._rules.players] != 1.0))

    @property
    def opponent_belief(self) -> OpponentBelief | None:
        """Belief over the opponents' types; None with a single opponent model."""
        return self.models.types

    def marginals(self) -> np.ndarray:
        """Return P(card is with holder) at the last decision, (21, 7)."""
        return self.belief.marginals()

    def see(self, event: tuple[int, int, int, int]) -> None:
        """Add a suggestion to the log."""
        self.belief.log.append(event)

    def position(self, view: np.recarray) -> Cluedo:
        """Return the position to search, from this seat's observations only.

        Raises belief.evidence.ContradictoryEvidence if no deal explains the observations,
        belief.evidence.EvidenceFull if the posterior does not fit into memory, and
        belief.beliefs.particles.ParticleDeprivation if no particle is left.
        """
        config, seat, belief, models = self.config, self._seat, self.belief, self.models
        root = self._root(view)
        belief.facts = root[0].evidence[seat]
        if config.belief == "exact":
            belief.solve(root[0].evidence[seat])
        if models.judge(view, belief):
            root = self._root(view)
            belief.solve(root[0].evidence[seat])
        if belief.posterior is not self._work:  # it grew, so threads need larger workspaces
            self._work, self.search = belief.posterior, None
        return Cluedo(
            world=self._world,
            root=root,
            posterior=belief.posterior,
            states=len(belief.posterior.key),
            deals=self._deals(new_stream(derive_key(self._key, self.decisions, 2))),
            events=belief.log.events,
            seat=seat,
            answers=config.answer_source,
            belief=BELIEFS.index(config.node_belief),
            movers=config.how.movers,
            reward_from_deal=int(config.how.reward_from_deal),
            resample_at_leaf=int(config.how.resample_at_leaf),
            transpositions=int(config.transpositions and config.how.movers == POLICY),
            clairvoyant=int(config.how.clairvoyant),
            policies=models.rollout_policies,
            seating=models.seating,
            candidates=config.candidates,
            hiding=models.hiding,
            summoning=models.summoning,
            accusations=config.accusations,
            least_accused=float(config.least_accused),
        )

    def _root(self, view: np.recarray) -> np.recarray:
        """Return the root state: ``view`` with models in the seats and replayed evidence."""
        root = view.copy()
        self.models.take_seats(root[0])
        root[0].recording = 1
        replay_evidence(self._world[0], root[0], self._seat, self.belief.log.events)
        return root

    def _deals(self, stream: np.ndarray) -> np.ndarray:
        """Return the deals that simulations draw from (`SeatBelief.draw_deals`)."""
        how = self.config.how
        once = how.determinize_envelope and self.config.redraw == "decision"
        return self.belief.draw_deals(stream, once)

    @alone
    def decide(self, view: np.recarray) -> int:
        """Return the best action by a search from ``view``."""
        n = legal(self._world[0], view[0], self._choices)
        if n == 1:
            return self._remember(int(self._choices[0]))
        began = time.perf_counter()
        position = self.position(view)
        self._follow(position, self._choices[:n].tolist())
        only = self._only_offer(position)
        if only is not None:
            return self._remember(only)
        self.result = withhold_accusation(self._run(position), self.config.patience)
        self.decisions += 1
        self.simulations += self.result.simulations
        self.search_seconds += time.perf_counter() - began
        return self._remember(self.result.best)

    def _only_offer(self, position: Cluedo) -> int | None:
        """Return an action that needs no search, or None."""
        root, work = position.root[0], position.posterior
        if self.config.belief != "exact":
            node_belief.believe(position, root, work)
        n = offer(position, root, work, self._choices, self._edge_data)
        alone = root.out[: self._rules.players].sum() == self._rules.players - 1
        ample = self._rules.turn_cap - root.turn >= _AMPLE
        if alone and ample and self.config.candidates:
            waiting = (a for a in self._choices[:n].tolist() if not ACCUSE <= a < REVEAL)
            return next(waiting, int(self._choices[0]))
        return int(self._choices[0]) if n == 1 else None

    def _run(self, position: Cluedo) -> SearchResult:
        config = self.config
        key = int(derive_key(self._key, self.decisions))
        if self.search is None:
            self.search = searcher(position, config.search_options)
        if config.options.mode == "root":
            position = position._replace(posterior=compact(position.posterior))
        if not config.how.clairvoyant:
            return self.search.run(config.budget, key, position)
        deals = position.deals
        if not self.belief.samples:
            deals = self.belief.sample(new_stream(key), config.trees)
        share = config.budget.split(config.trees)
        results = [
            self.search.run(share, key + i, position._replace(deals=deals[i : i + 1].copy()))
            for i in range(config.trees)
        ]
        return merge(results, config.options.merge, config.options.final)

    def _remember(self, action: int) -> int:
        """Store and return ``action``, with the number of suggestions before it."""
        self._last = (action, len(self.belief.log.events))
        return action

    def _follow(self, position: Cluedo, choices: list[int]) -> None:
        """Let the search keep the subtree of the last action and the observations since."""
        if not (self.config.options.keep_tree and isinstance(self.search, Search) and self._last):
            return
        action, before = self._last
        since = self.belief.log.events[before:][:EVENTS]
        if self._spare is None:
            self._spare = workspace(position)
        s = self._spare
        s.state[0] = position.root[0]
        s.state[0].events = len(since)
        for i, event in enumerate(since):
            s.state[0].event[i] = tuple(event)
        self.search.advance(action, int(observation(position, s)), choices)

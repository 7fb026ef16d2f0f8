"""The planners' seat: it keeps what it has seen, and searches before each decision.

It is handed views and events by the referee; the belief, the search and the choice are its own.
A decision with one legal action, or one on offer, is not searched.

    planner = Planner(Plan("bmcts", opponents="swift"))
    planner.begin(rules, seat, view, key)
    action = planner.decide(view)
    planner.result, planner.search.tree
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from belief import evidence
from belief.beliefs.base import Belief
from belief.beliefs.registry import make_belief
from belief.evidence import N_CARDS, Evidence, EvidenceFull
from belief.exact import solver
from belief.exact.workspace import compact
from mcts.domain import observation
from mcts.kernel.rng import derive_key, new_stream
from mcts.merge import merge
from mcts.search import Search, SearchResult
from mcts.searcher import Searcher, searcher
from mcts.threads import alone
from sim.legal import legal
from sim.models.best_response import best_response
from sim.models.company_belief import DEALS, CompanyBelief
from sim.models.own_cards import fit_weight
from sim.models.seating import NO_TYPES, wants_public
from sim.planning import node_belief
from sim.planning.candidates import offer
from sim.planning.cluedo import Cluedo, Workspace, workspace
from sim.planning.config import PlannerConfig
from sim.planning.variants import BELIEFS, POLICY
from sim.player import Player
from sim.policies.table import (
    REQUIRES,
    Policy,
    number,
    policy,
    seat_policy,
    swap_policy,
    switches_of,
)
from sim.rules import Rules, world
from sim.state import (
    ACCUSE,
    ASKED,
    EVENTS,
    EVIDENCE,
    EXTERNAL,
    FACTORED,
    MAX_PLAYERS,
    N_ACTIONS,
    PUBLIC,
    REVEAL,
    TURN,
)
from sim.suggestion_events import setting_of, suggestion_events
from sim.view import Log, replay_evidence

_AMPLE = 100
"""Turns in which a seat that plays alone is sure to find everything out."""

_SURE = 1.0 - 1e-9
"""Probability from which on an accusation is certain."""

_COMPANY = 4
"""Names the chance by which the others are judged."""

_DEALS = 1000
"""Deals drawn at once from a belief that cannot draw them inside a simulation."""


def wait(result: SearchResult, patience: float) -> SearchResult:
    """Return ``result`` with the best action that does not accuse, unless accusing pays by enough.

    Going on is worth more than its mean: in its roll-outs a weaker player goes on.  So an
    accusation that is not certain is played if its probability exceeds the highest mean of the
    other actions by ``patience``.
    """
    accuses = (result.actions >= ACCUSE) & (result.actions < REVEAL)
    (best,) = np.flatnonzero(result.actions == result.best)
    others = np.flatnonzero(~accuses & (result.visits > 0))
    chance = result.edge_data[best]
    if not patience or not accuses[best] or not len(others) or chance >= _SURE:
        return result
    if chance > result.values[others].max() + patience:
        return result
    most = others[np.argmax(result.visits[others])]
    return replace(result, best=int(result.actions[most]))


class Planner(Player):
    """Any of the planners, in one seat.

    Attributes
    ----------
    config : how it searches
    search : the searcher with the tree of the last search, once there was one
    result : the last search
    """

    departs = False
    """Whether it makes the departures that its configuration has."""

    def __init__(self, config: PlannerConfig | None = None, name: str | None = None) -> None:
        self.config = config or PlannerConfig()
        if self.config.departures.mask and not self.departs:
            raise ValueError("departures from the text are played by a ReleasedPlanner")
        super().__init__(name or self.config.variant)
        self.result: SearchResult | None = None
        self.search: Searcher | None = None
        self._posterior = solver.workspace()
        self._spare: Workspace | None = None
        self._choices = np.empty(N_ACTIONS, np.int64)
        self._edge_data = np.empty(N_ACTIONS)

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        """Take ``seat`` in a new game; searches draw from streams below ``key``."""
        self.decisions = self.simulations = 0
        self.search_seconds = 0.0
        if rules.players != getattr(self, "_rules", rules).players:  # others need other workspaces
            self.search = self._spare = None
        if isinstance(self.search, Search):
            self.search.forget()
        self._rules, self._world, self._seat, self._key = rules, world(rules), seat, key
        self._company: CompanyBelief | None = None
        if self.config.mixture is not None:
            chance = int(derive_key(key, 0, _COMPANY))
            self._company = CompanyBelief(rules, seat, self.config.mixture, chance)
        self._respond()
        self._log = Log()
        self._last: tuple[int, int] | None = None
        self._belief: Belief | None = None
        self._taken_in = 0
        if self.config.belief != "exact":
            hand, face_up = int(view[0].hand[seat]), int(view[0].face_up)
            stream = new_stream(derive_key(key, 1))
            setting = setting_of(rules, seat, hand, face_up)
            self._belief = make_belief(self.config.belief, setting, stream)

    def _respond(self) -> None:
        """Fix how the own seat plays in roll-outs, how it reads, and what hiding is worth to it."""
        config, own = self.config, replace(policy(self.config.rollout), showing=self.showing)
        if self._company is not None:
            if config.best_response:
                own = self._company.responses.best_reply(own, self._company.average)
            self._weight: float | np.ndarray = self._company.own_card_weights
        else:
            weight, reads = config.own_card_weight, "own_card_weight" in switches_of(own.name)
            if weight is None and not (config.best_response and reads):
                weight = fit_weight(self._rules, config.model).value
            if config.best_response:
                own = best_response(self._rules, own, config.model)
            if reads and weight is not None:
                own = replace(own, own_card_weight=weight)
            self._weight = own.own_card_weight if weight is None else weight
        self._own = own
        hides = "hiding" in switches_of(own.name)
        # Numbers of one type whatever was given: for another, the search is compiled again.
        self._prices = [
            float((getattr(own, name) if hides else 0.0) if price is None else price)
            for name, price in (("hiding", config.hiding), ("summoning", config.summoning))
        ]

    @property
    def rollout_policy(self) -> Policy:
        """Policy of its own seat in roll-outs in this game."""
        return self._own

    @property
    def seen(self) -> np.recarray:
        """The suggestions so far as this seat saw them, (n,) of `sim.state.EVENT`."""
        return self._log.events

    @property
    def evidence(self) -> np.ndarray:
        """A copy of what its seat had seen by its last decision: `belief.evidence.EVIDENCE`, (1,).

        The weights of named cards are in it: by them it reads the others' suggestions.
        """
        return np.array(self._facts).reshape(1).copy()  # NumPy copies no record

    @property
    def reads(self) -> bool:
        """Whether a suggestion informs it on the hand of the player who makes it."""
        return bool(np.any(self._facts.own_card_weight[: self._rules.players] != 1.0))

    @property
    def company(self) -> CompanyBelief | None:
        """The belief over the types of its opponents; None if it has one model of them."""
        return self._company

    def marginals(self) -> np.ndarray:
        """Return P(card is with holder) by its belief at the last decision, (21, 7)."""
        if self._belief is not None:
            return self._belief.marginals()
        return solver.ExactPosterior(self._facts).marginals

    def see(self, event: tuple[int, int, int, int]) -> None:
        """Add a suggestion to the log."""
        self._log.append(event)

    def position(self, view: np.recarray) -> Cluedo:
        """Return the position to search, from what this seat has seen alone.

        Raises belief.evidence.ContradictoryEvidence if no deal explains what was seen.  Raises
        belief.evidence.EvidenceFull if the posterior does not fit into memory.  Raises
        belief.beliefs.particles.ParticleDeprivation if no particle is left.
        """
        config, seat = self.config, self._seat
        root = self._root(view)
        self._facts = root[0].evidence[seat]
        if config.belief == "exact":
            self._solve(self._facts)
        if self._company is not None and self._look_at_others(self._company, view):
            root = self._root(view)
            self._solve(root[0].evidence[seat])
        return Cluedo(
            world=self._world,
            root=root,
            posterior=self._posterior,
            states=len(self._posterior.key),
            deals=self._deals(new_stream(derive_key(self._key, self.decisions, 2))),
            events=self._log.events,
            seat=seat,
            answers=config.how.answers(config.predictive_answers),
            belief=BELIEFS.index(config.node_belief),
            movers=config.how.movers,
            reward_from_deal=int(config.how.reward_from_deal),
            resample_at_leaf=int(config.how.resample_at_leaf),
            transpositions=int(config.transpositions and config.how.movers == POLICY),
            clairvoyant=int(config.how.clairvoyant),
            policies=self._policies(),
            seating=NO_TYPES if self._company is None else self._company.seating,
            candidates=config.candidates,
            hiding=self._prices[0],
            summoning=self._prices[1],
            accusations=config.accusations,
            least_accused=float(config.least_accused),
        )

    @alone
    def decide(self, view: np.recarray) -> int:
        """Return the action that a search from ``view`` prefers."""
        n = legal(self._world[0], view[0], self._choices)
        if n == 1:
            return self._remember(int(self._choices[0]), len(self._log.events))
        began = time.perf_counter()
        position = self.position(view)
        self._follow(position, self._choices[:n].tolist())
        only = self._only_offer(position)
        if only is not None:
            return self._remember(only, len(self._log.events))
        self.result = wait(self._run(position), self.config.patience)
        self.decisions += 1
        self.simulations += self.result.simulations
        self.search_seconds += time.perf_counter() - began
        return self._remember(self.result.best, len(self._log.events))

    def _root(self, view: np.recarray) -> np.recarray:
        """Return the state to search from: ``view``, models in the seats, own evidence replayed."""
        root, config, seat = view.copy(), self.config, self._seat
        for other in range(self._rules.players):
            seat_policy(root[0], other, config.model)
            if config.how.movers != POLICY:
                root[0].policy[other], root[0].showing[other] = EXTERNAL, ASKED
                root[0].tracks[other] |= FACTORED | EVIDENCE
            else:
                swap_policy(root[0], other, policy(config.opponents))
        seat_policy(root[0], seat, self._own)
        root[0].policy[seat] = EXTERNAL
        root[0].tracks[seat] |= FACTORED | EVIDENCE | (PUBLIC if any(self._prices) else 0)
        root[0].own_card_weight[seat] = self._weight
        if self._company is not None and wants_public(self._company.types):
            root[0].tracks[seat] |= PUBLIC
        root[0].recording = 1
        replay_evidence(self._world[0], root[0], seat, self._log.events)
        return root

    def _look_at_others(self, company: CompanyBelief, view: np.recarray) -> bool:
        """Take in what the others have done; return whether there was anything."""
        observed = company.turns(view, self._log.events) if view[0].phase == TURN else ()
        if not len(observed):
            return False
        stream = new_stream(derive_key(self._key, int(view[0].turn), _COMPANY))
        deals = self._exact.sample(stream, DEALS)
        company.weigh(view[0], observed, self._log.events, deals)
        company.reading.take_in(self._facts)
        self._respond()
        return True

    def _policies(self) -> np.ndarray:
        """Return what each seat plays in roll-outs, and what is kept for it there."""
        config = self.config
        played = np.full((2, MAX_PLAYERS), number(config.model.name))
        played[0, self._seat] = number(policy(config.rollout).name)
        played[1] = np.array(REQUIRES)[played[0]]
        return played

    def _solve(self, facts: Evidence) -> None:
        """Solve the exact posterior of what this seat has seen."""
        self._facts = facts
        self._exact = solver.ExactPosterior(facts, self._posterior)
        if self._exact.parts > 1:
            raise EvidenceFull("the posterior is too wide to be searched in one piece")
        if self._exact.work is not self._posterior:  # it grew, and the threads' workspaces with it
            self._posterior, self.search = self._exact.work, None

    def _deals(self, stream: np.ndarray) -> np.ndarray:
        """Return the deals that simulations draw from, int64 (n, 21); none: the exact posterior."""
        config = self.config
        once = config.redraw == "decision" and config.how.determinize_envelope
        if self._belief is None:
            return self._one_envelope(stream) if once else np.zeros((0, N_CARDS), np.int64)
        log = self._log.events[self._taken_in :]
        events = suggestion_events(log.tolist(), self._seat, self._rules.players)[0]
        self._belief.observe(events)
        self._taken_in += len(log)
        deals = self._belief.sample(stream, _DEALS)
        if once:
            same = (deals == 0) == (deals[0] == 0)
            deals = deals[same.all(axis=1)]
        return np.ascontiguousarray(deals)

    def _one_envelope(self, stream: np.ndarray) -> np.ndarray:
        """Draw an envelope from the exact posterior, and deals that have it."""
        drawn = self._exact.sample(stream, 1)[0]
        cards = sum(1 << int(card) for card in np.flatnonzero(drawn == 0))
        facts = evidence.new_evidence()
        facts[0] = self._facts
        for player in range(self._rules.players):
            evidence.note_pass(facts[0], player, cards)
        return solver.ExactPosterior(facts[0]).sample(stream, _DEALS)

    def _only_offer(self, position: Cluedo) -> int | None:
        """Return the action that needs no search, if there is one.

        It is the only one on offer; or, when nobody else plays any more and nothing can be lost by
        waiting for certainty, the candidate that is most informative.
        """
        root, work = position.root[0], position.posterior
        if self.config.belief != "exact":
            node_belief.believe(position, root, work)
        n = offer(position, root, work, self._choices, self._edge_data)
        alone = root.out[: self._rules.players].sum() == self._rules.players - 1
        patient = self._rules.turn_cap - root.turn >= _AMPLE
        if alone and patient and self.config.candidates:
            waiting = (a for a in self._choices[:n].tolist() if not ACCUSE <= a < REVEAL)
            return next(waiting, int(self._choices[0]))
        return int(self._choices[0]) if n == 1 else None

    def _run(self, position: Cluedo) -> SearchResult:
        """Search ``position`` for the whole budget."""
        config = self.config
        key = int(derive_key(self._key, self.decisions))
        if self.search is None:
            self.search = searcher(position, config.search_options)
        if config.options.mode == "root":
            position = position._replace(posterior=compact(position.posterior))
        if not config.how.clairvoyant:
            return self.search.run(config.budget, key, position)
        deals = position.deals
        if self._belief is None:
            deals = self._exact.sample(new_stream(key), config.trees)
        share = config.budget.split(config.trees)
        results = [
            self.search.run(share, key + i, position._replace(deals=deals[i : i + 1].copy()))
            for i in range(config.trees)
        ]
        return merge(results, config.options.merge, config.options.final)

    def _remember(self, action: int, events: int) -> int:
        """Note ``action`` and how many suggestions had been made before it; return it."""
        self._last = (action, events)
        return action

    def _follow(self, position: Cluedo, choices: list[int]) -> None:
        """Let the search keep what it found below the last action and what was seen since."""
        if not (self.config.options.keep_tree and isinstance(self.search, Search) and self._last):
            return
        action, before = self._last
        since = self._log.events[before:][:EVENTS]
        if self._spare is None:
            self._spare = workspace(position)
        s = self._spare
        s.state[0] = position.root[0]
        s.state[0].events = len(since)
        for i, event in enumerate(since):
            s.state[0].event[i] = tuple(event)
        self.search.advance(action, int(observation(position, s)), choices)

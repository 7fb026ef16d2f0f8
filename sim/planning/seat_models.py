"""Knowledge of a planner's seat in a game: its belief over deals, and its models of the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from belief import evidence
from belief.beliefs.base import Belief
from belief.beliefs.registry import make_belief
from belief.evidence import N_CARDS, Evidence, EvidenceFull
from belief.exact import solver
from mcts.kernel.rng import derive_key, new_stream
from sim.models.best_response import best_response
from sim.models.opponent_belief import DEALS as WEIGHED_DEALS
from sim.models.opponent_belief import OpponentBelief
from sim.models.own_cards import fit_weight
from sim.models.types import NO_TYPES, Seating, wants_public
from sim.planning.config import PlannerConfig
from sim.planning.variants import POLICY
from sim.policies.registry import (
    REQUIRES,
    number,
    policy,
    seat_policy,
    swap_policy,
    switches_of,
)
from sim.rules import Rules
from sim.state import ASKED, EVIDENCE, EXTERNAL, FACTORED, MAX_PLAYERS, PUBLIC, TURN, State
from sim.suggestion_events import setting_of, suggestion_events
from sim.view import Log

DEALS = 1000
"""Number of deals drawn in advance from beliefs that cannot be sampled inside a simulation."""


class SeatBelief:
    """Belief over deals of one seat in one game.

    Attributes
    ----------
    log : the suggestions so far, as the seat saw them
    facts : its evidence at the last decision, a record of `belief.evidence.EVIDENCE`
    posterior : workspace of `belief.exact.solver`, filled by `solve`, which may enlarge it
    samples : whether deals come from a belief other than the exact posterior
    """

    facts: Evidence

    def __init__(
        self, rules: Rules, seat: int, view: np.recarray, name: str, key: np.uint64, work: tuple
    ) -> None:
        """Start with the hand in ``view``; belief ``name`` draws from the stream of ``key``."""
        self.log = Log()
        self.posterior = work
        self._players, self._seat = rules.players, seat
        self._belief: Belief | None = None
        self._taken_in = 0
        if name != "exact":
            hand, face_up = int(view[0].hand[seat]), int(view[0].face_up)
            setting = setting_of(rules, seat, hand, face_up)
            self._belief = make_belief(name, setting, new_stream(key))

    @property
    def samples(self) -> bool:
        return self._belief is not None

    def solve(self, facts: Evidence) -> None:
        """Solve the exact posterior of ``facts``; EvidenceFull if it is too wide."""
        self.facts = facts
        self._exact = solver.ExactPosterior(facts, self.posterior)
        if self._exact.parts > 1:
            raise EvidenceFull("the posterior is too wide to be searched in one piece")
        self.posterior = self._exact.work

    def marginals(self) -> np.ndarray:
        """Return P(card is with holder), (21, 7)."""
        if self._belief is not None:
            return self._belief.marginals()
        return solver.ExactPosterior(self.facts).marginals

    def sample(self, stream: np.ndarray, count: int) -> np.ndarray:
        """Return ``count`` deals from the exact posterior, int64 (count, 21)."""
        return self._exact.sample(stream, count)

    def draw_deals(self, stream: np.ndarray, one_envelope: bool) -> np.ndarray:
        """Return the deals for simulations, int64 (n, 21); empty: the exact posterior.

        ``one_envelope``: all deals share the envelope of the first.
        """
        if self._belief is None:
            return self._deals_of_one(stream) if one_envelope else np.zeros((0, N_CARDS), np.int64)
        log = self.log.events[self._taken_in :]
        self._belief.observe(suggestion_events(log.tolist(), self._seat, self._players)[0])
        self._taken_in += len(log)
        deals = self._belief.sample(stream, DEALS)
        if one_envelope:
            deals = deals[((deals == 0) == (deals[0] == 0)).all(axis=1)]
        return np.ascontiguousarray(deals)

    def _deals_of_one(self, stream: np.ndarray) -> np.ndarray:
        drawn = self._exact.sample(stream, 1)[0]
        cards = sum(1 << int(card) for card in np.flatnonzero(drawn == 0))
        facts = evidence.new_evidence()
        facts[0] = self.facts
        for player in range(self._players):
            evidence.note_pass(facts[0], player, cards)
        return solver.ExactPosterior(facts[0]).sample(stream, DEALS)


_CHANCE = 4
"""Key of the random stream for weighing the opponents' types."""


class SeatModels:
    """Policies in the simulations of one game.

    Attributes
    ----------
    types : belief over the opponents' types; None with a single model
    own : roll-out policy of the own seat
    weight : own-card weight with which the own seat reads suggestions
    hiding, summoning : prices in the ranking of candidates
    """

    def __init__(
        self, config: PlannerConfig, rules: Rules, seat: int, key: np.uint64, showing: str
    ) -> None:
        """Set up the models of ``config``; ``key`` determines the game's random streams."""
        self._config, self._rules, self._seat, self._key = config, rules, seat, key
        self._showing = showing
        self.types: OpponentBelief | None = None
        if config.mixture is not None:
            chance = int(derive_key(key, 0, _CHANCE))
            self.types = OpponentBelief(rules, seat, config.mixture, chance)
        self._reply()

    def _reply(self) -> None:
        """Set the own seat's roll-out policy, own-card weight and prices."""
        config, own = self._config, replace(policy(self._config.rollout), showing=self._showing)
        if self.types is not None:
            if config.best_response:
                own = self.types.responses.best_reply(own, self.types.average)
            self.weight: float | np.ndarray = self.types.own_card_weights
        else:
            weight, reads = config.own_card_weight, "own_card_weight" in switches_of(own.name)
            if weight is None and not (config.best_response and reads):
                weight = fit_weight(self._rules, config.model)
            if config.best_response:
                own = best_response(self._rules, own, config.model)
            if reads and weight is not None:
                own = replace(own, own_card_weight=weight)
            self.weight = own.own_card_weight if weight is None else weight
        self.own = own
        hides = "hiding" in switches_of(own.name)
        # Always floats: another type would recompile the search.
        self.hiding, self.summoning = (
            float((getattr(own, name) if hides else 0.0) if price is None else price)
            for name, price in (("hiding", config.hiding), ("summoning", config.summoning))
        )

    @property
    def seating(self) -> Seating:
        """Types from which simulations draw the opponents; empty with a single model."""
        return NO_TYPES if self.types is None else self.types.seating

    @property
    def rollout_policies(self) -> np.ndarray:
        """Roll-out policies by seat, and their tracked knowledge, int64 (2, 6)."""
        played = np.full((2, MAX_PLAYERS), number(self._config.model.name))
        played[0, self._seat] = number(policy(self._config.rollout).name)
        played[1] = np.array(REQUIRES)[played[0]]
        return played

    def take_seats(self, state: State) -> None:
        """Put the models into the seats of ``state``, the search root."""
        config, seat = self._config, self._seat
        for other in range(self._rules.players):
            seat_policy(state, other, config.model)
            if config.how.movers != POLICY:
                state.policy[other], state.showing[other] = EXTERNAL, ASKED
                state.tracks[other] |= FACTORED | EVIDENCE
            else:
                swap_policy(state, other, policy(config.opponents))
        seat_policy(state, seat, self.own)
        state.policy[seat] = EXTERNAL
        prices = self.hiding or self.summoning
        state.tracks[seat] |= FACTORED | EVIDENCE | (PUBLIC if prices else 0)
        state.own_card_weight[seat] = self.weight
        if self.types is not None and wants_public(self.types.types):
            state.tracks[seat] |= PUBLIC

    def judge(self, view: np.recarray, belief: SeatBelief) -> bool:
        """Update the types with the opponents' new turns; return whether there were any."""
        if self.types is None:
            return False
        events = belief.log.events
        observed = self.types.turns(view, events) if view[0].phase == TURN else ()
        if not len(observed):
            return False
        stream = new_stream(derive_key(self._key, int(view[0].turn), _CHANCE))
        self.types.weigh(view[0], observed, events, belief.sample(stream, WEIGHED_DEALS))
        self.types.reading.take_in(belief.facts)
        self._reply()
        return True

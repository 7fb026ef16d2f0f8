"""Opponent models of a planner, and the reply of its own seat in roll-outs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mcts.kernel.rng import derive_key, new_stream
from sim.models.best_response import best_response
from sim.models.opponent_belief import DEALS, OpponentBelief
from sim.models.own_cards import fit_weight
from sim.models.types import NO_TYPES, Seating, wants_public
from sim.planning.config import PlannerConfig
from sim.planning.seat_belief import SeatBelief
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
        self.types.weigh(view[0], observed, events, belief.sample(stream, DEALS))
        self.types.reading.take_in(belief.facts)
        self._reply()
        return True

"""Belief of a seat about the opponents' policies: a posterior over types from their decisions.

    belief = OpponentBelief(rules, seat, mixture, key)
    turns = belief.turns(view, log.events)              # new turns
    belief.weigh(view[0], turns, log.events, deals)     # deals from the seat's posterior
    belief.chances, belief.of_seat(1)

Each decision of an opponent multiplies the weight of a type by its probability of that decision
(`sim.models.likelihood`), to the power `TRUST`: deals are few, types are simplifications, and all
decisions depend on one hand.  A priori all opponents have the same type with probability
`Mixture.alike`, so one opponent's decisions also inform about the others.
"""

from __future__ import annotations

import numpy as np

from mcts.kernel.rng import derive_key, new_stream
from sim.models.likelihood import KINDS, OBSERVED, count_alike, trace
from sim.models.own_cards import Reading
from sim.models.responses import responses
from sim.models.types import Mixture, Seating, to_records
from sim.rules import Rules, world
from sim.state import ACCUSED, MAX_PLAYERS, empty

DEALS = 24
"""Number of deals for evaluating the types."""

SMOOTHING = np.array([1.0, 1.4, 12.0, 1.0])
"""Pseudo-count, in deals, of an uninformed player, by kind of decision.

For named pairs, the value fitted to games of the types was 0.7.  But a player that names a pair
that no reasoning type would name need not name at random: with 0.7, `greedy` was classified as
`csp`, and its strength was missed.
"""

CLUELESS = np.array([0.5, 1 / 8, 1 / 9, 0.5])
"""Probability of a decision for an uninformed player, by kind; for pairs one of nine possible."""

TRUST = np.array([0.5, 0.7, 0.7, 0.5])
"""Exponent of the likelihood, by kind of decision; all fitted to games of seed 5120."""


class OpponentBelief:
    """Belief over the types of all opponents, for one game.

    Attributes
    ----------
    mixture : the prior
    responses : table of responses to the types under these rules
    likelihood : float64 (6, types), log likelihoods by seat
    reading : belief over the opponents' own-card weights
    types : records that kernels put into seats
    """

    def __init__(self, rules: Rules, seat: int, mixture: Mixture, key: int) -> None:
        self.mixture = mixture
        self.likelihood = np.zeros((MAX_PLAYERS, len(mixture.types)))
        self._rules, self._world, self._seat, self._key = rules, world(rules), seat, key
        self._prior = np.array(mixture.weights) / sum(mixture.weights)
        # The kernel needs types with equal learning to be adjacent.
        learn = [(one.own_card_weight, one.inference) for one in mixture.policies]
        self._order = sorted(range(len(learn)), key=learn.__getitem__)
        self.types = to_records(mixture.policies)
        self.responses = responses(rules, mixture.types)
        self.reading = Reading(self.opponents, self.responses.reads)
        self._states = empty(2)
        self._goals = np.zeros(MAX_PLAYERS, np.int64)
        self._turn = 0
        self._heard = 0
        self._spot = np.array(self._world[0].start)
        self._summoned = np.zeros(MAX_PLAYERS, np.int64)
        self._out = np.zeros(MAX_PLAYERS, np.int64)

    def turns(self, view: np.recarray, events: np.recarray) -> np.recarray:
        """Return the turns of the opponents since the last call, of `OBSERVED`.

        ``view`` is the view of an own decision, ``events`` the log.  After a gap of more than a
        round, returns no turns, because those in between are unknown.
        """
        now, players = view[0], self._rules.players
        last = now.walked[:players]
        ended = [seat for seat in range(players) if last[seat, 0] > self._turn]
        ended.sort(key=lambda seat: last[seat, 0])
        rows = [row for seat in ended for row in self._turn_of(now, seat, events)]
        whole = len(ended) == int(now.turn) - 1 - self._turn
        self._turn, self._heard = int(now.turn) - 1, len(events)
        self._spot, self._summoned = now.spot.copy(), now.summoned.copy()
        self._out = now.out.copy()
        if not whole:
            self._goals[:] = 0
            return np.zeros(0, OBSERVED).view(np.recarray)
        observed = np.array(rows, OBSERVED).view(np.recarray)
        trace(self._world[0], self._states, observed, self._goals)
        return observed

    def _turn_of(self, now: np.record, seat: int, events: np.recarray) -> list[np.void]:
        """Return the last turn of ``seat`` unless it is ours, and update the pawns."""
        board, row = self._world[0], np.zeros(1, OBSERVED)[0]
        row["turn"], row["roll"], row["ended"] = now.walked[seat]
        row["seat"], row["heard"] = seat, self._heard
        row["spot"], row["summoned"], row["out"] = self._spot, self._summoned, self._out
        row["accused"] = now.out[seat] and not self._out[seat]
        self._spot, self._summoned = self._spot.copy(), self._summoned.copy()
        self._spot[seat], self._summoned[seat] = row["ended"], 0
        self._out = self._out.copy()
        self._out[seat] = now.out[seat]
        if self._next(events, seat, accused=False):
            cards = int(events[self._heard].cards)
            row["cards"] = cards
            self._heard += 1
            room = (cards >> 12).bit_length() - 1
            called = int(board.seat_of[(cards & 0x3F).bit_length() - 1])
            if not board.board:
                row["ended"] = board.first_door[room]
            elif (
                board.summons
                and not board.random_calls
                and called >= 0
                and board.room_of[self._spot[called]] != room
            ):
                self._spot[called], self._summoned[called] = board.first_door[room], 1
        self._heard += self._next(events, seat, accused=True)
        return [row] if seat != self._seat else []

    def _next(self, events: np.recarray, seat: int, accused: bool) -> bool:
        """Return whether the next event is a suggestion, or heard accusation, of ``seat``."""
        if self._heard == len(events):
            return False
        event = events[self._heard]
        return bool(event.asker == seat and (event.answerer == ACCUSED) == accused)

    def shares(
        self, view: np.record, observed: np.recarray, events: np.recarray, deals: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return in how many ``deals`` each type made the observed decision, and was evaluated.

        Both are float64 (turns, `KINDS`, types).
        """
        state = self._states[0]
        state.hand[self._seat], state.face_up = view.hand[self._seat], view.face_up
        counts = np.zeros((2, len(observed), KINDS, len(self.types)))
        stream = new_stream(derive_key(self._key, self._turn))
        types = self.types[self._order]
        seen = self._seat, events, observed, deals, types
        count_alike(self._world[0], self._states, *seen, stream, counts)
        hits, tries = counts[..., np.argsort(self._order)]
        return hits, tries

    def weigh(
        self, view: np.record, observed: np.recarray, events: np.recarray, deals: np.ndarray
    ) -> None:
        """Update the belief with the turns ``observed``."""
        self.take_in(observed.seat, *self.shares(view, observed, events, deals))

    def take_in(self, seats: np.ndarray, hits: np.ndarray, tries: np.ndarray) -> None:
        """Update with ``hits`` and ``tries`` of `shares`, for turns of ``seats`` (turns,)."""
        by_kind = (SMOOTHING[:, None], CLUELESS[:, None], TRUST[:, None])
        smoothing, clueless, trust = by_kind
        chance = (hits + smoothing * clueless) / (tries + smoothing)
        # No evidence if no type was evaluated.
        gain = trust * np.where(tries.max(axis=2, keepdims=True) > 0, np.log(chance), 0.0)
        np.add.at(self.likelihood, seats, gain.sum(axis=1))

    @property
    def opponents(self) -> list[int]:
        """Seats of the opponents."""
        return [seat for seat in range(self._rules.players) if seat != self._seat]

    @property
    def chances(self) -> np.ndarray:
        """Cumulative type probabilities for `Seating`, (7, types)."""
        alike, apart = self._posterior()
        return np.cumsum(np.vstack([alike, apart]), axis=1)

    @property
    def seating(self) -> Seating:
        """Types and probabilities that simulations draw from."""
        return Seating(self.types, self.chances)

    def of_seat(self, seat: int) -> np.ndarray:
        """Return the probability of each type in ``seat``, (types,)."""
        alike, apart = self._posterior()
        return alike + (1.0 - alike.sum()) * apart[seat]

    @property
    def average(self) -> np.ndarray:
        """Probability of each type, averaged over the opponents, (types,)."""
        return np.mean([self.of_seat(seat) for seat in self.opponents], axis=0)

    @property
    def own_card_weights(self) -> np.ndarray:
        """Own-card weight of each seat's suggestions, (6,)."""
        weights = np.ones(MAX_PLAYERS)
        for seat in self.opponents:
            weights[seat] = self.reading.weight(seat, self.of_seat(seat))
        return weights

    def _posterior(self) -> tuple[np.ndarray, np.ndarray]:
        """Return P(all opponents have a type) by type, and type probabilities by seat otherwise."""
        logs = np.log(self._prior) + self.likelihood
        top = logs.max(axis=1, keepdims=True)
        apart = np.exp(logs - top)
        each = apart.sum(axis=1)
        apart /= each[:, None]
        others = self.opponents
        together = np.log(self._prior) + self.likelihood[others].sum(axis=0)
        evidence = float((top[others, 0] + np.log(each[others])).sum())
        with np.errstate(divide="ignore"):
            weights = np.append(
                np.log(self.mixture.alike) + together, np.log(1.0 - self.mixture.alike) + evidence
            )
        weights = np.exp(weights - weights.max())
        weights /= weights.sum()
        return weights[:-1], apart

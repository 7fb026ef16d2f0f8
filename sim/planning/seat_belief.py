"""Evidence of a planner's seat in a game, and its belief over deals."""

from __future__ import annotations

import numpy as np

from belief import evidence
from belief.beliefs.base import Belief
from belief.beliefs.registry import make_belief
from belief.evidence import N_CARDS, Evidence, EvidenceFull
from belief.exact import solver
from mcts.kernel.rng import new_stream
from sim.rules import Rules
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

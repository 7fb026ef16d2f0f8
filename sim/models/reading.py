"""Online inference of the opponents' own-card weights.

A weight fitted to one type (`sim.models.own_cards`) is wrong for others, and soon makes a reader
certain of a wrong envelope.  So each opponent has a belief over `WEIGHTS`.  The posterior over
deals gives their likelihood: with total Z(w), for a hand of h cards and n named suspects and
weapons it is

    Z(w) / Z(1) / (1 + (w - 1) h / 21)^n,

where the denominator is the first-order probability of naming n cards, held or not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from belief.exact.solver import ExactPosterior, Workspace
from sim.cards import CATEGORY_MASK, N_CARDS
from sim.models.own_cards import DIGITS
from sim.state import MAX_PLAYERS

WEIGHTS = np.array([0.01, 0.04, 0.15, 0.5, 1.0, 2.0, 4.0])
"""Possible own-card weights; a fitted weight counts as the nearest."""

UNKNOWN = 0.25
"""Prior probability that no type describes an opponent's weight; then all are equally likely."""

_HELD = 0.25
"""Probability that an opponent holds a named card, at which weights are averaged."""


class Reading:
    """Belief over the own-card weight of each opponent, for one game.

    ``opponents``: their seats; ``fitted``: (types,) weights of the types.  Attribute
    ``likelihood``: float64 (6, `WEIGHTS`), log likelihoods by seat.
    """

    def __init__(self, opponents: Sequence[int], fitted: np.ndarray) -> None:
        self.likelihood = np.zeros((MAX_PLAYERS, len(WEIGHTS)))
        self._opponents = opponents
        far = np.abs(np.log(fitted)[:, None] - np.log(WEIGHTS))
        self._nearest = far.argmin(axis=1)
        self._work: Workspace | None = None

    def take_in(self, evidence: np.record) -> None:
        """Recompute the likelihoods from ``evidence``, one `belief.evidence.EVIDENCE`.

        Raises belief.evidence.ContradictoryEvidence and belief.evidence.EvidenceFull like
        `belief.exact.solver.ExactPosterior`.
        """
        seen = evidence.copy()
        seen.own_card_weight[:] = 1.0
        for seat in self._opponents:
            named = int(seen.named[seat]) & (CATEGORY_MASK[0] | CATEGORY_MASK[1])
            share = int(seen.hand_sizes[seat]) / N_CARDS
            for place, weight in enumerate(WEIGHTS):
                seen.own_card_weight[seat] = weight
                posterior = ExactPosterior(seen, self._work)
                self._work = posterior.work
                chance = named.bit_count() * np.log1p((weight - 1.0) * share)
                self.likelihood[seat, place] = posterior.log_weight - chance
            seen.own_card_weight[seat] = 1.0

    def weight(self, seat: int, types: np.ndarray) -> float:
        """Return the weight of ``seat`` with the type probabilities ``types``.

        At a prior of 1/4, it gives a named card the posterior averaged over weights.
        """
        prior = np.full(len(WEIGHTS), UNKNOWN / len(WEIGHTS))
        np.add.at(prior, self._nearest, (1.0 - UNKNOWN) * types)
        likelihood = self.likelihood[seat]
        chances = prior * np.exp(likelihood - likelihood.max())
        held = _HELD * WEIGHTS / (_HELD * WEIGHTS + 1.0 - _HELD)
        chance = float((chances * held).sum() / chances.sum())
        return round(chance / (1.0 - chance) * (1.0 - _HELD) / _HELD, DIGITS)

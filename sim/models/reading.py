"""Reading of suggestions, learnt in the game: how much a named card says about its asker.

A seat that reads suggestions multiplies the odds that the asker holds a suspect or weapon that it
names by ``own_card_weight`` (`sim.models.own_cards`).  A weight fitted to a type of opponents is a
mistake against others: who takes ``entropy``, which names its own cards as often as any, for one
that names only what it lacks is soon certain of a wrong envelope.  So each opponent has a belief
over `WEIGHTS`.  The posterior of deals says how likely each makes what was named: with Z(w) its
total, an opponent with a hand of h cards that has named n suspects and weapons has the likelihood

    Z(w) / Z(1) / (1 + (w - 1) h / 21)^n,

the denominator being the chance, to first order, of naming n cards, be they held or not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from belief.exact.solver import ExactPosterior, Workspace
from sim.cards import CATEGORY_MASK, N_CARDS
from sim.models.own_cards import DIGITS
from sim.state import MAX_PLAYERS

WEIGHTS = np.array([0.01, 0.04, 0.15, 0.5, 1.0, 2.0, 4.0])
"""Weights of own cards that an opponent may have; what is fitted to a type counts as the next."""

UNKNOWN = 0.25
"""Chance beforehand that an opponent names cards as no type does; then each weight is as likely."""

_HELD = 0.25
"""Chance that an opponent holds a card that it names, at which weights are averaged."""


class Reading:
    """Belief over the weights of own cards of each opponent, for one game.

    ``opponents``: their seats; ``fitted``: (types,) weights of the types.  Attribute
    ``likelihood``: float64 (6, `WEIGHTS`), logarithms by seat.
    """

    def __init__(self, opponents: Sequence[int], fitted: np.ndarray) -> None:
        self.likelihood = np.zeros((MAX_PLAYERS, len(WEIGHTS)))
        self._opponents = opponents
        far = np.abs(np.log(fitted)[:, None] - np.log(WEIGHTS))
        self._nearest = far.argmin(axis=1)
        self._work: Workspace | None = None

    def take_in(self, evidence: np.record) -> None:
        """Judge the weights by all that was seen so far, an element of `belief.evidence.EVIDENCE`.

        Raises belief.evidence.ContradictoryEvidence, belief.evidence.EvidenceFull as
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
        """Return the weight of ``seat``, whose chances of types are ``types``.

        It gives a card that is held with a chance of one in four the chance that it has on average.
        """
        prior = np.full(len(WEIGHTS), UNKNOWN / len(WEIGHTS))
        np.add.at(prior, self._nearest, (1.0 - UNKNOWN) * types)
        likelihood = self.likelihood[seat]
        chances = prior * np.exp(likelihood - likelihood.max())
        held = _HELD * WEIGHTS / (_HELD * WEIGHTS + 1.0 - _HELD)
        chance = float((chances * held).sum() / chances.sum())
        return round(chance / (1.0 - chance) * (1.0 - _HELD) / _HELD, DIGITS)

"""Values of all actions in a late position, by recursion over posteriors.

Only one seat has turns left; the others answer.  With t turns left the seat may accuse, with value
P(envelope = accused), or suggest any trio, get an answer, and continue with t - 1 turns.  The value
is the winning probability under optimal play:

    V(b, 0) = 0,    V(b, t) = max(max over e of P(e | b), max over trios of E[V(b', t - 1)])

where b is the posterior over deals.  On the last turn only an accusation helps.

Arithmetic is exact: posteriors are integers (`sim.endgame.deals.likelihoods`), answers multiply
them by sixths, and only the final value is divided.  Proportional posteriors share a cache entry,
as do suggestions whose answers partition the deals identically.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import mul

import numpy as np

from sim.board import N_ROOMS
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.endgame.deals import SHARES, Deal, in_lowest_terms

PAIRS = 36
"""Number of pairs, indexed 6 * suspect + weapon, as in the actions of `sim.state`."""

Weights = tuple[int, ...]
Suggestion = frozenset[Weights]
"""Effects of a suggestion on the weights: for each answer a row of sixths by deal."""


def trio(pair: int, room: int) -> int:
    """Return the mask of the cards of ``pair`` and ``room``."""
    return 1 << pair // 6 | 1 << FIRST_WEAPON + pair % 6 | 1 << FIRST_ROOM + room


def answers(deal: Deal, seat: int, cards: int) -> Iterator[tuple[int, int, int]]:
    """Yield (answerer, mask of the shown card, probability in sixths) if ``seat`` asks ``cards``.

    If no seat can answer, yield (-1, 0, 6).
    """
    players = len(deal.hands)
    for step in range(1, players):
        answerer = (seat + step) % players
        matching = deal.hands[answerer] & cards
        if matching:
            share = SHARES // matching.bit_count()
            while matching:
                yield answerer, matching & -matching, share
                matching &= matching - 1
            return
    yield -1, 0, SHARES


class Solver:
    """Values of one seat's position.

    Parameters
    ----------
    seat : the seat that suggests and accuses
    deals : the possible deals
    weights : integers proportional to the deals' probabilities
    """

    def __init__(self, seat: int, deals: Sequence[Deal], weights: Weights) -> None:
        self._envelopes = [deal.envelope for deal in deals]
        self._weights = weights
        self._suggestions = [
            [_classify(deals, seat, trio(pair, room)) for pair in range(PAIRS)]
            for room in range(N_ROOMS)
        ]
        self._classes = set().union(*self._suggestions)
        self._values: dict[tuple[Weights, int], int] = {}

    def accusations(self) -> np.ndarray:
        """Return the probability of each envelope, (9 rooms, 36 pairs)."""
        found = np.zeros((N_ROOMS, PAIRS))
        for room, pair in np.ndindex(found.shape):
            found[room, pair] = self._accusation(self._weights, trio(pair, room)) / self._whole(1)
        return found

    def suggestions(self, turns: int) -> np.ndarray:
        """Return the value of suggesting each trio with ``turns`` left, (9 rooms, 36 pairs)."""
        of_class = {
            suggestion_class: self._suggestion(self._weights, suggestion_class, turns)
            / self._whole(turns)
            for suggestion_class in self._classes
        }
        return np.array(
            [[of_class[suggestion_class] for suggestion_class in row] for row in self._suggestions]
        )

    def _whole(self, turns: int) -> int:
        """Return the integer that represents probability 1 in `_value`."""
        return sum(self._weights) * SHARES ** max(turns - 1, 0)

    def _accusation(self, weights: Weights, envelope: int) -> int:
        of = zip(weights, self._envelopes, strict=True)
        return sum(weight for weight, each in of if each == envelope)

    def _value(self, weights: Weights, turns: int) -> int:
        """Return the value of the unnormalised ``weights``, times 6^(turns - 1)."""
        if turns == 0 or not any(weights):
            return 0
        weights, factor = in_lowest_terms(weights)
        if (weights, turns) not in self._values:
            self._values[weights, turns] = self._best(weights, turns)
        return factor * self._values[weights, turns]

    def _best(self, weights: Weights, turns: int) -> int:
        scale = SHARES ** (turns - 1)
        best = scale * max(self._accusation(weights, envelope) for envelope in set(self._envelopes))
        if turns > 1:
            for suggestion_class in self._classes:
                if best == scale * sum(weights):
                    break  # sure to win
                best = max(best, self._suggestion(weights, suggestion_class, turns))
        return best

    def _suggestion(self, weights: Weights, suggestion: Suggestion, turns: int) -> int:
        """Return the value of making ``suggestion`` now, in the units of `_value`."""
        return sum(
            self._value(tuple(map(mul, weights, answer)), turns - 1) for answer in suggestion
        )


def _classify(deals: Sequence[Deal], seat: int, cards: int) -> Suggestion:
    """Return the effects of suggesting ``cards`` on the weights; merge proportional answers."""
    rows: dict[tuple[int, int], list[int]] = {}
    for i, deal in enumerate(deals):
        for answerer, card, share in answers(deal, seat, cards):
            rows.setdefault((answerer, card), [0] * len(deals))[i] = share
    merged: dict[Weights, int] = {}
    for row in rows.values():
        lowest, factor = in_lowest_terms(row)
        merged[lowest] = merged.get(lowest, 0) + factor
    return frozenset(tuple(factor * weight for weight in row) for row, factor in merged.items())

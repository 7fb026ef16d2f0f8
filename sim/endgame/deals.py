"""All deals consistent with the observations of one seat, enumerated by backtracking.

This posterior is independent of `belief`.  An answer shown to the seat has likelihood 1/k, where
the answerer holds k of the three cards.  Prior: all deals with the known hand sizes are equally
likely; players show a random matching card, and suggestions carry no information about hands.  Use
it only for positions with few deals: early in a game there are millions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import gcd
from typing import NamedTuple

import numpy as np

from sim.cards import ALL_CARDS, CATEGORY_MASK, N_CARDS
from sim.state import ACCUSED

Event = tuple[int, int, int, int]
"""(asker, cards, answerer or -1, card or -1) as the seat saw it; `ACCUSED` is the answerer of a
heard accusation."""

SHARES = 6
"""Unit of likelihoods, 1/6: 1/k is an integer multiple for k = 1, 2, 3."""


class Deal(NamedTuple):
    """A deal as masks of cards."""

    envelope: int
    hands: tuple[int, ...]
    """By seat."""


def list_deals(
    sizes: Sequence[int],
    seat: int,
    hand: int,
    face_up: int,
    events: Sequence[Event],
    max_deals: int,
) -> list[Deal] | None:
    """Return the deals consistent with ``events``, or None for more than ``max_deals``.

    Parameters
    ----------
    sizes : cards of each hand
    seat, hand : the observer, and its cards (mask)
    face_up : cards in no hand (mask)
    """
    players, dealt = len(sizes), ALL_CARDS & ~hand & ~face_up
    may, holds = [dealt] * players, [0] * players
    may[seat] = holds[seat] = hand
    clauses: set[tuple[int, int]] = set()  # (seat, cards): it holds at least one of them
    accused: set[int] = set()
    for asker, cards, answerer, card in events:
        if answerer == ACCUSED:
            accused.add(cards)
            continue
        for step in range(1, players):
            player = (asker + step) % players
            if player == answerer:
                break
            if player != seat:
                may[player] &= ~cards
        if answerer >= 0 and asker == seat:
            holds[answerer] |= 1 << card
        elif answerer not in (-1, seat):
            clauses.add((answerer, cards))
    found = []
    for deal in _complete(sizes, holds, may, sorted(clauses), dealt):
        if deal.envelope not in accused:
            if len(found) == max_deals:
                return None
            found.append(deal)
    return found


def likelihoods(deals: Sequence[Deal], seat: int, events: Sequence[Event]) -> tuple[int, ...]:
    """Return the likelihood of ``events`` under each consistent deal, up to a factor.

    The values are coprime integers, so equal posteriors are equal tuples.
    """
    weights = [1] * len(deals)
    for asker, cards, answerer, _ in events:
        if asker == seat and answerer >= 0:
            for i, deal in enumerate(deals):
                weights[i] *= SHARES // (deal.hands[answerer] & cards).bit_count()
    return in_lowest_terms(weights)[0]


def in_lowest_terms(weights: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """Return ``weights`` (not all 0) divided by their greatest common divisor, and the divisor."""
    divisor = gcd(*weights)
    return tuple(weight // divisor for weight in weights), divisor


def holders(deals: Sequence[Deal]) -> np.ndarray:
    """Return ``deals`` as int64 (n, 21): 0 envelope, p + 1 player p, -1 face up."""
    table = np.full((len(deals), N_CARDS), -1)
    for row, deal in zip(table, deals, strict=True):
        for holder, cards in enumerate((deal.envelope, *deal.hands)):
            row[list(_cards(cards))] = holder
    return table


def _cards(mask: int) -> Iterator[int]:
    """Yield the cards of a mask, ascending."""
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


def _complete(
    sizes: Sequence[int],
    hands: list[int],
    may: Sequence[int],
    clauses: Sequence[tuple[int, int]],
    dealt: int,
) -> Iterator[Deal]:
    """Yield the deals of the cards ``dealt`` to other hands and envelope that complete ``hands``.

    ``may``: possible cards by seat; ``clauses``: as in `list_deals`.
    """
    places = [size - hand.bit_count() for size, hand in zip(sizes, hands, strict=True)]
    known = 0
    for player, hand in enumerate(hands):
        if hand & ~may[player] or hand & known or places[player] < 0:
            return
        known |= hand
    takers = {
        card: [player for player, cards in enumerate(may) if cards >> card & 1]
        for card in _cards(dealt & ~known)
    }
    order = sorted(takers, key=lambda card: len(takers[card]))
    left = [sum(1 << card for card in order[i:]) for i in range(len(order) + 1)]

    def place(i: int, envelope: int) -> Iterator[Deal]:
        """Yield the completions from ``order[i]`` on."""
        for player, cards in clauses:
            open_ = places[player] and may[player] & cards & left[i]
            if not hands[player] & cards and not open_:
                return
        if not all((envelope | left[i]) & kind for kind in CATEGORY_MASK):
            return
        if i == len(order):
            yield Deal(envelope, tuple(hands))
            return
        card = 1 << order[i]
        for player in takers[order[i]]:
            if places[player]:
                hands[player] |= card
                places[player] -= 1
                yield from place(i + 1, envelope)
                hands[player] &= ~card
                places[player] += 1
        if not any(envelope & kind and card & kind for kind in CATEGORY_MASK):
            yield from place(i + 1, envelope | card)

    yield from place(0, 0)

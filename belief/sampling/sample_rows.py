"""Whole deals from a matrix of independent rows.

The envelope is drawn category by category from its column, then the other open cards in random
order, each from its row restricted to hands with a place left.  Excluded deals are rejected.  The
result is approximate: rows are not independent given the hand sizes, and the restriction favours
cards drawn early.  If many deals are rejected in a row (one in a hundred at most), a uniform one is
repaired (`belief.sampling.mcmc`), ignoring the matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief.evidence import (
    ALL_CARDS,
    CATEGORY_MASK,
    ENVELOPE,
    HOLDERS,
    N_CARDS,
    N_CATEGORIES,
    Evidence,
    category,
    count,
    shares_known,
)
from belief.sampling.mcmc import deal, explains, list_cards, repair, spread, unsettled_cards
from mcts.kernel.compile import jit
from mcts.kernel.rng import shuffle, uniform

_TRIES, _REPAIRS, _REPAIR_STEPS = 300, 20, 3000


class Memory(NamedTuple):
    """Scratch memory of `sample_rows`."""

    hands: np.ndarray  # int64 (7,): masks
    places: np.ndarray  # int64 (7, 3): places left
    chance: np.ndarray  # float64 (21,)
    cards: np.ndarray  # int64 (21,)


def new_memory() -> Memory:
    """Return the memory of `sample_rows`, one per thread."""
    return Memory(
        np.zeros(HOLDERS, np.int64),
        np.zeros((HOLDERS, N_CATEGORIES), np.int64),
        np.zeros(N_CARDS),
        np.zeros(N_CARDS, np.int64),
    )


@jit
def _choose(chance: np.ndarray, n: int, total: float, stream: np.ndarray) -> int:
    """Return an index below ``n`` by ``chance``, which sums to ``total``; consumes one draw."""
    left = uniform(stream) * total
    last = 0
    for i in range(n):
        if chance[i] > 0.0:
            last = i
            if left < chance[i]:
                return i
            left -= chance[i]
    return last


@jit
def _draw_envelope(matrix: np.ndarray, known, hands: np.ndarray, chance, stream) -> bool:
    """Draw the unknown envelope cards; False if a category has no candidate."""
    for inside in CATEGORY_MASK:
        if known.has[ENVELOPE] & inside:
            continue
        candidates = known.may[ENVELOPE] & inside
        if candidates == 0:
            return False
        total = 0.0
        for card in range(N_CARDS):
            chance[card] = matrix[card, ENVELOPE] if candidates >> card & 1 else 0.0
            total += chance[card]
        if total == 0.0:
            for card in range(N_CARDS):
                chance[card] = float(candidates >> card & 1)
            total = float(count(candidates))
        hands[ENVELOPE] |= 1 << _choose(chance, N_CARDS, total, stream)
    return True


@jit
def _count_places(ev: Evidence, hands: np.ndarray, places: np.ndarray) -> None:
    """Set the places left: by category if shares are public, else all in the first column."""
    for player in range(ev.players):
        places[player + 1, 0] = ev.hand_sizes[player] - count(hands[player + 1])
        if shares_known(ev):
            for kind, inside in enumerate(CATEGORY_MASK):
                held = count(hands[player + 1] & inside)
                places[player + 1, kind] = ev.shares[player, kind] - held


@jit
def _try(matrix: np.ndarray, ev: Evidence, known, memory: Memory, stream: np.ndarray) -> bool:
    hands, places, chance, cards = memory.hands, memory.places, memory.chance, memory.cards
    for holder in range(HOLDERS):
        hands[holder] = known.has[holder] if holder <= ev.players else 0
    if not _draw_envelope(matrix, known, hands, chance, stream):
        return False
    _count_places(ev, hands, places)
    n = list_cards(unsettled_cards(ev, known) & ~hands[ENVELOPE], cards)
    shuffle(stream, cards[:n])
    for i in range(n):
        card = cards[i]
        kind = category(card) if shares_known(ev) else 0
        total = 0.0
        candidates = 0
        for player in range(ev.players):
            open_place = known.may[player + 1] >> card & 1 and places[player + 1, kind] > 0
            chance[player] = matrix[card, player + 1] if open_place else 0.0
            total += chance[player]
            candidates |= open_place << player
        if candidates == 0:
            return False
        if total == 0.0:
            for player in range(ev.players):
                chance[player] = float(candidates >> player & 1)
            total = float(count(candidates))
        player = _choose(chance, ev.players, total, stream)
        hands[player + 1] |= 1 << card
        places[player + 1, kind] -= 1
    return True


@jit
def sample_rows(
    matrix: np.ndarray, ev: Evidence, known, memory: Memory, stream: np.ndarray
) -> bool:
    """Draw one deal into ``memory.hands``; return whether it comes from the matrix.

    ``known`` is the closure of the evidence ``ev``.  Consumes as many draws as it takes.
    """
    for _ in range(_TRIES):
        if _try(matrix, ev, known, memory, stream) and explains(ev, memory.hands):
            return True
    n = list_cards(ALL_CARDS & ~ev.face_up & ~ev.has[ev.seat], memory.cards)
    for _ in range(_REPAIRS):
        deal(ev, memory.hands, stream)
        if repair(ev, known, memory.hands, memory.cards, n, stream, _REPAIR_STEPS):
            break
    return False


@jit
def sample_deals(
    matrix: np.ndarray, ev: Evidence, known, memory: Memory, stream: np.ndarray, holders: np.ndarray
) -> int:
    """Draw a deal into every row of ``holders`` (n, 21); return how many the matrix shaped."""
    shaped = 0
    for row in range(len(holders)):
        shaped += sample_rows(matrix, ev, known, memory, stream)
        spread(memory.hands, holders[row])
    return shaped

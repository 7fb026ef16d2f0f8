"""Logical consequences of the evidence: certain and possible holders of each card.

`update_closure` applies until a fixed point: a card is in one place; each category has one envelope
card; hands have their size, and if public their number of cards of each category; a card with one
candidate is there; a clause has a card left.  With one place left in a hand, that one card must
satisfy every open clause.  A card is not in the envelope if every envelope with it is excluded.
This is sound and cheap, not complete: the exact posterior finds the rest as probability 0 or 1.

All knowledge is kept as bit masks of cards, one per holder (0 envelope, p + 1 player p): a round is
a few dozen instructions.  `has` only grows and `may` only shrinks, so it always terminates.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import (
    ALL_CARDS,
    CATEGORY_MASK,
    ENVELOPE,
    HOLDERS,
    N_CARDS,
    Evidence,
    count,
    shares_known,
)
from mcts.kernel.compile import jit

KNOWN = np.dtype(
    [
        ("has", np.int64, (HOLDERS,)),  # mask of cards that the holder surely has
        ("may", np.int64, (HOLDERS,)),  # mask of cards that it has or may have
    ]
)


def new_known(copies: int = 1) -> np.ndarray:
    """Return ``copies`` blank records, to be passed to kernels as ``records[i]``."""
    return np.zeros(copies, KNOWN).view(np.recarray)


@jit
def _settle_cards(known, holders: int, dealt: int) -> bool:
    """Give each card to its only candidate and take it from the others; False if one has none."""
    taken = 0
    for holder in range(holders):
        if known.has[holder] & (taken | ~known.may[holder]):
            return False
        taken |= known.has[holder]
    once = twice = 0
    for holder in range(holders):
        known.may[holder] &= ~taken | known.has[holder]
        twice |= once & known.may[holder]
        once |= known.may[holder]
    single = once & ~twice & ~taken
    if single:
        for holder in range(holders):
            known.has[holder] |= single & known.may[holder]
    return once == dealt


@jit
def _settle_share(known, holder: int, within: int, size: int) -> bool:
    """Apply that ``holder`` has exactly ``size`` of the cards ``within``; False if impossible."""
    has = known.has[holder] & within
    may = known.may[holder] & within
    surely = count(has)
    if surely == size:
        known.may[holder] &= ~within | has
        return True
    possibly = count(may)
    if possibly == size:
        known.has[holder] |= may
    return surely < size <= possibly


@jit
def _settle_shares(ev: Evidence, known) -> bool:
    """Apply every player's public number of cards of each category; False if impossible."""
    for player in range(ev.players):
        for kind, mask in enumerate(CATEGORY_MASK):
            if not _settle_share(known, player + 1, mask, ev.shares[player, kind]):
                return False
    return True


@jit
def _settle_clauses(ev: Evidence, known) -> bool:
    """Apply every clause to its player's masks; False if one cannot be satisfied."""
    for i in range(ev.clauses):
        entry = np.int64(ev.clause[i])
        holder = (entry >> N_CARDS) + 1
        has = known.has[holder]
        if entry & has:
            continue
        cards = entry & ALL_CARDS & known.may[holder]
        if cards == 0:
            return False
        if cards & (cards - 1) == 0:
            known.has[holder] = has | cards
        elif ev.hand_sizes[holder - 1] - count(has) == 1:
            known.may[holder] = has | cards
    return True


@jit
def _settle_excluded(ev: Evidence, known) -> None:
    """Remove from the envelope the cards whose remaining envelopes are all excluded."""
    for i in range(ev.excluded):
        may = known.may[ENVELOPE]
        cards = np.int64(ev.not_envelope[i])
        if cards & ~may:
            continue
        for inside in CATEGORY_MASK:
            card = cards & inside
            left = 1
            for other in CATEGORY_MASK:
                left *= 1 if other == inside else count(may & other)
            for k in range(ev.excluded):
                entry = np.int64(ev.not_envelope[k])
                left -= entry & card != 0 and entry & ~may == 0
            if left == 0:
                known.may[ENVELOPE] &= ~card


@jit
def update_closure(ev: Evidence, known) -> bool:
    """Fill ``known`` from the evidence; return False if a contradiction is found.

    Cards neither in ``has`` of a holder nor face up are open: at least two holders may have them.
    """
    if ev.contradiction:
        return False
    holders = ev.players + 1
    dealt = ALL_CARDS & ~ev.face_up
    known.has[ENVELOPE] = 0
    known.may[ENVELOPE] = dealt
    for holder in range(1, HOLDERS):
        known.has[holder] = ev.has[holder - 1]
        known.may[holder] = dealt & ~ev.lacks[holder - 1]
    by_category = shares_known(ev)
    before = -1
    while True:
        # Masks change monotonically, so their sums show whether a round changed any.
        now = 0
        for holder in range(holders):
            now += known.may[holder] - known.has[holder]
        if now == before:
            return True
        before = now
        if not _settle_cards(known, holders, dealt):
            return False
        for player in range(ev.players):
            if not _settle_share(known, player + 1, ALL_CARDS, ev.hand_sizes[player]):
                return False
        for mask in CATEGORY_MASK:
            if not _settle_share(known, ENVELOPE, mask, 1):
                return False
        if ev.excluded:
            _settle_excluded(ev, known)
        if by_category and not _settle_shares(ev, known):
            return False
        if not _settle_clauses(ev, known):
            return False

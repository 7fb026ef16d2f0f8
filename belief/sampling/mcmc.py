"""Walks over whole deals: cards are exchanged, and the evidence accepts or rejects.

A deal is an int64 array ``hands`` (7,) of masks: 0 the envelope, p + 1 player p.  An exchange of
two cards keeps hand sizes, the one envelope card per category and the public shares.  `walk`
proposes up to three exchanges at a time and accepts by the likelihood of all the evidence
[Metropolis et al. 1953]: its stationary distribution is the exact posterior.  `repair` accepts by
the number of answers that the deal does not explain, and may fail.

Limits: successive deals of a walk are correlated, and there is no proof that it reaches every deal;
of 100 positions that single exchanges did not cover, 97 were within 0.05 in every marginal.
"""

from __future__ import annotations

from math import exp, log

import numpy as np

from belief.evidence import (
    ALL_CARDS,
    CATEGORY_MASK,
    ENVELOPE,
    HOLDERS,
    N_CARDS,
    Evidence,
    category,
    count,
    is_excluded,
    lowest,
    shares_known,
)
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, uniform

IMPOSSIBLE = -np.inf
_LONGEST, _FURTHER = 3, 0.25
_LOG = (0.0, 0.0, log(2.0), log(3.0))


@jit
def log_likelihood(ev: Evidence, player: int, hand: int) -> float:
    """Return the log likelihood of all answers of ``player`` if it holds ``hand`` (mask).

    Up to a constant of the evidence; `IMPOSSIBLE` if the hand does not explain them.
    """
    if ev.has[player] & ~hand or ev.lacks[player] & hand:
        return IMPOSSIBLE
    for i in range(ev.clauses):
        entry = np.int64(ev.clause[i])
        if entry >> N_CARDS == player and entry & ALL_CARDS & hand == 0:
            return IMPOSSIBLE
    bits = 0.0
    for i in range(ev.shown):
        entry = np.int64(ev.others[i])
        if entry >> N_CARDS == player:
            bits -= ev.times[i] * _LOG[1 + count(entry & ALL_CARDS & hand)]
    return bits


@jit
def explains(ev: Evidence, hands: np.ndarray) -> bool:
    """Return whether the deal explains all the evidence."""
    if is_excluded(ev, hands[ENVELOPE]):
        return False
    for player in range(ev.players):
        if log_likelihood(ev, player, hands[player + 1]) == IMPOSSIBLE:
            return False
    return True


@jit
def _count_faults(ev: Evidence, known, holder: int, hand: int) -> int:
    """Return the number of impossible cards and failed clauses of ``hand`` with ``holder``."""
    n = count(hand & ~known.may[holder])
    if holder == ENVELOPE:
        n += is_excluded(ev, hand)
    else:
        for i in range(ev.clauses):
            entry = np.int64(ev.clause[i])
            n += entry >> N_CARDS == holder - 1 and entry & ALL_CARDS & hand == 0
    return n


@jit
def _exchangeable(ev: Evidence, a: int, here: int, b: int, there: int) -> bool:
    """Return whether ``here`` and ``there`` may exchange ``a`` and ``b`` by the rules of a deal."""
    if category(a) == category(b):
        return True
    return here != ENVELOPE and there != ENVELOPE and not shares_known(ev)


@jit
def holder_of(hands: np.ndarray, card: int) -> int:
    """Return the holder of ``card``, which is not face up."""
    holder = 0
    while not hands[holder] >> card & 1:
        holder += 1
    return holder


@jit
def list_cards(mask: int, cards: np.ndarray) -> int:
    """Write the cards of ``mask`` into ``cards``, lowest first; return their number."""
    n = 0
    while mask:
        cards[n] = lowest(mask)
        mask &= mask - 1
        n += 1
    return n


@jit
def unsettled_cards(ev: Evidence, known) -> int:
    """Return the mask of the cards with more than one possible holder."""
    cards = ALL_CARDS & ~ev.face_up
    for holder in range(ev.players + 1):
        cards &= ~known.has[holder]
    return cards


@jit
def _propose(
    ev: Evidence, trial: np.ndarray, cards: np.ndarray, n: int, stream: np.ndarray
) -> float:
    """Make one to `_LONGEST` exchanges in ``trial``, each further one with a chance of `_FURTHER`.

    The first card of each is that of the previous one, with 1/2, else any; so runs of exchanges are
    as likely as their reversal, and often move a few cards in a circle.  Returns a number uniform
    on [0, 1), for the acceptance, or -1 if two cards must not be exchanged or are together.
    """
    i = -1
    for exchange in range(_LONGEST):
        x = 2.0 * uniform(stream)
        if i < 0 or x < 1.0:
            x = (x if x < 1.0 else x - 1.0) * n
            i = np.int64(x)
            x -= i
        else:
            x -= 1.0
        x *= n - 1
        j = np.int64(x)
        x -= j
        a, b = cards[i], cards[j + (j >= i)]
        here, there = holder_of(trial, a), holder_of(trial, b)
        if here == there or not _exchangeable(ev, a, here, b, there):
            return -1.0
        trial[here] ^= 1 << a | 1 << b
        trial[there] ^= 1 << a | 1 << b
        if exchange == _LONGEST - 1:
            return x
        if x >= _FURTHER:
            return (x - _FURTHER) / (1.0 - _FURTHER)
    return -1.0


@jit
def walk(
    ev: Evidence,
    known,
    hands: np.ndarray,
    trial: np.ndarray,
    cards: np.ndarray,
    n: int,
    stream: np.ndarray,
    steps: int,
) -> int:
    """Propose ``steps`` times to exchange some of the ``n`` unsettled ``cards``; return the moves.

    ``hands`` must explain the evidence, and does so afterwards; ``trial`` (7,) is scratch.
    Consumes one draw for each exchange proposed.
    """
    moves = 0
    if n < 2:
        return moves
    for _ in range(steps):
        for holder in range(ev.players + 1):
            trial[holder] = hands[holder]
        x = _propose(ev, trial, cards, n, stream)
        if x < 0.0:
            continue
        gain = IMPOSSIBLE if is_excluded(ev, trial[ENVELOPE]) else 0.0
        for holder in range(ev.players + 1):
            # Deals that closure excludes have likelihood 0: checked here to save the clauses.
            if trial[holder] & ~known.may[holder]:
                gain = IMPOSSIBLE
                break
        if gain == IMPOSSIBLE:
            continue
        for player in range(ev.players):
            after, before = trial[player + 1], hands[player + 1]
            if after != before:
                gain += log_likelihood(ev, player, after) - log_likelihood(ev, player, before)
        if gain >= 0.0 or x < exp(gain):
            for holder in range(ev.players + 1):
                hands[holder] = trial[holder]
            moves += 1
    return moves


@jit
def repair(
    ev: Evidence,
    known,
    hands: np.ndarray,
    cards: np.ndarray,
    n: int,
    stream: np.ndarray,
    steps: int,
) -> bool:
    """Exchange cards until the deal explains the evidence; False if ``steps`` do not suffice.

    ``cards`` are the ``n`` movable ones: all but the observer's own.  An exchange that leaves more
    unexplained is accepted with probability exp(-2) for each.  Consumes one draw per step.
    """
    wrong = 0
    for holder in range(ev.players + 1):
        wrong += _count_faults(ev, known, holder, hands[holder])
    if n < 2:
        return wrong == 0
    for _ in range(steps):
        if wrong == 0:
            return True
        x = uniform(stream) * n
        i = np.int64(x)
        x = (x - i) * (n - 1)
        j = np.int64(x)
        x -= j
        a, b = cards[i], cards[j + (j >= i)]
        here, there = holder_of(hands, a), holder_of(hands, b)
        if here == there or not _exchangeable(ev, a, here, b, there):
            continue
        both = 1 << a | 1 << b
        more = (
            _count_faults(ev, known, here, hands[here] ^ both)
            + _count_faults(ev, known, there, hands[there] ^ both)
            - _count_faults(ev, known, here, hands[here])
            - _count_faults(ev, known, there, hands[there])
        )
        if more <= 0 or x < exp(-2.0 * more):
            hands[here] ^= both
            hands[there] ^= both
            wrong += more
    return wrong == 0


@jit
def take(stream: np.ndarray, mask: int) -> int:
    """Return a uniformly random card of a non-empty mask; consumes one draw."""
    for _ in range(below(stream, count(mask))):
        mask &= mask - 1
    return lowest(mask)


@jit
def _hand_out(hands: np.ndarray, holder: int, n: int, rest: int, stream: np.ndarray) -> int:
    """Give ``holder`` ``n`` cards of the mask ``rest``; return the mask of those given."""
    given = 0
    for _ in range(n):
        given |= 1 << take(stream, rest & ~given)
    hands[holder] |= given
    return given


@jit
def deal(ev: Evidence, hands: np.ndarray, stream: np.ndarray) -> None:
    """Fill ``hands`` with a uniform deal that fits the observer's hand, sizes and public shares.

    All answers are ignored.  Consumes one draw for every card that the observer has not seen.
    """
    rest = ALL_CARDS & ~ev.face_up & ~ev.has[ev.seat]
    for holder in range(HOLDERS):
        hands[holder] = 0
    hands[ev.seat + 1] = ev.has[ev.seat]
    for inside in CATEGORY_MASK:
        rest &= ~_hand_out(hands, ENVELOPE, 1, rest & inside, stream)
    for player in range(ev.players):
        if player == ev.seat:
            continue
        if shares_known(ev):
            for kind, inside in enumerate(CATEGORY_MASK):
                share = ev.shares[player, kind]
                rest &= ~_hand_out(hands, player + 1, share, rest & inside, stream)
        else:
            rest &= ~_hand_out(hands, player + 1, ev.hand_sizes[player], rest, stream)


@jit
def spread(hands: np.ndarray, holder: np.ndarray) -> None:
    """Write the deal ``hands`` as holders of the cards, int64 (21,): -1 for face-up ones."""
    for card in range(N_CARDS):
        holder[card] = -1
    for column in range(len(hands)):
        cards = hands[column]
        while cards:
            holder[lowest(cards)] = column
            cards &= cards - 1

"""The plan of one exact solution: the order of the open cards, and their effect on the state.

The posterior is computed card by card.  The state between two cards is an integer *key*:

* 4 bits per holder: cards that it still has to get (the envelope: 1 within an open category; if
  the players' shares are public, their digits restart with each category),
* a bit for each live clause that has begun and is not yet satisfied,
* a bit for "this player holds card a", if the weight 1/k couples a with a later card,
* a bit for "the envelope has all cards so far of this excluded triple".

For the card of layer t given to its j-th candidate h, with the key first OR-ed with ``opened[t]``:
refuse if h has no place left; ``& keep[t, j]``; one place less; refuse if a holder can no longer be
filled (``bias[t]``) or if a bit of ``forbidden[t, j]`` is set; ``| raised[t, j]``.  The factor is
``weight[t, j]`` times those of the bonds whose bit is set.

The weight of a card shown to us, 1/k**m, is taken relative to its maximum.  With one open other
card it is a factor on (card, player).  With two, k = 1 + x + y and up to a constant 1/k**m = 2**-(m
x) 2**-(m y) (4/3)**(m x y): a factor on each and a *bond* between them.  m is capped at 60
questions, which changes no marginal by more than (2/3)**60 = 3e-11.  ``log_constant`` keeps those
maxima, uncapped.
"""

from __future__ import annotations

import math

import numpy as np

from belief.closure import update_closure
from belief.evidence import (
    ALL_CARDS,
    CATEGORY_MASK,
    ENVELOPE,
    N_CARDS,
    N_CATEGORIES,
    Evidence,
    count,
    lowest,
    shares_known,
)
from belief.exact.workspace import CONTRADICTORY, DIGIT_BITS, TOO_WIDE, UNSOLVED
from mcts.kernel.compile import jit

FIRST_FLAG, LAST_FLAG = 28, 62
FLAG_BITS = ((1 << LAST_FLAG) - 1) & ~((1 << FIRST_FLAG) - 1)
MAX_PLACES = 7
MAX_TIMES = 60
_ANY_PLACES = 0x7777777
_LOG = (0.0, 0.0, math.log(2.0), math.log(3.0))


@jit
def _collect_clauses(ev: Evidence, plan) -> None:
    """Keep open clauses, reduced to open cards, none implied by another; then excluded triples."""
    plan.clauses = 0
    for i in range(ev.clauses):
        entry = np.int64(ev.clause[i])
        holder = (entry >> N_CARDS) + 1
        has, may = plan.known.has[holder], plan.known.may[holder]
        cards = entry & ALL_CARDS & may
        # Satisfied already, or by any choice: fewer open cards stay out of the hand than it names.
        left_out = count(may) - ev.hand_sizes[holder - 1]
        if entry & has or left_out < count(cards):
            continue
        kept = 0
        follows = False
        for k in range(plan.clauses):
            old = plan.clause[k]
            if old >> N_CARDS == holder and not follows:
                if old & ALL_CARDS & ~cards == 0:
                    follows = True
                elif cards & ~old == 0:
                    continue
            plan.clause[kept] = old
            kept += 1
        if not follows:
            plan.clause[kept] = holder << N_CARDS | cards
            kept += 1
        plan.clauses = kept
    for i in range(ev.excluded):
        cards = np.int64(ev.not_envelope[i])
        if cards & ~plan.known.may[ENVELOPE] == 0:
            plan.clause[plan.clauses] = ENVELOPE << N_CARDS | cards & plan.open
            plan.clauses += 1


@jit
def _order(plan) -> None:
    """Choose the order of the open cards, which limits the number of clauses in progress.

    Categories stay whole, rooms last.  Within one, cards are sorted by the number of their clauses
    that reach into later categories minus that of those from earlier ones: ending clauses come
    first, beginning ones last.  Compared with the order of the numbers this saves a fifth of the
    links.
    """
    layer = 0
    for category in range(N_CATEGORIES):
        plan.block[category] = layer
        inside = CATEGORY_MASK[category]
        below = (inside & -inside) - 1
        cards = plan.open & inside
        while cards:
            card = lowest(cards)
            cards &= cards - 1
            score = 0
            for i in range(plan.clauses):
                clause = plan.clause[i] & ALL_CARDS
                if clause >> card & 1:
                    if clause & ~below & ~inside:
                        score += 1
                    if clause & below:
                        score -= 1
            at = layer
            while at > plan.block[category] and plan.score[at - 1] > score:
                plan.score[at] = plan.score[at - 1]
                plan.card[at] = plan.card[at - 1]
                at -= 1
            plan.score[at] = score
            plan.card[at] = card
            layer += 1
    plan.block[N_CATEGORIES] = layer
    plan.layers = layer


@jit
def _digit(plan, holder: int, size: int, within: int) -> int:
    """Return the digit for the places that ``holder`` has left of ``size`` for cards ``within``."""
    places = size - count(plan.known.has[holder] & within)
    if places > MAX_PLACES:
        plan.status = TOO_WIDE
    return places << (DIGIT_BITS * holder)


@jit
def _candidates(ev: Evidence, plan) -> None:
    """Fill the candidates of every layer, the places of the holders, and the bias of the digits."""
    known = plan.known
    by_category = shares_known(ev)
    plan.root = 0
    if not by_category:
        for player in range(ev.players):
            plan.root |= _digit(plan, player + 1, ev.hand_sizes[player], ALL_CARDS)
    later = np.int64(_ANY_PLACES)  # digit h: 7 minus the later cards that h may get, at least 0
    for category in range(N_CATEGORIES - 1, -1, -1):
        later |= _ANY_PLACES if by_category else 7
        begin, end = plan.block[category], plan.block[category + 1]
        for t in range(end - 1, begin - 1, -1):
            card = plan.card[t]
            plan.layer_of[card] = t
            plan.used[t] = 0
            plan.bias[t] = later
            plan.opened[t] = 0
            n = 0
            for holder in range(ev.players + 1):
                if known.may[holder] >> card & 1:
                    plan.holder[t, n] = holder
                    plan.keep[t, n] = -1
                    plan.forbidden[t, n] = 0
                    plan.raised[t, n] = 0
                    plan.unmet[t, n] = 0
                    plan.idle[t, n] = 0
                    doubted = holder > 0 and ev.named[holder - 1] >> card & 1
                    plan.weight[t, n] = ev.own_card_weight[holder - 1] if doubted else 1.0
                    plan.pair[t, n] = -1
                    n += 1
                    if later >> (DIGIT_BITS * holder) & 7:
                        later -= 1 << (DIGIT_BITS * holder)
            plan.candidates[t] = n
        inside = CATEGORY_MASK[category]
        envelope = known.has[ENVELOPE] & inside
        plan.envelope[category] = lowest(envelope) if envelope else -1
        if end > begin:
            digits = 0 if envelope else 1
            if by_category:
                for player in range(ev.players):
                    digits |= _digit(plan, player + 1, ev.shares[player, category], inside)
            plan.opened[begin] = digits


@jit
def _free_flag(plan, first: int, last: int) -> int:
    """Take and return an unused flag of the layers ``first .. last``; without one, 0 and FULL."""
    taken = 0
    for t in range(first, last + 1):
        taken |= plan.used[t]
    free = FLAG_BITS & ~taken
    flag = free & -free
    if flag == 0:
        plan.status = TOO_WIDE
    for t in range(first, last + 1):
        plan.used[t] |= flag
    return flag


@jit
def _plan_excluded(plan, cards: int, flag: int, first: int, last: int) -> None:
    """Raise ``flag`` with the first of ``cards`` in the envelope, forbid the last with it.

    A candidate lowers it by giving one of them to a player, or another card to the envelope.
    """
    for t in range(first, last + 1):
        named = cards >> plan.card[t] & 1 == 1
        for j in range(plan.candidates[t]):
            if named != (plan.holder[t, j] == ENVELOPE):
                plan.keep[t, j] &= ~flag
            elif named and t == first:
                plan.raised[t, j] |= flag
            elif named and t == last:
                plan.forbidden[t, j] |= flag


@jit
def _plan_clauses(ev: Evidence, plan) -> None:
    """Give each clause a flag: raised at its first card, lowered if satisfied, then fatal."""
    by_category = shares_known(ev)
    for i in range(plan.clauses):
        holder = plan.clause[i] >> N_CARDS
        cards = plan.clause[i] & ALL_CARDS
        first, last = N_CARDS, -1
        rest = cards
        while rest:
            t = plan.layer_of[lowest(rest)]
            first, last = min(first, t), max(last, t)
            rest &= rest - 1
        flag = _free_flag(plan, first, last)
        if holder == ENVELOPE:
            _plan_excluded(plan, cards, flag, first, last)
            continue
        plan.opened[first] |= flag
        for t in range(first, last + 1):
            named = cards >> plan.card[t] & 1
            for j in range(plan.candidates[t]):
                if plan.holder[t, j] == holder:
                    if named:
                        plan.keep[t, j] &= ~flag
                    if not by_category:
                        plan.unmet[t, j] |= flag
                if t == last:
                    plan.forbidden[t, j] |= flag


@jit
def _candidate(plan, t: int, holder: int) -> int:
    j = 0
    while plan.holder[t, j] != holder:
        j += 1
    return j


@jit
def _plan_shown(ev: Evidence, plan) -> None:
    """Turn the weights of the cards shown to us into factors and bonds."""
    by_category = shares_known(ev)
    plan.log_constant = ev.log_dropped
    for player in range(ev.players):
        surely = count(ev.named[player] & plan.known.has[player + 1])
        if surely:
            plan.log_constant += surely * math.log(ev.own_card_weight[player])
    made = 0
    for i in range(ev.shown):
        entry = np.int64(ev.others[i])
        holder = (entry >> N_CARDS) + 1
        has = plan.known.has[holder]
        cards = entry & ALL_CARDS & plan.known.may[holder] & ~has
        k = 1 + count(entry & ALL_CARDS & has)
        plan.log_constant -= ev.times[i] * _LOG[k]
        if cards == 0:
            continue
        times = float(min(np.int64(ev.times[i]), MAX_TIMES))
        a = plan.layer_of[lowest(cards)]
        j = _candidate(plan, a, holder)
        if cards & (cards - 1) == 0:
            plan.weight[a, j] *= (k / (k + 1.0)) ** times
            continue
        b = plan.layer_of[lowest(cards & (cards - 1))]
        if a > b:
            a, b = b, a
            j = _candidate(plan, a, holder)
        second = _candidate(plan, b, holder)
        plan.weight[a, j] *= 0.5**times
        plan.weight[b, second] *= 0.5**times
        flag = _free_flag(plan, a, b)
        plan.raised[a, j] |= flag
        for t in range(a, a if by_category else b):
            if plan.known.may[holder] >> plan.card[t] & 1:
                plan.idle[t, _candidate(plan, t, holder)] |= flag
        for other in range(plan.candidates[b]):
            plan.keep[b, other] &= ~flag
        plan.pair_flag[made] = flag
        plan.pair_factor[made] = (4.0 / 3.0) ** times
        plan.pair_next[made] = plan.pair[b, second]
        plan.pair[b, second] = made
        made += 1


@jit
def _settled_cards(ev: Evidence, plan) -> None:
    plan.open = ALL_CARDS & ~ev.face_up
    for card in range(N_CARDS):
        plan.settled[card] = -1
    for holder in range(ev.players + 1):
        cards = plan.known.has[holder]
        plan.open &= ~cards
        while cards:
            plan.settled[lowest(cards)] = holder
            cards &= cards - 1


@jit
def arrange(ev: Evidence, plan) -> bool:
    """Fill ``plan`` for the evidence; return False, with the reason in ``status``, on failure."""
    plan.status = UNSOLVED
    if ev.overflow:
        plan.status = TOO_WIDE
        return False
    if not update_closure(ev, plan.known):
        plan.status = CONTRADICTORY
        return False
    _settled_cards(ev, plan)
    _collect_clauses(ev, plan)
    _order(plan)
    _candidates(ev, plan)
    _plan_clauses(ev, plan)
    _plan_shown(ev, plan)
    return plan.status == UNSOLVED


@jit
def pair_factors(plan, t: int, j: int, key: int) -> float:
    """Return the factor of the bonds of candidate ``j`` at layer ``t`` in state ``key``."""
    factor = 1.0
    pair = plan.pair[t, j]
    while pair >= 0:
        if key & plan.pair_flag[pair]:
            factor *= plan.pair_factor[pair]
        pair = plan.pair_next[pair]
    return factor

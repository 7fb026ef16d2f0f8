"""The plan of one exact solution: the order of the open cards, and what each does to the state.

The posterior is computed card by card.  The state between two cards is an integer *key*:

* 4 bits a holder: cards that it still has to get (the envelope: 1 within an open category),
* a bit for each live clause that has begun and is not yet met,
* a bit for "this player holds card a", where the weight 1/k couples a with a later card.

For the card of layer t given to its j-th candidate h, with the key first OR-ed with ``opened[t]``:
refuse if h has no place left; ``& keep[t, j]``; one place less; refuse if a holder can no longer be
filled (``bias[t]``) or if a bit of ``dead[t, j]`` stands; ``| raised[t, j]``.  The factor is
``weight[t, j]`` times those of the bonds whose bit stands.

The weight of a card shown to us, 1/k**m, is taken relative to its largest value.  With one open
other card it is a factor on (card, player).  With two, k = 1 + x + y and up to a constant
1/k**m = 2**-(m x) 2**-(m y) (4/3)**(m x y): a factor on each and a *bond* between them.  m is cut
at 60 questions, which changes no marginal by more than (2/3)**60 = 3e-11.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief.evidence import (
    ALL_CARDS,
    CARDS,
    CATEGORIES,
    CATEGORY_MASK,
    CATEGORY_START,
    ENVELOPE,
    HOLDERS,
    MAX_CLAUSES,
    MAX_SHOWN,
    count,
    lowest,
)
from belief.propagation import KNOWN, settle
from mcts.kernel.compile import jit

UNSOLVED, SOLVED, CONTRADICTORY, FULL, TOO_WIDE = 0, 1, 2, 3, 4
"""`PLAN.status`.  FULL: the workspace is too small for this posterior; TOO_WIDE: a key is (more
than 34 flags at once or more than 7 places in a hand), or the evidence had overflowed."""

DIGIT_BITS = 4
FIRST_FLAG, LAST_FLAG = 28, 62
FLAG_BITS = ((1 << LAST_FLAG) - 1) & ~((1 << FIRST_FLAG) - 1)
TOP_OF_DIGITS = 0x8888888
MAX_PLACES = 7
MAX_TIMES = 60
LARGEST = max(CATEGORY_START[i + 1] - CATEGORY_START[i] for i in range(CATEGORIES))

PLAN = np.dtype(
    [
        ("status", np.int64),
        ("total", np.float64),  # weight of all deals, up to a constant
        ("epoch", np.int64),  # entries of `Workspace.slot` below it are stale
        ("layers", np.int64),  # T, number of open cards
        ("root", np.int64),  # key of the first state
        ("block", np.int64, (CATEGORIES + 1,)),  # layer at which a category begins
        ("block_category", np.int64, (CATEGORIES,)),
        ("card", np.int64, (CARDS,)),  # card of layer t
        ("score", np.int64, (CARDS,)),  # by which cards are ordered
        ("candidates", np.int64, (CARDS,)),
        ("holder", np.int64, (CARDS, HOLDERS)),  # j-th candidate of layer t
        ("opened", np.int64, (CARDS,)),
        ("bias", np.int64, (CARDS,)),
        ("keep", np.int64, (CARDS, HOLDERS)),
        ("dead", np.int64, (CARDS, HOLDERS)),
        ("raised", np.int64, (CARDS, HOLDERS)),
        ("owed", np.int64, (CARDS, HOLDERS)),  # clause flags of candidate j live after layer t
        ("idle", np.int64, (CARDS, HOLDERS)),  # bond flags of candidate j live after layer t
        ("weight", np.float64, (CARDS, HOLDERS)),
        ("bond", np.int64, (CARDS, HOLDERS)),  # first bond of candidate j at layer t, or -1
        ("bond_next", np.int64, (MAX_SHOWN,)),
        ("bond_flag", np.int64, (MAX_SHOWN,)),
        ("bond_factor", np.float64, (MAX_SHOWN,)),
        ("state_from", np.int64, (CARDS + 2,)),  # states of layer t: state_from[t] .. [t + 1] - 1
        ("child_from", np.int64, (CARDS + 1,)),  # of candidate j: child_from[t] + j * states
        ("settled", np.int64, (CARDS,)),  # holder of a known card, -1 face up
        ("envelope", np.int64, (CATEGORIES,)),  # known envelope card of a category, or -1
        ("layer_of", np.int64, (CARDS,)),  # inverse of `card`, for open cards
        ("used", np.int64, (CARDS,)),  # flags in use at layer t
        ("chance", np.float64, (CATEGORIES, LARGEST)),  # scratch of `belief.envelope`
        ("trio", np.int64, (CATEGORIES,)),  # likewise
        ("known", KNOWN),
        ("clauses", np.int64),
        ("clause", np.int64, (MAX_CLAUSES,)),  # holder << 21 | open cards
    ]
)


class Workspace(NamedTuple):
    """Preallocated memory of one exact posterior at a time; one a thread.

    State 0 is the absent one, of weight 0: children that are refused point to it.
    """

    plan: np.ndarray  # PLAN, (1,)
    marginals: np.ndarray  # float64 (21, 7)
    key: np.ndarray  # int64 (states,)
    forward: np.ndarray  # float64 (states,): weight of the ways from the root
    backward: np.ndarray  # float64 (states,): weight of the ways to the end
    value: np.ndarray  # float64 (states,): scratch of passes with the envelope fixed
    child: np.ndarray  # int32 (4 * states,)
    slot: np.ndarray  # int64 (2 * states, a power of two): open addressing, epoch + state


def workspace(states: int = 1 << 16) -> Workspace:
    """Return the memory for at most ``states`` states over all layers (60 bytes each)."""
    return Workspace(
        plan=np.zeros(1, PLAN).view(np.recarray),
        marginals=np.zeros((CARDS, HOLDERS)),
        key=np.zeros(states, np.int64),
        forward=np.zeros(states),
        backward=np.zeros(states),
        value=np.zeros(states),
        child=np.zeros(4 * states, np.int32),
        slot=np.zeros(1 << (2 * states - 1).bit_length(), np.int64),
    )


@jit
def _collect_clauses(ev, plan) -> None:
    """Keep the clauses that are still open, reduced to open cards, none following from another."""
    plan.clauses = 0
    for i in range(ev.clauses):
        entry = np.int64(ev.clause[i])
        holder = (entry >> CARDS) + 1
        has, may = plan.known.has[holder], plan.known.may[holder]
        cards = entry & ALL_CARDS & may
        # Met already, or met by any choice: fewer open cards stay out of the hand than it names.
        left_out = count(may) - ev.hand_sizes[holder - 1]
        if entry & has or left_out < count(cards):
            continue
        kept = 0
        follows = False
        for k in range(plan.clauses):
            old = plan.clause[k]
            if old >> CARDS == holder and not follows:
                if old & ALL_CARDS & ~cards == 0:
                    follows = True
                elif cards & ~old == 0:
                    continue
            plan.clause[kept] = old
            kept += 1
        if not follows:
            plan.clause[kept] = holder << CARDS | cards
            kept += 1
        plan.clauses = kept


@jit
def _order(plan, unsettled: int) -> None:
    """Choose the order of the open cards, which decides how many clauses are in progress at once.

    Categories stay whole, rooms last.  Within one, cards go by the number of their clauses that
    reach into later categories less that of those from earlier ones: what ends comes first, what
    begins comes last.  Against the order of the numbers this saves a fifth of the links.
    """
    layer = 0
    for category in range(CATEGORIES):
        plan.block[category] = layer
        plan.block_category[category] = category
        inside = CATEGORY_MASK[category]
        below = (inside & -inside) - 1
        cards = unsettled & inside
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
    plan.block[CATEGORIES] = layer
    plan.layers = layer


@jit
def _candidates(ev, plan) -> None:
    """Fill the candidates of every layer, the places of the holders, and the bias of the digits."""
    known = plan.known
    plan.root = 0
    for player in range(ev.players):
        places = ev.hand_sizes[player] - count(known.has[player + 1])
        if places > MAX_PLACES:
            plan.status = TOO_WIDE
        plan.root |= places << (DIGIT_BITS * (player + 1))
    later = np.int64(0x7777777)  # digit h: 7 minus the later cards that h may get, at least 0
    for block in range(CATEGORIES - 1, -1, -1):
        later |= 7
        begin, end = plan.block[block], plan.block[block + 1]
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
                    plan.dead[t, n] = 0
                    plan.raised[t, n] = 0
                    plan.owed[t, n] = 0
                    plan.idle[t, n] = 0
                    plan.weight[t, n] = 1.0
                    plan.bond[t, n] = -1
                    n += 1
                    if later >> (DIGIT_BITS * holder) & 7:
                        later -= 1 << (DIGIT_BITS * holder)
            plan.candidates[t] = n
        category = plan.block_category[block]
        envelope = known.has[ENVELOPE] & CATEGORY_MASK[category]
        plan.envelope[category] = lowest(envelope) if envelope else -1
        if end > begin and not envelope:
            plan.opened[begin] = 1


@jit
def _free_flag(plan, first: int, last: int) -> int:
    """Take and return a flag unused in the layers ``first .. last``; without one, 0 and FULL."""
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
def _plan_clauses(plan) -> None:
    """Give each clause a flag: raised at its first card, lowered when met, fatal at its last."""
    for i in range(plan.clauses):
        holder = plan.clause[i] >> CARDS
        cards = plan.clause[i] & ALL_CARDS
        first, last = CARDS, -1
        rest = cards
        while rest:
            t = plan.layer_of[lowest(rest)]
            first, last = min(first, t), max(last, t)
            rest &= rest - 1
        flag = _free_flag(plan, first, last)
        plan.opened[first] |= flag
        for t in range(first, last + 1):
            named = cards >> plan.card[t] & 1
            for j in range(plan.candidates[t]):
                if plan.holder[t, j] == holder:
                    if named:
                        plan.keep[t, j] &= ~flag
                    plan.owed[t, j] |= flag
                if t == last:
                    plan.dead[t, j] |= flag


@jit
def _candidate(plan, t: int, holder: int) -> int:
    """Return the index j of ``holder``, which is one, among the candidates of layer ``t``."""
    j = 0
    while plan.holder[t, j] != holder:
        j += 1
    return j


@jit
def _plan_shown(ev, plan) -> None:
    """Turn the weights of the cards shown to us into factors and bonds."""
    made = 0
    for i in range(ev.shown):
        entry = np.int64(ev.others[i])
        holder = (entry >> CARDS) + 1
        has = plan.known.has[holder]
        cards = entry & ALL_CARDS & plan.known.may[holder] & ~has
        if cards == 0:
            continue
        times = float(min(np.int64(ev.times[i]), MAX_TIMES))
        a = plan.layer_of[lowest(cards)]
        j = _candidate(plan, a, holder)
        if cards & (cards - 1) == 0:
            k = 1 + count(entry & ALL_CARDS & has)
            plan.weight[a, j] *= (k / (k + 1.0)) ** times
            continue
        b = plan.layer_of[lowest(cards & (cards - 1))]
        if a > b:
            a, b = b, a
            j = _candidate(plan, a, holder)
        k = _candidate(plan, b, holder)
        plan.weight[a, j] *= 0.5**times
        plan.weight[b, k] *= 0.5**times
        flag = _free_flag(plan, a, b)
        plan.raised[a, j] |= flag
        for t in range(a, b):
            if plan.known.may[holder] >> plan.card[t] & 1:
                plan.idle[t, _candidate(plan, t, holder)] |= flag
        for other in range(plan.candidates[b]):
            plan.keep[b, other] &= ~flag
        plan.bond_flag[made] = flag
        plan.bond_factor[made] = (4.0 / 3.0) ** times
        plan.bond_next[made] = plan.bond[b, k]
        plan.bond[b, k] = made
        made += 1


@jit
def _settled_cards(ev, plan) -> int:
    """Record where the known cards are; return the mask of the others."""
    unsettled = ALL_CARDS & ~ev.face_up
    for card in range(CARDS):
        plan.settled[card] = -1
    for holder in range(ev.players + 1):
        cards = plan.known.has[holder]
        unsettled &= ~cards
        while cards:
            plan.settled[lowest(cards)] = holder
            cards &= cards - 1
    return unsettled


@jit
def arrange(ev, plan) -> bool:
    """Fill ``plan`` for the evidence; return False, and say why in ``status``, if that fails."""
    plan.status = UNSOLVED
    if ev.overflow:
        plan.status = TOO_WIDE
        return False
    if not settle(ev, plan.known):
        plan.status = CONTRADICTORY
        return False
    unsettled = _settled_cards(ev, plan)
    _collect_clauses(ev, plan)
    _order(plan, unsettled)
    _candidates(ev, plan)
    _plan_clauses(plan)
    _plan_shown(ev, plan)
    return plan.status == UNSOLVED


@jit
def bonds(plan, t: int, j: int, key: int) -> float:
    """Return the factor of the bonds of candidate ``j`` at layer ``t`` in state ``key``."""
    factor = 1.0
    bond = plan.bond[t, j]
    while bond >= 0:
        if key & plan.bond_flag[bond]:
            factor *= plan.bond_factor[bond]
        bond = plan.bond_next[bond]
    return factor

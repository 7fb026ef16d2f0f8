"""The joint distribution of the three envelope cards under a solved exact posterior.

Every function carries the path weights from the first state through one category after another with
the category's envelope card fixed, along the links of `belief.exact.solver.solve`.  They overwrite
the scratch ``work.value``, ``plan.chance`` and ``plan.trio``, and read the rest of ``work``: one
thread per workspace.  Nothing here consumes randomness.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import CATEGORY_START, ENVELOPE, N_CATEGORIES
from belief.exact.layers import pair_factors
from belief.exact.workspace import LARGEST
from mcts.kernel.compile import jit


@jit
def carry(work, first: int, last: int, card: int, holder: int, barred: int) -> None:
    """Carry ``work.value`` over the layers ``first .. last - 1``, with ``card`` at ``holder``.

    No other card goes to the holder ``barred``.  Either may be -1, for none.
    """
    plan = work.plan[0]
    key, value, child = work.key, work.value, work.child
    for t in range(first, last):
        begin, end = plan.state_from[t], plan.state_from[t + 1]
        edges = plan.child_from[t]
        for state in range(end, plan.state_from[t + 2]):
            value[state] = 0.0
        fixed = plan.card[t] == card
        for j in range(plan.candidates[t]):
            onto = plan.holder[t, j]
            if (onto == holder) if fixed else (onto != barred):
                weight, paired = plan.weight[t, j], plan.pair[t, j] >= 0
                for state in range(begin, end):
                    way = value[state] * weight
                    if way > 0.0:
                        if paired:
                            way *= pair_factors(plan, t, j, key[state] | plan.opened[t])
                        value[child[edges + state - begin]] += way
            edges += end - begin


@jit
def _push(work, block: int, card: int) -> None:
    """Carry ``work.value`` over a category, with its envelope card fixed to ``card``.

    With ``card`` -1 the envelope gets none: `_tally` reads the values left in the layers.
    """
    plan = work.plan[0]
    carry(work, plan.block[block], plan.block[block + 1], card, ENVELOPE, ENVELOPE)


@jit
def _tally(work, block: int) -> None:
    """Set ``chance[block, i]`` to the weight of the deals with card i of the block as envelope.

    They continue from ``work.value``, which is overwritten past the start of the block.
    """
    plan = work.plan[0]
    value, backward, child = work.value, work.backward, work.child
    first = CATEGORY_START[block]
    for i in range(LARGEST):
        plan.chance[block, i] = 0.0
    begin, end = plan.block[block], plan.block[block + 1]
    if plan.envelope[block] >= 0:
        weight = 0.0
        for state in range(plan.state_from[begin], plan.state_from[begin + 1]):
            weight += value[state] * backward[state]
        plan.chance[block, plan.envelope[block] - first] = weight
        return
    _push(work, block, -1)
    for t in range(begin, end):
        edges, from_state = plan.child_from[t], plan.state_from[t]
        # The envelope, if a candidate, is the first one, with neither weight nor bonds.
        if plan.holder[t, 0] == ENVELOPE:
            weight = 0.0
            for state in range(from_state, plan.state_from[t + 1]):
                weight += value[state] * backward[child[edges + state - from_state]]
            plan.chance[block, plan.card[t] - first] = weight


@jit
def _take_best(plan, block: int, bound: float) -> int:
    """Remove and return the likeliest card left in the block if above ``bound``, else -1."""
    best, weight = -1, bound
    for i in range(LARGEST):
        if plan.chance[block, i] > weight:
            best, weight = i, plan.chance[block, i]
    if best < 0:
        return -1
    plan.chance[block, best] = 0.0
    return CATEGORY_START[block] + best


@jit
def _first_pair(work) -> None:
    work.value[1] = 1.0
    _tally(work, 0)
    work.plan[0].trio[0] = -1


@jit
def _next_pair(work, bound: float) -> bool:
    """Advance to the next suspect and weapon with a weight above ``bound``; False without one.

    Writes the two to ``plan.trio``, and the weights of the three with each room to
    ``plan.chance[2]``.  The likeliest suspects come first, and the likeliest weapons of each.
    """
    plan = work.plan[0]
    trio = plan.trio
    while True:
        if trio[0] >= 0:
            trio[1] = _take_best(plan, 1, bound)
            if trio[1] >= 0:
                _push(work, 1, trio[1])
                _tally(work, 2)
                return True
        trio[0] = _take_best(plan, 0, bound)
        if trio[0] < 0:
            return False
        _push(work, 0, trio[0])
        _tally(work, 1)


@jit
def envelope_probability(work, suspect: int, weapon: int, room: int) -> float:
    """Return the probability of one envelope under a solved posterior."""
    plan = work.plan[0]
    work.value[1] = 1.0
    for block, card in enumerate((suspect, weapon, room)):
        if work.marginals[card, ENVELOPE] == 0.0:
            return 0.0
        _push(work, block, card)
    return work.value[plan.state_from[plan.layers]] / plan.total


@jit
def likely_envelopes(work, n: int, floor: float, cards: np.ndarray, probability: np.ndarray) -> int:
    """Find the ``n`` most likely envelopes of a solved posterior, most likely first.

    Only probabilities above ``floor`` (>= 0) are searched: the higher it is, the earlier the search
    through suspects, pairs and trios is cut off.  Fills ``cards`` (int64 (n, 3): suspect, weapon,
    room) and ``probability`` (n,); returns the number found.
    """
    plan = work.plan[0]
    found = 0
    bound = floor * plan.total
    _first_pair(work)
    while _next_pair(work, bound):
        for i in range(LARGEST):
            weight = plan.chance[2, i]
            if weight <= bound:
                continue
            plan.trio[2] = CATEGORY_START[2] + i
            at = min(found, n - 1)
            while at > 0 and probability[at - 1] < weight:
                probability[at] = probability[at - 1]
                for k in range(N_CATEGORIES):
                    cards[at, k] = cards[at - 1, k]
                at -= 1
            probability[at] = weight
            for k in range(N_CATEGORIES):
                cards[at, k] = plan.trio[k]
            found = min(found + 1, n)
            if found == n:
                bound = max(bound, probability[n - 1])
    for i in range(found):
        probability[i] /= plan.total
    return found


@jit
def envelope_table(work, table: np.ndarray) -> None:
    """Fill ``table`` (6, 6, 9) with the probability of every envelope."""
    plan = work.plan[0]
    for suspect in range(table.shape[0]):
        for weapon in range(table.shape[1]):
            for room in range(table.shape[2]):
                table[suspect, weapon, room] = 0.0
    _first_pair(work)
    while _next_pair(work, 0.0):
        suspect, weapon = plan.trio[0] - CATEGORY_START[0], plan.trio[1] - CATEGORY_START[1]
        for i in range(LARGEST):
            table[suspect, weapon, i] = plan.chance[2, i] / plan.total

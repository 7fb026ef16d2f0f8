"""The joint distribution of the three envelope cards under a solved exact posterior.

Every function carries the weight of the ways from the first state over one category after another
with the envelope card of the category fixed, along the links that `belief.exact.solve` has kept.
They overwrite the scratch ``work.value`` and read the rest of ``work``: one thread a workspace.
Nothing here consumes randomness.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import CATEGORIES, CATEGORY_START, ENVELOPE
from belief.layers import bonds
from mcts.kernel.compile import jit


@jit
def _push(work, block: int, card: int) -> None:
    """Carry ``work.value`` over a category, with its envelope card fixed to ``card``.

    With ``card`` -1 the envelope gets none: what is left in the layers is what `_tally` reads.
    """
    plan = work.plan[0]
    key, value, child = work.key, work.value, work.child
    for t in range(plan.block[block], plan.block[block + 1]):
        begin, end = plan.state_from[t], plan.state_from[t + 1]
        edges = plan.child_from[t]
        for state in range(end, plan.state_from[t + 2]):
            value[state] = 0.0
        for j in range(plan.candidates[t]):
            if (plan.holder[t, j] == ENVELOPE) == (plan.card[t] == card):
                weight, bonded = plan.weight[t, j], plan.bond[t, j] >= 0
                for state in range(begin, end):
                    way = value[state] * weight
                    if way > 0.0:
                        if bonded:
                            way *= bonds(plan, t, j, key[state] | plan.opened[t])
                        value[child[edges + state - begin]] += way
            edges += end - begin


@jit
def _tally(work, block: int, chance: np.ndarray) -> None:
    """Set ``chance[i]`` to the weight, from ``work.value``, of the block's i-th card as envelope.

    Overwrites ``work.value`` behind the layer in which the block begins.
    """
    plan = work.plan[0]
    value, backward, child = work.value, work.backward, work.child
    category = plan.block_category[block]
    first = CATEGORY_START[category]
    for i in range(CATEGORY_START[category + 1] - first):
        chance[i] = 0.0
    begin, end = plan.block[block], plan.block[block + 1]
    if plan.envelope[category] >= 0:
        for state in range(plan.state_from[begin], plan.state_from[begin + 1]):
            chance[plan.envelope[category] - first] += value[state] * backward[state]
        return
    _push(work, block, -1)
    for t in range(begin, end):
        edges, from_state = plan.child_from[t], plan.state_from[t]
        # The envelope, if a candidate, is the first one, and has neither weight nor bonds.
        if plan.holder[t, 0] == ENVELOPE:
            weight = 0.0
            for state in range(from_state, plan.state_from[t + 1]):
                weight += value[state] * backward[child[edges + state - from_state]]
            chance[plan.card[t] - first] = weight


@jit
def envelope_probability(work, suspect: int, weapon: int, room: int) -> float:
    """Return the probability of one envelope under a solved posterior."""
    plan = work.plan[0]
    cards = (suspect, weapon, room)
    work.value[1] = 1.0
    for block in range(CATEGORIES):
        card = cards[plan.block_category[block]]
        if work.marginals[card, ENVELOPE] == 0.0:
            return 0.0
        _push(work, block, card)
    return work.value[plan.state_from[plan.layers]] / plan.total


@jit
def likely_envelopes(work, n: int, floor: float, cards: np.ndarray, probability: np.ndarray) -> int:
    """Find the ``n`` most likely envelopes of a solved posterior, most likely first.

    Only those with a probability above ``floor`` (>= 0) are of interest: the higher it is, the
    earlier the search through suspects, pairs and trios is cut off.  Fills ``cards`` (int64
    (n, 3): suspect, weapon, room) and ``probability`` (n,); returns how many were found.
    """
    plan = work.plan[0]
    found = 0
    bound = floor * plan.total
    chance = np.zeros((CATEGORIES, 9))
    first_a = CATEGORY_START[plan.block_category[0]]
    first_b = CATEGORY_START[plan.block_category[1]]
    first_c = CATEGORY_START[plan.block_category[2]]
    trio = np.empty(CATEGORIES, np.int64)
    work.value[1] = 1.0
    _tally(work, 0, chance[0])
    while True:
        a = np.argmax(chance[0])
        if chance[0, a] <= bound:
            break
        chance[0, a] = 0.0
        trio[plan.block_category[0]] = first_a + a
        _push(work, 0, first_a + a)
        _tally(work, 1, chance[1])
        while True:
            b = np.argmax(chance[1])
            if chance[1, b] <= bound:
                break
            chance[1, b] = 0.0
            trio[plan.block_category[1]] = first_b + b
            _push(work, 1, first_b + b)
            _tally(work, 2, chance[2])
            for c in range(9):
                if chance[2, c] <= bound:
                    continue
                trio[plan.block_category[2]] = first_c + c
                at = min(found, n - 1)
                while at > 0 and probability[at - 1] < chance[2, c]:
                    probability[at] = probability[at - 1]
                    cards[at] = cards[at - 1]
                    at -= 1
                probability[at] = chance[2, c]
                cards[at] = trio
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
    table[:] = 0.0
    chance = np.zeros((CATEGORIES, 9))
    at = np.empty(CATEGORIES, np.int64)
    work.value[1] = 1.0
    _tally(work, 0, chance[0])
    for a in range(9):
        if chance[0, a] > 0.0:
            at[plan.block_category[0]] = a
            _push(work, 0, CATEGORY_START[plan.block_category[0]] + a)
            _tally(work, 1, chance[1])
            for b in range(9):
                if chance[1, b] > 0.0:
                    at[plan.block_category[1]] = b
                    _push(work, 1, CATEGORY_START[plan.block_category[1]] + b)
                    _tally(work, 2, chance[2])
                    for c in range(9):
                        if chance[2, c] > 0.0:
                            at[plan.block_category[2]] = c
                            table[at[0], at[1], at[2]] = chance[2, c] / plan.total

"""The two passes of the exact posterior over the layers of the open cards.

The forward pass builds the reachable states, with the weight of the paths to each; the backward
pass computes the weight of the paths from each to the end.  Both give every marginal.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import Evidence
from belief.exact.layers import arrange, pair_factors
from belief.exact.workspace import CONTRADICTORY, DIGIT_BITS, FULL, TOP_OF_DIGITS
from mcts.kernel.compile import jit

_FOLD, _FOLDED, _SPREAD, _SPREAD_SHIFT = 25, (1 << 28) - 1, 0x9E3779B1, 28


@jit
def _expand(plan, key, forward, child, slot, t: int) -> bool:
    """Build the states of layer ``t + 1`` from those of layer ``t``; False if they do not fit."""
    begin, end = plan.state_from[t], plan.state_from[t + 1]
    states = end - begin
    edges = plan.child_from[t]
    if edges + states * plan.candidates[t] > len(child):
        return False
    plan.child_from[t + 1] = edges + states * plan.candidates[t]
    # Twice the possible successors, so that small layers stay in the fast caches.
    mask = np.int64(15)
    while mask < 2 * states * plan.candidates[t] and mask < len(slot) - 1:
        mask = 2 * mask + 1
    opened, bias, epoch = plan.opened[t], plan.bias[t], plan.epoch
    fresh = end
    for j in range(plan.candidates[t]):
        shift = DIGIT_BITS * plan.holder[t, j]
        digit, one = np.int64(15) << shift, np.int64(1) << shift
        keep, forbidden, raised = plan.keep[t, j], plan.forbidden[t, j], plan.raised[t, j]
        unmet, idle, weight = plan.unmet[t, j], plan.idle[t, j], plan.weight[t, j]
        paired = plan.pair[t, j] >= 0
        ends = (unmet | idle) != 0
        for state in range(begin, end):
            before = key[state] | opened
            edge = edges + state - begin
            child[edge] = 0
            after = (before & keep) - one
            # Without a place the digit wraps to 15; with too many for the remaining cards, the bias
            # lifts it to 8 or more.
            if (after | (after + bias)) & TOP_OF_DIGITS or after & forbidden:
                continue
            after |= raised
            if ends and after & digit == 0:
                # A full hand satisfies no more clauses, and no more bonds.
                if after & unmet:
                    continue
                after &= ~idle
            # Fibonacci hashing of 28 folded bits: the product stays within 60.
            at = ((((after ^ (after >> _FOLD)) & _FOLDED) * _SPREAD) >> _SPREAD_SHIFT) & mask
            found = slot[at] - epoch
            while found >= end and key[found] != after:
                at = (at + 1) & mask
                found = slot[at] - epoch
            if found < end:
                if fresh == len(key):
                    return False
                found = fresh
                fresh += 1
                slot[at] = epoch + found
                key[found] = after
                forward[found] = 0.0
            way = forward[state] * weight
            if paired:
                way *= pair_factors(plan, t, j, before)
            forward[found] += way
            child[edge] = found
        edges += states
    plan.state_from[t + 2] = fresh
    return True


@jit
def forwards(ev: Evidence, work) -> bool:
    """Plan the posterior of ``ev`` in ``work``, and build its states and links.

    Returns False, with the reason in ``work.plan[0].status``, without a posterior or room.
    """
    plan = work.plan[0]
    if not arrange(ev, plan):
        return False
    plan.epoch += len(work.key)
    plan.state_from[0], plan.state_from[1], plan.child_from[0] = 1, 2, 0
    work.key[0], work.backward[0], work.value[0] = -1, 0.0, 0.0
    work.key[1], work.forward[1] = plan.root, 1.0
    for t in range(plan.layers):
        if not _expand(plan, work.key, work.forward, work.child, work.slot, t):
            plan.status = FULL
            return False
    last = plan.state_from[plan.layers]
    # Only the last state, if there is one, has all places filled.
    ended = plan.state_from[plan.layers + 1] > last and work.key[last] == 0
    if not (ended and work.forward[last] > 0.0):
        plan.status = CONTRADICTORY
        return False
    return True


@jit
def backwards(work) -> None:
    """Fill the weights towards the end, and the marginals of the open cards."""
    plan, marginals = work.plan[0], work.marginals
    key, forward, backward, child = work.key, work.forward, work.backward, work.child
    backward[plan.state_from[plan.layers]] = 1.0
    for t in range(plan.layers - 1, -1, -1):
        begin, end = plan.state_from[t], plan.state_from[t + 1]
        opened, edges = plan.opened[t], plan.child_from[t]
        for state in range(begin, end):
            backward[state] = 0.0
        for j in range(plan.candidates[t]):
            weight = plan.weight[t, j]
            ways = 0.0
            if plan.pair[t, j] < 0:
                for state in range(begin, end):
                    onwards = weight * backward[child[edges + state - begin]]
                    backward[state] += onwards
                    ways += forward[state] * onwards
            else:
                for state in range(begin, end):
                    onwards = weight * backward[child[edges + state - begin]]
                    if onwards > 0.0:
                        onwards *= pair_factors(plan, t, j, key[state] | opened)
                    backward[state] += onwards
                    ways += forward[state] * onwards
            marginals[plan.card[t], plan.holder[t, j]] = ways
            edges += end - begin

"""The exact posterior over deals: a dynamic programme over cards.

P(deal | seen) is proportional to [one envelope card a category] x product over players of
f(hand), because each answer depends on the answerer's hand alone (see `belief.evidence`); the
prior over deals is uniform.  Suggestions are taken as independent of the suggester's hand.

`solve` settles what is logically certain, then passes over the open cards: forwards it builds the
states that can be reached (`belief.layers` says what a state is) with the weight of the ways to
each, backwards the weight of the ways from each to the end.  Both give every marginal; walks along
the kept links give exact independent deals; passes with the envelope fixed give its joint table.

Shapes: matrices are (21 cards, 7 columns), column 0 the envelope, column p + 1 player p; deals are
int64 (21,) of 0 envelope, p + 1 player, -1 face up.

Limits: 3 to 6 players with at most 7 open places a hand; 34 clauses and bonds in progress
at once; states in a fixed workspace.  What does not fit makes `solve` return False with the status
TOO_WIDE or FULL, never a wrong answer; if FULL, `ExactPosterior` takes a larger workspace.
"""

from __future__ import annotations

import numpy as np

from belief.envelope import envelope_probability, envelope_table, likely_envelopes
from belief.evidence import (
    CARDS,
    CATEGORIES,
    HOLDERS,
    ContradictoryEvidence,
    EvidenceFull,
    check,
)
from belief.layers import (
    CONTRADICTORY,
    DIGIT_BITS,
    FULL,
    SOLVED,
    TOO_WIDE,
    TOP_OF_DIGITS,
    Workspace,
    arrange,
    bonds,
    workspace,
)
from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform

_FOLD, _FOLDED, _SPREAD, _SPREAD_SHIFT = 25, (1 << 28) - 1, 0x9E3779B1, 28


@jit
def _expand(work, t: int, room: int) -> bool:
    """Build the states of layer ``t + 1`` from those of layer ``t``; False if they do not fit."""
    plan = work.plan[0]
    key, forward, child, slot = work.key, work.forward, work.child, work.slot
    begin, end = plan.state_from[t], plan.state_from[t + 1]
    states = end - begin
    edges = plan.child_from[t]
    if edges + states * plan.candidates[t] > len(child):
        return False
    plan.child_from[t + 1] = edges + states * plan.candidates[t]
    # A table of twice the possible successors, so that small layers stay in the fast caches.
    mask = np.int64(15)
    while mask < 2 * states * plan.candidates[t] and mask < len(slot) - 1:
        mask = 2 * mask + 1
    opened, bias, epoch = plan.opened[t], plan.bias[t], plan.epoch
    fresh = end
    for j in range(plan.candidates[t]):
        shift = DIGIT_BITS * plan.holder[t, j]
        digit, one = np.int64(15) << shift, np.int64(1) << shift
        keep, dead, raised = plan.keep[t, j], plan.dead[t, j], plan.raised[t, j]
        owed, idle, weight = plan.owed[t, j], plan.idle[t, j], plan.weight[t, j]
        bonded = plan.bond[t, j] >= 0
        ends = (owed | idle) != 0
        for state in range(begin, end):
            before = key[state] | opened
            edge = edges + state - begin
            child[edge] = 0
            after = (before & keep) - one
            # Without a place the digit wraps to 15; with too many for the cards to come, the bias
            # lifts it to 8 or more.
            if (after | (after + bias)) & TOP_OF_DIGITS or after & dead:
                continue
            after |= raised
            if ends and after & digit == 0:
                # A full hand meets no more clauses, and no more bonds.
                if after & owed:
                    continue
                after &= ~idle
            # Fibonacci hashing of 28 folded bits: the product stays within 60.
            at = ((((after ^ (after >> _FOLD)) & _FOLDED) * _SPREAD) >> _SPREAD_SHIFT) & mask
            found = slot[at] - epoch
            while found >= end and key[found] != after:
                at = (at + 1) & mask
                found = slot[at] - epoch
            if found < end:
                if fresh == room:
                    return False
                found = fresh
                fresh += 1
                slot[at] = epoch + found
                key[found] = after
                forward[found] = 0.0
            way = forward[state] * weight
            if bonded:
                way *= bonds(plan, t, j, before)
            forward[found] += way
            child[edge] = found
        edges += states
    plan.state_from[t + 2] = fresh
    return True


@jit
def _backwards(work) -> None:
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
            if plan.bond[t, j] < 0:
                for state in range(begin, end):
                    onwards = weight * backward[child[edges + state - begin]]
                    backward[state] += onwards
                    ways += forward[state] * onwards
            else:
                for state in range(begin, end):
                    onwards = weight * backward[child[edges + state - begin]]
                    if onwards > 0.0:
                        onwards *= bonds(plan, t, j, key[state] | opened)
                    backward[state] += onwards
                    ways += forward[state] * onwards
            marginals[plan.card[t], plan.holder[t, j]] = ways
            edges += end - begin


@jit
def solve(ev, work) -> bool:
    """Compute the posterior of the evidence ``ev`` in ``work``.

    Returns False if there is none: ``work.plan[0].status`` then is CONTRADICTORY, or FULL or
    TOO_WIDE (see `belief.layers`) if there may be one.  Otherwise fills ``work.marginals``, known
    cards included, and what the functions below read.  Consumes no randomness.
    """
    plan = work.plan[0]
    if not arrange(ev, plan):
        return False
    room = len(work.key)
    plan.epoch += room
    plan.state_from[0], plan.state_from[1], plan.child_from[0] = 1, 2, 0
    work.key[0], work.backward[0] = -1, 0.0
    work.key[1], work.forward[1] = plan.root, 1.0
    for t in range(plan.layers):
        if not _expand(work, t, room):
            plan.status = FULL
            return False
    marginals = work.marginals
    for card in range(CARDS):
        for column in range(HOLDERS):
            marginals[card, column] = 0.0
        if plan.settled[card] >= 0:
            marginals[card, plan.settled[card]] = 1.0
    last = plan.state_from[plan.layers]
    # All places are filled in the only last state, if there is one.
    if plan.state_from[plan.layers + 1] == last or work.key[last] != 0:
        plan.status = CONTRADICTORY
        return False
    _backwards(work)
    plan.total = work.backward[1]
    if not plan.total > 0.0:
        plan.status = CONTRADICTORY
        return False
    for t in range(plan.layers):
        for j in range(plan.candidates[t]):
            marginals[plan.card[t], plan.holder[t, j]] /= plan.total
    plan.status = SOLVED
    return True


@jit
def sample(work, stream: np.ndarray, holder: np.ndarray) -> None:
    """Draw one exact, independent deal from a solved posterior into ``holder`` (int64 (21,)).

    Consumes one draw of ``stream`` for every four open cards (one uniform number is divided up
    among them, which leaves it 40 bits or more).  Only reads ``work``.
    """
    plan = work.plan[0]
    key, backward, child = work.key, work.backward, work.child
    for card in range(CARDS):
        holder[card] = plan.settled[card]
    state = np.int64(1)
    left = 0.0
    for t in range(plan.layers):
        if t & 3 == 0:
            left = uniform(stream) * backward[state]
        states = plan.state_from[t + 1] - plan.state_from[t]
        edge = plan.child_from[t] + state - plan.state_from[t]
        chosen, factor, onto = -1, 1.0, np.int64(0)
        for j in range(plan.candidates[t]):
            onto = np.int64(child[edge])
            edge += states
            factor = plan.weight[t, j]
            if plan.bond[t, j] >= 0:
                factor *= bonds(plan, t, j, key[state] | plan.opened[t])
            share = factor * backward[onto]
            if left < share:
                chosen = j
                break
            left -= share
        if chosen < 0:
            # Rounding left a crumb behind the last candidate: that one gets it.
            chosen = plan.candidates[t] - 1
            edge -= states
            while backward[child[edge]] == 0.0:
                chosen -= 1
                edge -= states
            onto, left, factor = np.int64(child[edge]), 0.0, 1.0
        if factor != 1.0:
            left /= factor
        holder[plan.card[t]] = plan.holder[t, chosen]
        state = onto


class ExactPosterior:
    """The exact posterior from Python: NumPy in, NumPy out, errors raised.

    Parameters
    ----------
    evidence
        Element of a record array, ``new_evidence()[0]``; read, not kept.
    work
        Workspace to use; a new one otherwise.  It is replaced by a larger one if need be.

    Raises
    ------
    ContradictoryEvidence
        No deal is consistent with the evidence.
    EvidenceFull
        A list of the evidence overflowed, a state cannot be told in 63 bits, or more than
        ``MAX_STATES`` are needed.
    """

    MAX_STATES = 1 << 22

    def __init__(self, evidence, work: Workspace | None = None) -> None:
        check(evidence)
        self.work = workspace() if work is None else work
        while not solve(evidence, self.work):
            if self.work.plan[0].status == CONTRADICTORY:
                raise ContradictoryEvidence("no deal is consistent with the recorded answers")
            if self.work.plan[0].status == TOO_WIDE:
                raise EvidenceFull("more open clauses or places than a state can hold")
            if 4 * len(self.work.key) > self.MAX_STATES:
                raise EvidenceFull(f"the posterior needs more than {len(self.work.key)} states")
            self.work = workspace(4 * len(self.work.key))

    @property
    def marginals(self) -> np.ndarray:
        """Return a copy of P(card is with holder), (21, 7)."""
        return self.work.marginals.copy()

    @property
    def total(self) -> float:
        """Return the weight of all deals, up to a constant (their number without shown cards)."""
        return float(self.work.plan[0].total)

    def envelope_table(self) -> np.ndarray:
        """Return the joint distribution of the envelope, (6 suspects, 6 weapons, 9 rooms)."""
        table = np.zeros((6, 6, 9))
        envelope_table(self.work, table)
        return table

    def envelope_probability(self, suspect: int, weapon: int, room: int) -> float:
        """Return the probability of one envelope."""
        return float(envelope_probability(self.work, suspect, weapon, room))

    def likely_envelopes(self, n: int, floor: float = 0.0) -> list[tuple[tuple[int, ...], float]]:
        """Return up to ``n`` envelopes above ``floor`` and their probabilities, likeliest first."""
        cards, probability = np.zeros((n, CATEGORIES), np.int64), np.zeros(n)
        found = likely_envelopes(self.work, n, floor, cards, probability)
        return [(tuple(map(int, cards[i])), float(probability[i])) for i in range(found)]

    def sample(self, stream: np.ndarray, deals: int) -> np.ndarray:
        """Return ``deals`` independent deals, int64 (deals, 21); consumes draws of ``stream``."""
        drawn = np.empty((deals, CARDS), np.int64)
        for deal in drawn:
            sample(self.work, stream, deal)
        return drawn

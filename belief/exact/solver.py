"""The exact posterior over deals: a dynamic programme over cards (`docs/posterior.md`).

P(deal | seen) is proportional to [one envelope card per category] x product over players of
f(hand); the prior over deals is uniform, and suggestions are assumed independent of hands.
`solve` applies logical certainty, then passes over the open cards
(`belief.exact.forward_backward`; `belief.exact.layers` defines the states).

Matrices are (21 cards, 7 columns), column 0 the envelope, column p + 1 player p; deals are int64
(21,) of 0 envelope, p + 1 player, -1 face up.

Limits of the kernels: 3 to 6 players with at most 7 open places per hand; 34 clauses and bonds in
progress at once; states in a fixed workspace.  On larger problems `solve` returns False, never a
wrong answer; `ExactPosterior` then takes a larger workspace, or splits the evidence by the holder
of one open card, and solves each part.  The parts are a partition of the deals, so the posterior is
their mixture by weight: exact, and slower by the number of parts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from belief.evidence import (
    ALL_CARDS,
    CATEGORY_START,
    ENVELOPE,
    HOLDERS,
    MAX_PLAYERS,
    N_CARDS,
    N_CATEGORIES,
    ContradictoryEvidence,
    Evidence,
    check,
    has_card,
    new_evidence,
    note_pass,
)
from belief.exact.answers import ANSWERS, predict_named
from belief.exact.envelope import envelope_probability, envelope_table, likely_envelopes
from belief.exact.forward_backward import backwards, forwards
from belief.exact.layers import pair_factors
from belief.exact.workspace import CONTRADICTORY, FIRST_STATES, FULL, SOLVED
from belief.exact.workspace import Workspace as Workspace
from belief.exact.workspace import workspace as workspace
from mcts.kernel.compile import jit
from mcts.kernel.fixed import FixedTypes
from mcts.kernel.rng import uniform


@jit
def solve(ev: Evidence, work) -> bool:
    """Compute the posterior of the evidence ``ev`` in ``work``.

    Returns False if there is none: ``work.plan[0].status`` then is CONTRADICTORY, or FULL or
    TOO_WIDE (see `belief.exact.workspace`) if there may be one.  Otherwise fills
    ``work.marginals``, known cards included, and the input of the functions below.  Consumes no
    randomness.

    """
    if not forwards(ev, work):
        return False
    plan, marginals = work.plan[0], work.marginals
    for card in range(N_CARDS):
        for column in range(HOLDERS):
            marginals[card, column] = 0.0
        if plan.settled[card] >= 0:
            marginals[card, plan.settled[card]] = 1.0
    backwards(work)
    plan.total = work.backward[1]
    for t in range(plan.layers):
        for j in range(plan.candidates[t]):
            marginals[plan.card[t], plan.holder[t, j]] /= plan.total
    plan.status = SOLVED
    return True


@jit
def log_total(work) -> float:
    """Return the `log_weight` of the evidence that ``work`` is solved for."""
    plan = work.plan[0]
    return math.log(plan.total) + plan.log_constant


@jit
def log_weight(ev: Evidence, work) -> float:
    """Return the natural log of the sum over deals of the likelihood of all recorded answers.

    If evidence B is A and one more answer, exp(log_weight(B) - log_weight(A)) is the probability of
    that answer given A, the question, and the player asked.  Without cards shown to us it is the
    log of the number of consistent deals.  -inf if there is none; nan if ``work`` has no room, with
    ``status`` as `solve` sets it.  Overwrites ``work``, and leaves no posterior there.
    """
    plan = work.plan[0]
    if forwards(ev, work):
        return math.log(work.forward[plan.state_from[plan.layers]]) + plan.log_constant
    return -math.inf if plan.status == CONTRADICTORY else math.nan


@jit
def sample(work, stream: np.ndarray, holder: np.ndarray) -> None:
    """Draw one exact, independent deal from a solved posterior into ``holder`` (int64 (21,)).

    Consumes one draw of ``stream`` for every four open cards (one uniform number is split among
    them, which leaves it 40 bits or more).  Only reads ``work``.
    """
    plan = work.plan[0]
    key, backward, child = work.key, work.backward, work.child
    for card in range(N_CARDS):
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
            if plan.pair[t, j] >= 0:
                factor *= pair_factors(plan, t, j, key[state] | plan.opened[t])
            share = factor * backward[onto]
            if left < share:
                chosen = j
                break
            left -= share
        if chosen < 0:
            # Rounding left a remainder past the last candidate, which gets it.
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


@jit
def _weigh(records: np.ndarray, work) -> tuple[float, float]:
    """Solve ``records[0]``; return its log weight and weight, or `log_weight` and 0 on failure."""
    ev, plan = records[0], work.plan[0]
    if not ev.contradiction and solve(ev, work):
        return log_total(work), plan.total * math.exp(plan.log_constant)
    impossible = ev.contradiction or plan.status == CONTRADICTORY
    return (-math.inf if impossible else math.nan), 0.0


_WEIGH = FixedTypes(_weigh)


def _card_to_split(evidence, plan) -> int:
    """Return the open card in most clauses and bonds; among equals, of most candidates."""
    coupled = [int(clause) & ALL_CARDS for clause in plan.clause[: plan.clauses]]
    for entry in evidence.others[: evidence.shown]:
        cards = int(entry & plan.open & plan.known.may[(entry >> N_CARDS) + 1])
        if cards & (cards - 1):
            coupled.append(cards)

    def rank(card: int) -> tuple[int, int]:
        chosen = sum(cards >> card & 1 for cards in coupled)
        return chosen, sum(int(may) >> card & 1 for may in plan.known.may)

    return max((card for card in range(N_CARDS) if int(plan.open) >> card & 1), key=rank)


def _divide(evidence, plan) -> np.recarray:
    """Return records of the evidence, one for every possible holder of one open card."""
    card = _card_to_split(evidence, plan)
    holders = [
        holder for holder in range(evidence.players + 1) if int(plan.known.may[holder]) >> card & 1
    ]
    records = new_evidence(len(holders))
    for i, holder in enumerate(holders):
        records[i] = evidence
        if holder == ENVELOPE:
            for player in range(evidence.players):
                note_pass(records[i], player, 1 << card)
        else:
            has_card(records[i], holder - 1, card)
    return records


def _parts(evidence, attempt: Callable[[np.record], np.record]) -> Iterator[np.record]:
    """Yield records that can be solved and together hold all deals of ``evidence``.

    ``attempt`` tries to solve a record and returns the plan; it has just succeeded with a yielded
    record.  Parts without a deal are left out.
    """
    plan = attempt(evidence)
    if plan.status == SOLVED:
        yield evidence
    elif plan.status != CONTRADICTORY:
        for part in _divide(evidence, plan):
            yield from _parts(part, attempt)


_Reading = TypeVar("_Reading", float, np.ndarray)


class ExactPosterior:
    """The exact posterior from Python: NumPy in, NumPy out, errors raised.

    Evidence that fits into no workspace is solved in parts, which takes longer, also at every
    reading, and is as exact.  Raises ContradictoryEvidence if no deal is consistent with the
    evidence, EvidenceFull if a list of the evidence overflowed.

    Parameters
    ----------
    evidence : element of a record array, ``new_evidence()[0]``; copied
    work : workspace to use; a new one otherwise.  Replaced by a larger one if necessary

    Attributes
    ----------
    work : solved for the evidence if there is one part, else for the part read last.  Solving it
        for other evidence invalidates this object
    parts : number of parts, usually 1
    total : likelihood of all answers, summed over deals: their number without cards shown to us
    log_weight : natural log of ``total``, even if that is too small for a float
    """

    MAX_STATES = 1 << 22

    def __init__(self, evidence, work: Workspace | None = None) -> None:
        self.work = workspace(FIRST_STATES) if work is None else work
        self._parts = [np.array(evidence).reshape(1).copy()]  # NumPy copies no record
        self._shares: np.ndarray = np.ones(1)
        self._current = 0
        self.log_weight, self.total = _WEIGH.call(self._parts[0], self.work)
        if not self.log_weight > -math.inf:  # nan: there was no room
            record = self._parts.pop().view(np.recarray)[0]
            check(record)
            self._solve_in_parts(record)
        self.parts = len(self._parts)

    def _solve_in_parts(self, evidence) -> None:
        """Solve too large a problem, in a larger workspace or in parts."""
        weights = []
        for part in _parts(evidence, self._attempt):
            self._parts.append(np.array(part).reshape(1).copy())
            weights.append(log_total(self.work))
            self.total += float(self.work.plan[0].total * np.exp(self.work.plan[0].log_constant))
        if not weights:
            raise ContradictoryEvidence("no deal is consistent with the recorded answers")
        # Later attempts had no deal, and have left their plan in ``work``.
        self._current = -1
        self._load(len(weights) - 1)
        self.log_weight = float(np.logaddexp.reduce(weights))
        self._shares = np.exp(np.array(weights) - self.log_weight)

    def _attempt(self, evidence) -> np.record:
        """Try to solve some evidence, in a larger workspace if necessary; return the plan."""
        while not solve(evidence, self.work):
            room = 4 * len(self.work.key)
            if self.work.plan[0].status != FULL or room > self.MAX_STATES:
                break
            self.work = workspace(room)
        return self.work.plan[0]

    def _load(self, part: int) -> None:
        if part != self._current:
            _WEIGH.call(self._parts[part], self.work)
            self._current = part

    def _average(self, read: Callable[[], _Reading]) -> _Reading:
        if self.parts == 1:
            return read()
        mean: Any = 0.0
        for part, share in enumerate(self._shares):
            self._load(part)
            mean = mean + share * read()
        return mean

    @property
    def marginals(self) -> np.ndarray:
        """Return P(card is with holder), (21, 7)."""
        return self._average(self.work.marginals.copy)

    def envelope_table(self) -> np.ndarray:
        """Return the joint distribution of the envelope, (6 suspects, 6 weapons, 9 rooms)."""
        table = np.zeros((6, 6, 9))

        def read() -> np.ndarray:
            envelope_table(self.work, table)
            return table

        return self._average(read)

    def envelope_probability(self, suspect: int, weapon: int, room: int) -> float:
        """Return the probability of one envelope."""
        return float(self._average(lambda: envelope_probability(self.work, suspect, weapon, room)))

    def likely_envelopes(self, n: int, floor: float = 0.0) -> list[tuple[tuple[int, ...], float]]:
        """Return up to ``n`` envelopes above ``floor`` and their probabilities, likeliest first."""
        if self.parts == 1:
            cards, probability = np.zeros((n, N_CATEGORIES), np.int64), np.zeros(n)
            found = likely_envelopes(self.work, n, floor, cards, probability)
        else:
            table = self.envelope_table()
            order = np.argsort(-table, axis=None, kind="stable")[:n]
            cards = np.column_stack(np.unravel_index(order, table.shape)) + CATEGORY_START[:-1]
            probability = table.ravel()[order]
            found = int(np.sum(probability > floor))
        return [(tuple(map(int, cards[i])), float(probability[i])) for i in range(found)]

    def predict(self, cards: int) -> tuple[np.ndarray, float]:
        """Return the distribution of the answer to our suggestion ``cards`` (mask of one each).

        The first value is (6, 3): P(player answers, and shows the suspect, the weapon, the room);
        the second P(no player answers).
        """
        joint = np.zeros((ANSWERS, 8))

        def read() -> np.ndarray:
            predict_named(self._parts[self._current][0], self.work, cards, 0, joint)
            return joint[:, 0].copy()

        mean = self._average(read)
        return mean[:-1].reshape(MAX_PLAYERS, N_CATEGORIES), float(mean[-1])

    def sample(self, stream: np.ndarray, deals: int) -> np.ndarray:
        """Return ``deals`` independent deals, int64 (deals, 21); consumes draws of ``stream``."""
        drawn = np.empty((deals, N_CARDS), np.int64)
        of_part = np.zeros(deals, np.int64)
        if self.parts > 1:
            begins = np.cumsum(self._shares[:-1])
            of_part[:] = [np.searchsorted(begins, uniform(stream), "right") for _ in drawn]
        for part in np.unique(of_part):
            self._load(part)
            for i in np.flatnonzero(of_part == part):
                sample(self.work, stream, drawn[i])
        return drawn

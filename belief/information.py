"""Expected information about the envelope of a suggestion: a formula, an estimate, the truth.

* `closed_form` needs only card marginals.  It treats the three cards as independent and sums over
  the outcomes -- a given one of the three is shown, or none -- the drop of the three binary
  entropies "this card is in the envelope".  The outcome ignores who answered.
* `estimate` estimates the drop of the *joint* entropy from exact deals drawn once for all
  suggestions, by relative frequencies.  With fewer deals than envelopes that is heavily biased: it
  ranks suggestions, but does not measure their value.
* `mutual`, of the result of `belief.exact.answers.predict_named`, is exact for which of the named
  cards are in the envelope: a lower bound of the truth, and near it.
* `expected_reduction` is the true expected drop of the joint entropy.

The first two assume uniform showing, the others follow ``ev.showing``.  All entropies are in bits.
`draw_sample` consumes its stream; nothing else here consumes randomness.
"""

from __future__ import annotations

from math import exp, log2
from typing import NamedTuple

import numpy as np

from belief.entropy_table import weighted_entropy
from belief.evidence import (
    CATEGORY_START,
    ENVELOPE,
    MAX_PLAYERS,
    N_CARDS,
    ContradictoryEvidence,
    category,
    new_evidence,
    note_card,
    note_pass,
)
from belief.exact.solver import ExactPosterior, Workspace
from belief.exact.solver import sample as draw_deal
from mcts.kernel.compile import jit


@jit
def entropy(probabilities: np.ndarray) -> float:
    """Return the entropy in bits of a distribution, given as a flat array that sums to 1."""
    bits = 0.0
    for p in probabilities:
        if p > 0.0:
            bits -= p * log2(p)
    return bits


@jit
def mutual(joint: np.ndarray) -> float:
    """Return the mutual information in bits of row and column, from their joint distribution."""
    bits = 0.0
    for row in range(joint.shape[0]):
        chance = 0.0
        for column in range(joint.shape[1]):
            p = joint[row, column]
            chance += p
            if p > 0.0:
                bits += p * log2(p)
        if chance > 0.0:
            bits -= chance * log2(chance)
    for column in range(joint.shape[1]):
        chance = 0.0
        for row in range(joint.shape[0]):
            chance += joint[row, column]
        if chance > 0.0:
            bits -= chance * log2(chance)
    return max(bits, 0.0)


@jit
def closed_form(marginals: np.ndarray, seat: int, suspect: int, weapon: int, room: int) -> float:
    """Return the expected drop, in bits, of the binary envelope entropies of the three cards.

    ``marginals`` (21, 7) is the belief of ``seat``, who would suggest the cards ``suspect`` (0-5),
    ``weapon`` (6-11) and ``room`` (12-20).  Its own cards and face-up ones are never shown, and
    naming them is allowed.
    """
    e0, e1, e2 = marginals[suspect, 0], marginals[weapon, 0], marginals[room, 0]
    # Probability that no opponent asked so far has the card.
    n0 = n1 = n2 = 1.0
    # came_i: probability that card i is shown; j_with_i: and card j is in the envelope.
    came0 = came1 = came2 = 0.0
    e1_with0 = e2_with0 = e0_with1 = e2_with1 = e0_with2 = e1_with2 = 0.0
    column = seat + 1
    for _ in range(1, MAX_PLAYERS):
        column = column + 1 if column < MAX_PLAYERS else 1
        b0, b1, b2 = marginals[suspect, column], marginals[weapon, column], marginals[room, column]
        if b0 + b1 + b2 == 0.0:
            continue
        n0 -= b0
        n1 -= b1
        n2 -= b2
        # Card i is shown among none, one or two others held: 1, 1/2, 1/3.
        came0 += b0 * (n1 * n2 + 0.5 * (b1 * n2 + n1 * b2) + b1 * b2 / 3.0)
        came1 += b1 * (n0 * n2 + 0.5 * (b0 * n2 + n0 * b2) + b0 * b2 / 3.0)
        came2 += b2 * (n0 * n1 + 0.5 * (b0 * n1 + n0 * b1) + b0 * b1 / 3.0)
        half0, half1, half2 = n0 + 0.5 * b0, n1 + 0.5 * b1, n2 + 0.5 * b2
        e1_with0 += b0 * half2
        e2_with0 += b0 * half1
        e0_with1 += b1 * half2
        e2_with1 += b1 * half0
        e0_with2 += b2 * half1
        e1_with2 += b2 * half0
    before = weighted_entropy(e0, 1.0) + weighted_entropy(e1, 1.0) + weighted_entropy(e2, 1.0)
    none = n0 * n1 * n2
    after = (
        weighted_entropy(e1 * e1_with0, came0)
        + weighted_entropy(e2 * e2_with0, came0)
        + weighted_entropy(e0 * e0_with1, came1)
        + weighted_entropy(e2 * e2_with1, came1)
        + weighted_entropy(e0 * e0_with2, came2)
        + weighted_entropy(e1 * e1_with2, came2)
        + weighted_entropy(e0 * n1 * n2, none)
        + weighted_entropy(e1 * n0 * n2, none)
        + weighted_entropy(e2 * n0 * n1, none)
    )
    return max(before - after, 0.0)


_ENVELOPES = 6 * 6 * 9
_NOBODY = MAX_PLAYERS
_OUTCOMES = 3 * _NOBODY
_WHOLE = 6
_PART = (0, 6, 6, 3, 6, 3, 3, 2)
_ALONE = (0.0, 0.0, 3 * 2 * log2(2), 2 * 3 * log2(3), 0.0, 0.0, 6 * log2(6))
"""Deals are counted in sixths, so that 1/k of one is an integer: `_PART` for each set of held
cards.  `_ALONE` is the sum of c log2 c of a whole deal in such parts."""


class Sample(NamedTuple):
    """Deals drawn from a posterior, arranged for `estimate`; preallocated by `sample_workspace`.

    Deals are sorted by envelope: first those with a unique one, then one group after another.
    *Steps* count the seats clockwise from the observer to the holder of a card: 1 .. 5, or
    `_NOBODY` for its own cards, face up or in the envelope.
    """

    steps: np.ndarray  # uint8 (21, n)
    size: np.ndarray  # int64 (2,): deals with a unique envelope, groups
    begin: np.ndarray  # int64 (n + 1,): first deal of each group, and n after the last
    bits: np.ndarray  # float64 (1,): sum over envelopes of c log2 c
    log: np.ndarray  # float64 (6 n + 1,): c log2 c
    outcome: np.ndarray  # int32 (18,): scratch, sixths of deals by outcome
    joint: np.ndarray  # int32 (18,): scratch, the same within a group
    drawn: np.ndarray  # uint8 (n, 21): scratch, steps in the order of drawing
    envelope: np.ndarray  # int64 (n,): scratch, likewise
    times: np.ndarray  # int64 (324,): scratch, deals of each envelope
    place: np.ndarray  # int64 (324,): scratch, index of the next one
    holder: np.ndarray  # int64 (21,): scratch


def sample_workspace(n: int) -> Sample:
    """Return the memory for ``n`` deals."""
    log = np.arange(_WHOLE * n + 1, dtype=float)
    log[1:] *= np.log2(log[1:])
    return Sample(
        steps=np.zeros((N_CARDS, n), np.uint8),
        size=np.zeros(2, np.int64),
        begin=np.zeros(n + 1, np.int64),
        bits=np.zeros(1),
        log=log,
        outcome=np.zeros(_OUTCOMES, np.int32),
        joint=np.zeros(_OUTCOMES, np.int32),
        drawn=np.zeros((n, N_CARDS), np.uint8),
        envelope=np.zeros(n, np.int64),
        times=np.zeros(_ENVELOPES, np.int64),
        place=np.zeros(_ENVELOPES, np.int64),
        holder=np.zeros(N_CARDS, np.int64),
    )


@jit
def _write_steps(holder: np.ndarray, seat: int, players: int, steps: np.ndarray) -> int:
    """Fill ``steps`` (21,) from the deal ``holder``; return the number of its envelope."""
    envelope = 0
    for card in range(N_CARDS):
        away = _NOBODY
        if holder[card] == ENVELOPE:
            kind = category(card)
            sort = card - CATEGORY_START[kind]
            envelope += sort * 54 if kind == 0 else sort * 9 if kind == 1 else sort
        elif holder[card] > 0 and holder[card] != seat + 1:
            away = holder[card] - 1 - seat
            if away < 0:
                away += players
        steps[card] = away
    return envelope


@jit
def draw_sample(sample: Sample, work, stream: np.ndarray, seat: int, players: int) -> None:
    """Fill ``sample`` with deals drawn from the solved exact posterior ``work`` of ``seat``.

    Consumes the draws of as many calls of `belief.exact.solver.sample`.
    """
    n = len(sample.envelope)
    times, place = sample.times, sample.place
    for envelope in range(_ENVELOPES):
        times[envelope] = 0
    for deal in range(n):
        draw_deal(work, stream, sample.holder)
        envelope = _write_steps(sample.holder, seat, players, sample.drawn[deal])
        sample.envelope[deal] = envelope
        times[envelope] += 1
    alone = groups = 0
    bits = 0.0
    for envelope in range(_ENVELOPES):
        bits += sample.log[_WHOLE * times[envelope]]
        if times[envelope] == 1:
            place[envelope] = alone
            alone += 1
    at = alone
    for envelope in range(_ENVELOPES):
        if times[envelope] > 1:
            sample.begin[groups] = place[envelope] = at
            at += times[envelope]
            groups += 1
    sample.begin[groups] = n
    sample.size[0], sample.size[1] = alone, groups
    sample.bits[0] = bits
    for deal in range(n):
        envelope = sample.envelope[deal]
        for card in range(N_CARDS):
            sample.steps[card, place[envelope]] = sample.drawn[deal, card]
        place[envelope] += 1


@jit
def _answer(steps: np.ndarray, suspect: int, weapon: int, room: int, deal: int) -> tuple[int, int]:
    """Return (3 x (steps to the first holder of a named card - 1), which of the three it holds).

    No player is `_NOBODY` steps away and holds all three: in thirds, an ordinary outcome.
    """
    a = np.int64(steps[suspect, deal])
    b = np.int64(steps[weapon, deal])
    c = np.int64(steps[room, deal])
    first = min(a, b, c)
    return 3 * (first - 1), (a == first) + 2 * (b == first) + 4 * (c == first)


@jit
def estimate(sample: Sample, suspect: int, weapon: int, room: int) -> float:
    """Return the expected drop of the envelope's joint entropy, estimated from the drawn deals.

    The cards are those of `closed_form`.  Allocates nothing and overwrites scratch of ``sample``.
    """
    steps, log, outcome, joint = sample.steps, sample.log, sample.outcome, sample.joint
    for o in range(_OUTCOMES):
        outcome[o] = 0
        joint[o] = 0
    # The conditional entropy reduces to sums of c log c over outcomes, and over outcomes and
    # envelopes: `within` is the latter.
    within = 0.0
    for deal in range(sample.size[0]):
        o, held = _answer(steps, suspect, weapon, room, deal)
        part = _PART[held]
        within += _ALONE[part]
        outcome[o] += part * (held & 1)
        outcome[o + 1] += part * (held >> 1 & 1)
        outcome[o + 2] += part * (held >> 2)
    for group in range(sample.size[1]):
        for deal in range(sample.begin[group], sample.begin[group + 1]):
            o, held = _answer(steps, suspect, weapon, room, deal)
            part = _PART[held]
            if part == _WHOLE:
                o += held >> 1
                within += log[joint[o] + part] - log[joint[o]]
                joint[o] += part
                continue
            for i in range(3):
                if held >> i & 1:
                    within += log[joint[o + i] + part] - log[joint[o + i]]
                    joint[o + i] += part
        for o in range(_OUTCOMES):
            outcome[o] += joint[o]
            joint[o] = 0
    apart = 0.0
    for o in range(_OUTCOMES):
        apart += log[outcome[o]]
    whole = len(log) - 1
    return max((log[whole] - sample.bits[0] - apart + within) / whole, 0.0)


def expected_reduction(
    ev: np.record, suspect: int, weapon: int, room: int, work: Workspace | None = None
) -> float:
    """Return the true expected drop of the envelope's joint entropy if the observer asks.

    Every possible answer is added to a copy of the evidence ``ev`` and solved for: a millisecond or
    more per suggestion, as a reference for the cheap estimates.  Raises ContradictoryEvidence,
    EvidenceFull as `ExactPosterior` does for ``ev``.
    """
    cards = 1 << suspect | 1 << weapon | 1 << room
    now = ExactPosterior(ev, work)
    before, marginals = now.log_weight, now.marginals
    bits = float(entropy(now.envelope_table().ravel()))

    def part(seen: np.record) -> float:
        """Return P(answer) x entropy after it."""
        try:
            after = ExactPosterior(seen, now.work)
        except ContradictoryEvidence:
            return 0.0
        chance = exp(after.log_weight - before)
        return chance * float(entropy(after.envelope_table().ravel()))

    records = new_evidence(2)
    silent, answered = records[0], records[1]
    records[0] = ev
    for step in range(1, ev.players):
        player = int(ev.seat + step) % int(ev.players)
        for card in (suspect, weapon, room):
            if marginals[card, player + 1] > 0.0:
                records[1] = silent
                note_card(answered, player, card, cards)
                bits -= part(answered)
        note_pass(silent, player, cards)
    return bits - part(silent)

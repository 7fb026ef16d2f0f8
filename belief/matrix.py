"""The factored belief of the thesis: one distribution per card [Ledford 2018, App. B; eq. 3.1].

A belief is a float64 array ``b[card, column]`` of shape (21, 7): column 0 is the envelope, column
p + 1 player p, columns beyond the players are 0.  Face-up cards have an all-zero row.  Rows are
independent: hand sizes and "one envelope card per category" are not enforced, and soft evidence is
multiplied in again each time it is seen.  That is the source's belief, kept with its faults: it
runs to false certainty.

A certain row (an entry exactly 1.0) is left unchanged, even if the answer contradicts it; rows are
renormalised by division, so that the only candidate left is exactly 1.0.  Where the source is
silent: a pass of the only candidate in a row, and a card shown by a player who certainly holds none
of the three, change nothing.  `exclude_envelopes` applies public wrong accusations when a matrix is
read, `note_not_envelope` to one that is kept.  Nothing here consumes randomness or allocates.
"""

from __future__ import annotations

from math import log2

import numpy as np

from belief.events import CARD, KIND, NAMED, NOT_ENVELOPE, PASSED, PLAYER, REFUTED_OTHER
from belief.evidence import CATEGORY_MASK, ENVELOPE, HOLDERS, N_CARDS, count, lowest
from mcts.kernel.compile import jit
from mcts.kernel.stack import floats

_FLOOR = 1e-9


@jit
def start(b: np.ndarray, players: int, seat: int, hand: int, face_up: int) -> None:
    """Fill ``b`` for the observer ``seat`` that knows the masks ``hand`` and ``face_up``.

    Unknown cards are spread evenly over the envelope and the other players: 30 bits for 4 players
    with 4 own and 2 face-up cards.
    """
    share = 1.0 / players
    for card in range(N_CARDS):
        for column in range(HOLDERS):
            b[card, column] = 0.0
        if hand >> card & 1:
            b[card, seat + 1] = 1.0
        elif not face_up >> card & 1:
            for column in range(players + 1):
                b[card, column] = share
            b[card, seat + 1] = 0.0


@jit
def _normalise(b: np.ndarray, card: int, total: float) -> None:
    """Divide the row by ``total`` > 0 (a division, so that x / x is exactly 1)."""
    for column in range(HOLDERS):
        b[card, column] /= total


@jit
def _row_sum(b: np.ndarray, card: int) -> float:
    total = 0.0
    for column in range(HOLDERS):
        total += b[card, column]
    return total


@jit
def note_pass(b: np.ndarray, player: int, cards: int) -> int:
    """Condition on ``player`` holding none of ``cards`` (mask): zero its entries, normalise.

    Return the mask of the cards whose rows changed.
    """
    changed = 0
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        entry = b[card, player + 1]
        if entry == 0.0 or entry == 1.0:
            continue
        b[card, player + 1] = 0.0
        total = _row_sum(b, card)
        if total > 0.0:
            _normalise(b, card, total)
            changed |= 1 << card
        else:
            b[card, player + 1] = entry
    return changed


@jit
def note_refutation(b: np.ndarray, player: int, cards: int, unknown: int) -> int:
    """Multiply in that ``player`` showed one of ``cards`` (mask) to another player [eq. 3.1].

    ``P(player) *= unknown / n`` for each of the n cards that it may hold (entry > 0), then the row
    is normalised.  ``unknown`` is the number of cards that the observer has not seen (its hand,
    face up, shown to it); with none the belief is unchanged.  Return the mask of the cards whose
    rows changed.
    """
    n = changed = 0
    rest = cards
    while rest:
        if b[lowest(rest), player + 1] > 0.0:
            n += 1
        rest &= rest - 1
    if n == 0 or unknown == 0:
        return changed
    factor = unknown / n
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        entry = b[card, player + 1]
        if entry == 0.0 or entry == 1.0:
            continue
        b[card, player + 1] = entry * factor
        _normalise(b, card, _row_sum(b, card))
        changed |= 1 << card
    return changed


@jit
def note_card(b: np.ndarray, player: int, card: int) -> None:
    """Make it certain that ``player`` holds ``card``."""
    for column in range(HOLDERS):
        b[card, column] = 0.0
    b[card, player + 1] = 1.0


@jit
def note_not_envelope(b: np.ndarray, cards: int) -> int:
    """Condition on the envelope not being ``cards`` (mask of one of each category).

    By Bayes, with cards independent: each entry of the envelope is multiplied by the probability
    that the two others are not both there, and its row is normalised.  If the three are all but
    certain, nothing changes.  Return the mask of the cards whose rows changed.
    """
    one, two = lowest(cards), lowest(cards & (cards - 1))
    three = lowest(cards & ~(1 << one | 1 << two))
    entries = b[one, ENVELOPE], b[two, ENVELOPE], b[three, ENVELOPE]
    if entries[0] * entries[1] * entries[2] > 1.0 - _FLOOR:
        return 0
    return (
        _lower_envelope(b, one, entries[1] * entries[2])
        | _lower_envelope(b, two, entries[0] * entries[2])
        | _lower_envelope(b, three, entries[0] * entries[1])
    )


@jit
def _lower_envelope(b: np.ndarray, card: int, others: float) -> int:
    """Do that to one row; the two others are there with probability ``others``."""
    entry = b[card, ENVELOPE]
    if entry == 0.0 or entry == 1.0 or others == 0.0:
        return 0
    b[card, ENVELOPE] = entry * (1.0 - others)
    _normalise(b, card, _row_sum(b, card))
    return 1 << card


@jit
def envelope_chance(matrix: np.ndarray, envelope: int) -> float:
    """Return the probability of the three cards ``envelope`` (mask), categories as independent."""
    chance = 1.0
    for category in CATEGORY_MASK:
        total, rest = 0.0, category
        while rest:
            total += matrix[lowest(rest), ENVELOPE]
            rest &= rest - 1
        if total <= 0.0:
            return 0.0
        chance *= matrix[lowest(envelope & category), ENVELOPE] / total
    return chance


@jit
def chance_of_any(matrix: np.ndarray, triples: np.ndarray, card: int) -> float:
    """Return the probability that one of ``triples`` is the envelope, categories as independent.

    ``triples`` are distinct masks, 0 for none; ``card``: only those that name it, -1 for all.
    """
    chance = 0.0
    for i in range(len(triples)):
        cards = np.int64(triples[i])
        counts = cards != 0 and (card < 0 or cards >> card & 1 == 1)
        for j in range(i):
            counts = counts and triples[j] != triples[i]
        if counts:
            chance += envelope_chance(matrix, cards)
    return chance


@jit
def exclude_envelopes(matrix: np.ndarray, triples: np.ndarray) -> None:
    """Condition ``matrix`` (21, 7) on the envelope being none of ``triples`` (masks, 0 for none).

    One envelope card of each category is assumed, with independent categories: an entry of the
    envelope loses the probability of the triples that name it, and all are divided by that of the
    rest; the other entries of a row are scaled.  If hardly any other envelope is left, nothing
    changes.  This is for a matrix that is read and not kept: the product of its columns is no
    longer the probability of an envelope, and a triple applied twice counts twice.
    """
    left = 1.0 - chance_of_any(matrix, triples, -1)
    if left == 1.0 or left < _FLOOR:
        return
    after = floats(1, N_CARDS)
    for inside in CATEGORY_MASK:
        total, rest = 0.0, inside
        while rest:
            total += matrix[lowest(rest), ENVELOPE]
            rest &= rest - 1
        rest = inside
        while rest:
            card = lowest(rest)
            rest &= rest - 1
            lost = total * chance_of_any(matrix, triples, card)
            after[0, card] = min(max((matrix[card, ENVELOPE] - lost) / left, 0.0), 1.0)
    for card in range(N_CARDS):
        before = matrix[card, ENVELOPE]
        if 0.0 < before < 1.0:
            for holder in range(HOLDERS):
                matrix[card, holder] *= (1.0 - after[0, card]) / (1.0 - before)
            matrix[card, ENVELOPE] = after[0, card]


@jit
def note_question(b: np.ndarray, player: int, cards: int, own_card_weight: float) -> None:
    """Multiply the entries of ``cards`` (mask), ``player``'s question, by ``own_card_weight``."""
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        entry = b[card, player + 1]
        if 0.0 < entry < 1.0:
            b[card, player + 1] = entry * own_card_weight
            _normalise(b, card, _row_sum(b, card))


@jit
def row_entropy(b: np.ndarray, card: int) -> float:
    """Return the entropy in bits of where ``card`` is."""
    bits = 0.0
    for column in range(HOLDERS):
        p = b[card, column]
        if 0.0 < p < 1.0:
            bits -= p * log2(p)
    return bits


@jit
def entropy(b: np.ndarray) -> float:
    """Return the entropy in bits of the whole matrix, with independent rows."""
    bits = 0.0
    for card in range(N_CARDS):
        bits += row_entropy(b, card)
    return bits


@jit
def never_certain(b: np.ndarray) -> bool:
    """Return whether no envelope can ever become certain under ``b``.

    Certain is an envelope whose three entries are exactly 1, one of each category.  An entry of 0
    stays 0, and a row that gives its card to one player with certainty, and to no other at all,
    stays so or gives it to another: so a category without other rows decides it.
    """
    for category in CATEGORY_MASK:
        rest = category
        while rest and not _may_be_certain(b, lowest(rest)):
            rest &= rest - 1
        if not rest:
            return True
    return False


@jit
def _may_be_certain(b: np.ndarray, card: int) -> bool:
    """Return whether an update may still make it certain that ``card`` is in the envelope."""
    if b[card, 0] == 0.0:
        return False
    certain = possible = 0
    for column in range(1, HOLDERS):
        possible += b[card, column] > 0.0
        certain += b[card, column] == 1.0
    return not (certain and possible == 1)


@jit
def take_in(b: np.ndarray, seen: int, seat: int, event: np.ndarray) -> int:
    """Apply one event (`belief.events`); return ``seen`` with the newly seen cards (mask).

    ``seen`` are the observer's hand, the face-up cards and those shown to it.
    """
    player = event[PLAYER]
    if player == seat or event[KIND] == NOT_ENVELOPE:
        return seen
    if event[KIND] == PASSED:
        note_pass(b, player, event[NAMED])
    elif event[KIND] == REFUTED_OTHER:
        note_refutation(b, player, event[NAMED], N_CARDS - count(seen))
    else:
        note_card(b, player, event[CARD])
        seen |= 1 << event[CARD]
    return seen

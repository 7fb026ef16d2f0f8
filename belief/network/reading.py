"""Reading of evidence tables: the envelope, marginals, and whole deals.

Tables can contradict themselves: then no assignment of different cards to the rows has any weight.
Every function returns the number of such categories.
"""

from __future__ import annotations

import numpy as np

from belief.evidence import ENVELOPE, HOLDERS, N_CARDS, N_CATEGORIES
from belief.network.permanents import Weights, draw_rows, fill_backward, hidden_card, row_marginals
from belief.network.tables import Tables, is_known
from mcts.kernel.compile import jit


@jit
def _uniform_hidden(t: Tables, kind: int, hidden: np.ndarray) -> None:
    columns, possible = t.columns[kind], 0
    for column in range(columns):
        hidden[column] = 0.0 if is_known(t, kind, column) else 1.0
        possible += not is_known(t, kind, column)
    for column in range(columns):
        hidden[column] = hidden[column] / possible if possible else 1.0 / columns


@jit
def envelope_chances(t: Tables, weights: Weights, out: np.ndarray) -> int:
    """Fill ``out``, float64 (21,), with P(card is in the envelope), each category summing to 1.

    Returns the number of categories whose tables contradict themselves: these are uniform over the
    values that no row is certain of.
    """
    failed = 0
    for card in range(N_CARDS):
        out[card] = 0.0
    for kind in range(N_CATEGORIES):
        if not hidden_card(t.entry[kind], t.columns[kind], weights):
            failed += 1
            _uniform_hidden(t, kind, weights.hidden)
        for column in range(t.columns[kind]):
            out[t.card[kind, column]] = weights.hidden[column]
    return failed


@jit
def marginals(t: Tables, weights: Weights, hand: int, out: np.ndarray) -> int:
    """Fill ``out``, float64 (21, 7), with P(card is with holder); returns as `envelope_chances`.

    ``hand`` is the observer's (mask); rows of face-up cards are 0.  Where tables contradict
    themselves, a card's mass outside the envelope is shared in proportion to its entries, or evenly
    over the rows if it has none.
    """
    failed = 0
    for card in range(N_CARDS):
        for holder in range(HOLDERS):
            out[card, holder] = 0.0
        if hand >> card & 1:
            out[card, t.seat + 1] = 1.0
    for kind in range(N_CATEGORIES):
        columns, entry = t.columns[kind], t.entry[kind]
        good = row_marginals(entry, columns, weights)
        if not good:
            failed += 1
            _uniform_hidden(t, kind, weights.hidden)
        for column in range(columns):
            into = out[t.card[kind, column]]
            into[ENVELOPE] = weights.hidden[column]
            total = 0.0
            for row in range(columns - 1):
                total += entry[row, column]
            for row in range(columns - 1):
                holder = t.owner[kind, row] + 1
                if good:
                    into[holder] += weights.rows[row, column]
                else:
                    part = entry[row, column] / total if total > 0.0 else 1.0 / (columns - 1)
                    into[holder] += (1.0 - weights.hidden[column]) * part
    return failed


@jit
def draw_deal(t: Tables, weights: Weights, stream: np.ndarray, out: np.ndarray) -> None:
    """Write the holders of the cards in the tables into ``out``, int64 (21,); others are kept.

    The rows are drawn by their beliefs, given that no two cards are the same; uniformly where they
    contradict themselves.  Consumes one draw per row.
    """
    for kind in range(N_CATEGORIES):
        columns, entry = t.columns[kind], t.entry[kind]
        if not fill_backward(entry, columns, weights):
            entry = weights.rows
            for row in range(columns - 1):
                for column in range(columns):
                    entry[row, column] = 1.0
            fill_backward(entry, columns, weights)
        hidden = draw_rows(entry, columns, weights, stream)
        for row in range(columns - 1):
            out[t.card[kind, weights.drawn[row]]] = t.owner[kind, row] + 1
        out[t.card[kind, hidden]] = ENVELOPE

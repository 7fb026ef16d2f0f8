"""Evidence tables as a `Belief`: the network of [Cai & Ferrari 2006].

Three beliefs: ``tables_text`` updates as printed in [Ferrari & Cai 2009, App. V] and
``tables_text2006`` as in [Cai & Ferrari 2006, s. III-C]; both run to false certainty, which
``tables_repaired`` repairs (`belief.network.tables` lists how).  They need public shares.  None
detects contradictions: tables that contradict themselves are counted, and read as if only the
certain cards were known.  Tables of rows cannot hold an excluded triple: it is zero in the envelope
table, and ignored by the marginals and the deals.  Updates consume no randomness; `sample` consumes
its stream.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from belief.beliefs.base import Belief, Setting, product_table
from belief.evidence import ALL_CARDS, ENVELOPE, HOLDERS, N_CARDS, N_CATEGORIES
from belief.network.permanents import (
    Weights,
    draw_rows,
    fill_backward,
    hidden_card,
    new_weights,
    row_marginals,
)
from belief.network.tables import TREATMENTS, Tables, is_known, new_tables, start, take_in
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


@jit
def _observe(tables: np.ndarray, events: np.ndarray) -> None:
    for i in range(len(events)):
        take_in(tables[0], events[i])


@jit
def _read(tables: np.ndarray, weights: Weights, out: np.ndarray) -> int:
    return envelope_chances(tables[0], weights, out)


@jit
def _sample(t: Tables, weights: Weights, stream: np.ndarray, deals: np.ndarray) -> None:
    """Draw a deal into every row of ``deals``, which already hold the cards outside the tables."""
    for i in range(len(deals)):
        draw_deal(t, weights, stream, deals[i])


class TablesBelief(Belief):
    """Evidence tables, updated by one of `TREATMENTS`."""

    logical = False
    needs_shares = True
    treatment: ClassVar[str]

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        tables = new_tables()
        # A plain array, which Python passes to kernels faster than a record.
        self.tables, self._tables = tables[0], tables.view(np.ndarray)
        self.contradictions = 0
        self._weights = new_weights()
        dealt = ALL_CARDS & ~(setting.hand | setting.face_up)
        shares = np.array(setting.shares, np.int64)
        how = TREATMENTS.index(self.treatment)
        start(self.tables, setting.players, setting.seat, shares, dealt, how)

    def _observe(self, events: np.ndarray) -> None:
        _observe(self._tables, events)

    def marginals(self) -> np.ndarray:
        matrix = np.zeros((N_CARDS, HOLDERS))
        self.contradictions += marginals(self.tables, self._weights, self.setting.hand, matrix)
        return matrix

    def envelope_chances(self) -> np.ndarray:
        chances = np.zeros(N_CARDS)
        self.contradictions += _read(self._tables, self._weights, chances)
        return chances

    def envelope_table(self) -> np.ndarray:
        return product_table(self.marginals(), ALL_CARDS, self._list_excluded())

    def sample(self, stream: np.ndarray, n: int) -> np.ndarray:
        deals = np.full((n, N_CARDS), -1, np.int64)
        deals[:, [bool(self.setting.hand >> card & 1) for card in range(N_CARDS)]] = (
            self.setting.seat + 1
        )
        _sample(self.tables, self._weights, stream, deals)
        return deals


class TextTables(TablesBelief):
    """Evidence tables as printed in 2009."""

    name = "tables_text"
    treatment = "text"


class TextTables2006(TablesBelief):
    """Evidence tables as printed in 2006."""

    name = "tables_text2006"
    treatment = "text2006"


class RepairedTables(TablesBelief):
    """Evidence tables without the faults of the print."""

    name = "tables_repaired"
    treatment = "repaired"

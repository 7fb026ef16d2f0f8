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
from belief.evidence import ALL_CARDS, HOLDERS, N_CARDS
from belief.network.permanents import Weights, new_weights
from belief.network.reading import draw_deal, envelope_chances, marginals
from belief.network.tables import TREATMENTS, Tables, new_tables, start, take_in
from mcts.kernel.compile import jit


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

"""Belief by logic alone: every open card is equally likely with each of its possible holders.

A holder is possible unless `belief.closure` has excluded it.  Nothing is counted: neither the open
places of a hand nor the weight of a card shown has any effect.  The envelope table assumes
independent categories, except for excluded triples: these are zero, and the marginals follow.
Updates consume no randomness; `sample` consumes its stream.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from belief.beliefs.base import Belief, Setting, product_table
from belief.closure import new_known, update_closure
from belief.events import record
from belief.evidence import ENVELOPE, HOLDERS, N_CARDS, ContradictoryEvidence, check
from belief.matrix import exclude_envelopes
from belief.sampling.sample_rows import new_memory, sample_deals
from mcts.kernel.compile import jit


@jit
def even(known: np.record, players: int, out: np.ndarray) -> None:
    """Fill ``out`` (21, 7) with rows uniform over the holders that ``known`` leaves possible."""
    for card in range(N_CARDS):
        holders = 0
        for holder in range(HOLDERS):
            possible = holder <= players and known.may[holder] >> card & 1
            out[card, holder] = 1.0 if possible else 0.0
            holders += possible
        if holders > 1:
            for holder in range(players + 1):
                out[card, holder] /= holders


class SettledBelief(Belief):
    """A belief that also keeps the evidence and its logical consequences."""

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        records = setting.records()
        self.evidence, self._records = records[0], records.view(np.ndarray)
        self.known = new_known()[0]
        self._settle(update_closure(self.evidence, self.known))

    def _settle(self, consistent: bool) -> None:
        check(self.evidence)
        if not consistent:
            raise ContradictoryEvidence("no deal is consistent with the recorded answers")

    @abstractmethod
    def _rows(self) -> np.ndarray:
        """Return the matrix (21, 7) of independent rows, ignoring excluded envelopes."""

    def marginals(self) -> np.ndarray:
        matrix = self._rows()
        exclude_envelopes(matrix, self._list_excluded())
        return matrix

    def envelope_table(self) -> np.ndarray:
        return product_table(self._rows(), int(self.known.may[ENVELOPE]), self._list_excluded())

    def sample(self, stream: np.ndarray, n: int) -> np.ndarray:
        deals = np.zeros((n, N_CARDS), np.int64)
        sample_deals(self._rows(), self.evidence, self.known, new_memory(), stream, deals)
        return deals


class ClosureBelief(SettledBelief):
    """Logical consequences, and uniform rows otherwise."""

    name = "closure"

    def _observe(self, events: np.ndarray) -> None:
        record(self._records, events)
        self._settle(update_closure(self.evidence, self.known))

    def _rows(self) -> np.ndarray:
        matrix = np.zeros((N_CARDS, HOLDERS))
        even(self.known, self.setting.players, matrix)
        return matrix

"""The factored belief of the thesis as a `Belief`, unchanged.

The matrix is `belief.matrix`, with its faults: it never detects contradictions and runs to false
certainty.  It has no joint distributions, so two are derived: the envelope table is the product of
the three normalised envelope columns; deals are filled row by row (`belief.sampling.sample_rows`),
with the right hand sizes and no other evidence than the matrix -- where it is falsely certain, a
deal can contradict the answers.  The source keeps wrong accusations secret; a public one changes
the readings, not the matrix.  Updates consume no randomness; `sample` consumes its stream.
"""

from __future__ import annotations

import numpy as np

from belief.beliefs.base import Belief, Setting, product_table
from belief.closure import new_known, update_closure
from belief.evidence import ALL_CARDS, HOLDERS, N_CARDS, note_not_envelope
from belief.matrix import exclude_envelopes, start, take_in
from belief.sampling.sample_rows import new_memory, sample_deals
from mcts.kernel.compile import jit


@jit
def _observe(b: np.ndarray, seen: int, seat: int, events: np.ndarray) -> int:
    for i in range(len(events)):
        seen = take_in(b, seen, seat, events[i])
    return seen


class FactoredBelief(Belief):
    """The published belief: independent rows, updated by formula [Ledford 2018, App. B]."""

    name = "factored"
    logical = False

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.matrix = np.zeros((N_CARDS, HOLDERS))
        start(self.matrix, setting.players, setting.seat, setting.hand, setting.face_up)
        self._seen = setting.hand | setting.face_up

    def _observe(self, events: np.ndarray) -> None:
        self._seen = int(_observe(self.matrix, self._seen, self.setting.seat, events))

    def marginals(self) -> np.ndarray:
        matrix = self.matrix.copy()
        exclude_envelopes(matrix, self._list_excluded())
        return matrix

    def envelope_table(self) -> np.ndarray:
        return product_table(self.matrix, ALL_CARDS & ~self._seen, self._list_excluded())

    def sample(self, stream: np.ndarray, n: int) -> np.ndarray:
        deals = np.zeros((n, N_CARDS), np.int64)
        ev, known = self.setting.records()[0], new_known()[0]
        for triple in self._list_excluded():
            note_not_envelope(ev, triple)
        update_closure(ev, known)
        sample_deals(self.matrix, ev, known, new_memory(), stream, deals)
        return deals

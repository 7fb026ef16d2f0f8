"""The seat of a planner that departs from the text: what it hands to the search, and no more."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from belief.evidence import CATEGORY_START
from mcts.kernel.rng import below
from sim.cards import N_CARDS
from sim.planning.planner import Planner
from sim.planning.released.domain import Released, make_position

ENVELOPE, ELSEWHERE = 0, -1
"""Where a card is in a deal that says of the envelope alone."""


class ReleasedPlanner(Planner):
    """A planner that searches `Released`: with ``config.departures`` from the text."""

    departs = True

    def position(self, view: np.recarray) -> Released:
        """Return the position to search, from what this seat has seen alone."""
        return make_position(super().position(view), self.config.departures.mask)

    def marginals(self) -> np.ndarray:
        """Return P(card is with holder) by its notebook at the last decision, (21, 7)."""
        return self._notebook.copy()

    def _root(self, view: np.recarray) -> np.recarray:
        """Return the state to search from, and remember what its seat believes."""
        root = super()._root(view)
        self._notebook = root[0].belief[self._seat]
        return root

    def _deals(self, stream: np.ndarray) -> np.ndarray:
        """Return the envelopes that LD-BMCTS draws from, as deals; BMCTS draws none."""
        if self.config.departures.even_envelope:
            return even_envelope(self._notebook, stream)
        if self.config.how.determinize_envelope:
            return super()._deals(stream)
        return np.zeros((0, N_CARDS), np.int64)

    def _only_offer(self, position: Released) -> int | None:
        """Return the action that needs no search, if there is one."""
        return super()._only_offer(position.planned)


def even_envelope(notebook: np.ndarray, stream: np.ndarray) -> np.ndarray:
    """Return one deal, int64 (1, 21), with an envelope of cards each uniform among those possible.

    Possible is what ``notebook`` (21, 7) gives any probability; where it is sure of a category that
    none is, none of that category is drawn.  One draw from ``stream`` a category.
    """
    deal = np.full((1, N_CARDS), ELSEWHERE)
    for first, end in pairwise(CATEGORY_START):
        possible = first + np.flatnonzero(notebook[first:end, 0] > 0.0)
        if len(possible):
            deal[0, possible[below(stream, len(possible))]] = ENVELOPE
    return deal

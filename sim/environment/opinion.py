"""Exact posteriors of the seats for the environment, solved after new events.

Their only inputs are the seat's view and log.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from belief.exact.solver import ExactPosterior
from belief.exact.workspace import FIRST_STATES, workspace
from mcts.kernel.compile import jit
from mcts.kernel.fixed import FixedTypes
from sim.cards import FIRST_ROOM, FIRST_WEAPON
from sim.state import ACCUSE, EVIDENCE, REVEAL
from sim.view import replay_evidence

_ROUNDING = 1e-9


class Opinion(NamedTuple):
    """Belief of a seat after ``suggestions`` events."""

    suggestions: int
    marginals: np.ndarray
    """P(card is with holder), (21, 7): column 0 the envelope, p + 1 player p."""
    accusations: list[int]
    """Accusations of sufficiently probable envelopes, likeliest first."""


class Opinions:
    """Opinions of all seats of one game.

    ``worlds``: rules and board, a plain array of one; ``accuse_from``: minimum probability of
    listed envelopes, above 0; 1: only proved ones.
    """

    def __init__(self, worlds: np.ndarray, accuse_from: float) -> None:
        self._worlds, self._floor = worlds, accuse_from - _ROUNDING
        self._most = int(min(1.0 / accuse_from + _ROUNDING, REVEAL - ACCUSE))
        self._work = workspace(FIRST_STATES)
        self._known: dict[int, Opinion] = {}

    def forget(self) -> None:
        """Forget all opinions, for a new game."""
        self._known.clear()

    def of(self, seat: int, views: np.ndarray, events: np.ndarray) -> Opinion:
        """Return the opinion of ``seat`` with the view ``views[0]`` and the events ``events``.

        Overwrites the blank knowledge fields of the view.
        """
        known = self._known.get(seat)
        if known is None or known.suggestions != len(events):
            _GATHER.call(self._worlds, views, events, seat)
            posterior = ExactPosterior(views[0].evidence[seat], self._work)
            self._work = posterior.work
            likely = posterior.likely_envelopes(self._most, self._floor)
            accusations = [_action(*cards) for cards, _ in likely]
            known = Opinion(len(events), posterior.marginals, accusations)
            self._known[seat] = known
        return known


def _action(suspect: int, weapon: int, room: int) -> int:
    """Return the accusation of three cards."""
    return ACCUSE + 9 * (6 * suspect + weapon - FIRST_WEAPON) + room - FIRST_ROOM


@jit
def _gather(worlds: np.ndarray, views: np.ndarray, events: np.ndarray, seat: int) -> None:
    """Fill the evidence of ``seat`` into its view ``views[0]``."""
    views[0].tracks[seat] = EVIDENCE
    replay_evidence(worlds[0], views[0], seat, events)


_GATHER = FixedTypes(_gather)

"""Certainties of each seat: exact posteriors for the environment, solved where news came.

An opinion is made from what the seat saw, its view and its log, and from nothing else.
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
    """Belief of a seat after so many suggestions."""

    suggestions: int
    marginals: np.ndarray
    """P(card is with holder), (21, 7): column 0 the envelope, p + 1 player p."""
    accusations: list[int]
    """Actions: envelopes at least as probable as was asked for, likeliest first."""


class Opinions:
    """The opinions of all seats of one game.

    ``worlds``: the rules and the board, as a plain array of one; ``accuse_from``: probability above
    0 from which on an envelope is listed; 1: proved.
    """

    def __init__(self, worlds: np.ndarray, accuse_from: float) -> None:
        self._worlds, self._floor = worlds, accuse_from - _ROUNDING
        self._most = int(min(1.0 / accuse_from + _ROUNDING, REVEAL - ACCUSE))
        self._work = workspace(FIRST_STATES)
        self._known: dict[int, Opinion] = {}

    def forget(self) -> None:
        """Begin a new game."""
        self._known.clear()

    def of(self, seat: int, views: np.ndarray, events: np.ndarray) -> Opinion:
        """Return the opinion of ``seat``, which sees ``views[0]`` and saw the events ``events``.

        What a seat knows is written into the view, which is blank there.
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
    """Fill the evidence of ``seat`` in its view ``views[0]``."""
    views[0].tracks[seat] = EVIDENCE
    replay_evidence(worlds[0], views[0], seat, events)


_GATHER = FixedTypes(_gather)

"""The Bayesian-network player [Cai & Ferrari 2006, s. IV-B].

It believes what its evidence tables say (`belief.network`), or the exact posterior.  It walks to
the nearest room that may still be the envelope's, and stays with one that reaches the threshold;
names the likeliest suspect and weapon that are still open, else cards of its own; and accuses when
all three maxima reach the threshold.  What the paper leaves open is listed in `docs/players/bn.md`.
Nothing here consumes randomness.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sim.players.moves import decide
from sim.players.names import AGAIN
from sim.players.paper import Opinion, PaperPlayer, fitting
from sim.rules import Rules, world


class BayesPlayer(PaperPlayer):
    """The Bayesian-network player in a seat.

    Parameters
    ----------
    evidence : one of `sim.players.names.EVIDENCE`
    again : one of `sim.players.names.AGAIN`
    threshold : probability from which on a card counts as known

    Attributes
    ----------
    opinion : what it believes in the game under way
    """

    def __init__(
        self, evidence: str, again: str = "other", threshold: float = 0.9, name: str = "bn"
    ) -> None:
        super().__init__(name)
        self.evidence, self.threshold = evidence, float(threshold)
        self._again = AGAIN.index(again)

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self.opinion = Opinion(self.evidence, rules, seat, self.hand, self.face_up)
        self._worlds = world(rules).view(np.ndarray)

    def decide(self, view: np.recarray) -> int:
        chances, views = self.opinion.update(self.log), view.view(np.ndarray)
        return decide(self._worlds, views, self.seat, chances, self.threshold, self._again)


def make(spec: Mapping[str, Any], rules: Rules) -> BayesPlayer:
    """Return the player that ``spec``, the values of ``conf/player/bn.yaml``, describes.

    Raises
    ------
    ValueError
        As `sim.players.paper.fitting`.
    """
    label = spec.get("label") or spec["name"]
    player = BayesPlayer(fitting(spec, rules), spec["again"], spec["threshold"], label)
    player.showing = spec["showing"]
    return player

"""The Bayesian-network player [Cai & Ferrari 2006, s. IV-B].

It believes what its evidence tables say (`belief.network`), or the exact posterior.  It walks to
the nearest room that may still be the envelope's, and stays with one that reaches the threshold;
names the likeliest suspect and weapon that are still open, else cards of its own; and accuses when
all three maxima reach the threshold.  What the paper leaves open is listed in `docs/players/bn.md`.
Nothing here consumes randomness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcts.limits import above, one_of
from sim.players.moves import decide
from sim.players.paper import Believing, Opinion, PaperPlayer
from sim.rules import Rules, world

AGAIN = ("other", "same")
"""Where the next suggestion after that in a room is made: in the nearest other room that the player
wants to enter, or in the same one, by stepping out and in again."""


class BayesPlayer(PaperPlayer):
    """The Bayesian-network player in a seat.

    Parameters
    ----------
    evidence : one of `sim.players.paper.EVIDENCE`
    again : one of `AGAIN`
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


@dataclass(kw_only=True)
class Settings(Believing):
    """Settings of the player, as in ``conf/player/bn.yaml``."""

    name: str = one_of("bn", default="bn")
    again: str = one_of(*AGAIN, default="other")
    threshold: float = above(0, 1, default=0.9)

    def make(self, rules: Rules) -> BayesPlayer:
        """Return the player; ValueError as `Believing.check_hands`."""
        self.check_hands(rules)
        player = BayesPlayer(self.evidence, self.again, self.threshold, self.title)
        player.showing = self.showing
        return player

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

from mcts.limits import one_of
from sim.players.moves import decide
from sim.players.paper import Believing, BelievingPlayer
from sim.rules import Rules, world

AGAIN = ("other", "same")
"""Where the next suggestion after that in a room is made: in the nearest other room that the player
wants to enter, or in the same one, by stepping out and in again."""


@dataclass(kw_only=True)
class Settings(Believing):
    """Settings of the player, as in ``conf/player/bn.yaml``."""

    name: str = one_of("bn", default="bn")
    again: str = one_of(*AGAIN, default="other")

    def make(self, rules: Rules) -> BayesPlayer:
        """Return the player; ValueError as `Believing.check_hands`."""
        self.check_hands(rules)
        return BayesPlayer(**vars(self))


class BayesPlayer(BelievingPlayer):
    """The Bayesian-network player in a seat."""

    settings_class = Settings

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self._worlds = world(rules).view(np.ndarray)
        self._again = AGAIN.index(self.settings.again)

    def decide(self, view: np.recarray) -> int:
        chances, views = self.opinion.update(self.log), view.view(np.ndarray)
        return decide(self._worlds, views, self.seat, chances, self.threshold, self._again)

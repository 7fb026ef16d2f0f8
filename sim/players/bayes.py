"""The Bayesian-network player [Cai & Ferrari 2006, s. IV-B].

Its belief is given by evidence tables (`belief.network`) or the exact posterior.  It walks to the
nearest possible room, and keeps one that reaches the threshold; names the likeliest open suspect
and weapon, else own cards; and accuses when all three maxima reach the threshold.
`docs/players/bn.md` lists what the paper leaves open.  It consumes no randomness.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mcts.limits import one_of
from sim.players.moves import decide
from sim.players.paper import Believing, BelievingPlayer
from sim.rules import Rules, world

AGAIN = ("other", "same")
"""Place of the next suggestion: the nearest other wanted room, or the same room, by stepping out
and in again."""


@dataclass(kw_only=True)
class Settings(Believing):
    """Settings of the player, as in ``conf/player/bn.yaml``."""

    name: str = one_of("bn", default="bn")
    again: str = one_of(*AGAIN, default="other")

    def make(self, rules: Rules) -> BayesPlayer:
        """Return the player; ValueError like `Believing.check_hands`."""
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

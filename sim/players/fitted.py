"""The player that learnt from games where to walk: the modern form of `sim.players.neural`.

It goes to the room whose Q is greatest, where Q is the chance of winning that was fitted to whole
games (`experiments.qlearning`, ``learn=games``) at what the seat observes (`sim.qlearning.turns`).
Distances and visits are among the inputs, so that no weight is left to choose.  Suspect, weapon and
accusation are by `sim.players.room_choice`, as in the games that it learnt from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sim.env.observation import LAYOUT, Notes
from sim.players.paper import fitting
from sim.players.room_choice import RoomPlayer
from sim.qlearning.network import Network, load
from sim.qlearning.turns import features
from sim.rules import Rules


class ObservingPlayer(RoomPlayer):
    """One that can say what a network is told at the start of its turn.

    Parameters
    ----------
    evidence : one of `sim.players.names.EVIDENCE`
    threshold : probability from which on a card counts as known
    """

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self._notes = Notes(rules, seat)

    def see(self, event: tuple[int, int, int, int]) -> None:
        super().see(event)
        self._notes.note(event)

    def decide(self, view: np.recarray) -> int:
        self._view = view
        return super().decide(view)

    def inputs(self) -> np.ndarray:
        """Return what is known of going to each room (9, inputs), at the start of a turn."""
        seen = self._notes.observation(self._view).view(LAYOUT)[0]
        return features(seen, self.opinion.chances, self.world)


class FittedPlayer(ObservingPlayer):
    """The player; see the module.

    Parameters
    ----------
    evidence, threshold : as `ObservingPlayer`
    network : the weights, or their path; None for those of the project

    Raises
    ------
    ValueError
        If there is no such network, in one sentence.
    """

    def __init__(
        self,
        evidence: str,
        network: Network | str | None = None,
        threshold: float = 0.9,
        name: str = "fitted",
    ) -> None:
        super().__init__(evidence, threshold, name)
        self.network = network if isinstance(network, Network) else load(network, "games")

    def gains(self, s: np.record) -> np.ndarray:
        """Return the chance of winning by going to each room (9,)."""
        return self.network(self.inputs())


def make(spec: Mapping[str, Any], rules: Rules) -> FittedPlayer:
    """Return the player that ``spec``, the values of ``conf/player/fitted.yaml``, describes.

    Raises
    ------
    ValueError
        As `FittedPlayer` and `sim.players.paper.fitting`.
    """
    label = spec.get("label") or spec["name"]
    player = FittedPlayer(fitting(spec, rules), spec["network"], spec["threshold"], label)
    player.showing = spec["showing"]
    return player

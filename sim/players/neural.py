"""The neural player of [Cai & Ferrari 2008]: the room of most learnt value less what it costs.

It walks to

    arg max over rooms a of  Q(X, a) - W_d D(q, a) - W_n N(a)                     (eqs. 10, 11)

where X is the posterior of the room card, Q what was learnt (`sim.qlearning`), D the least
Manhattan distance from the pawn to a door of the room, and N how often it has suggested there.
Suspect, weapon and accusation are those of the Bayesian-network player (`sim.players.room_choice`).

Q is at most 1 and a step costs 0.5, so that with the printed weights the distance decides nearly
alone; ``q=zero``, which knows nothing of rooms, is the control to stand beside every result.
``distance_divisor`` brings D down: by 24, the width of the board, it is about 1.

Not said in the paper, and taken so: a room at the other end of a secret passage is at distance 0;
the room where the pawn stands is at distance 0 if it was summoned there, and else 2, a step out and
one in.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from sim.board import N_ROOMS, N_SPOTS, door_spots, graph
from sim.players.paper import fitting
from sim.players.room_choice import RoomPlayer, visits
from sim.qlearning.functions import function
from sim.rules import Rules

OUT_AND_IN = 2
"""Steps to enter again the room where the pawn stands."""


class NeuralPlayer(RoomPlayer):
    """The player; see the module.

    Parameters
    ----------
    evidence : one of `sim.players.names.EVIDENCE`
    q : one of `sim.players.names.WORTH`
    network : path of the weights, None for those of the project
    threshold : probability from which on a card counts as known
    distance_weight, visit_weight : W_d and W_n, from 0 on
    distance_divisor : D is divided by it, above 0

    Raises
    ------
    ValueError
        On an impossible value, in one sentence.
    """

    def __init__(
        self,
        evidence: str,
        q: str = "network",
        network: str | None = None,
        threshold: float = 0.9,
        distance_weight: float = 0.5,
        distance_divisor: float = 1.0,
        visit_weight: float = 1.5,
        name: str = "neural",
    ) -> None:
        super().__init__(evidence, threshold, name)
        for key, weight in (("distance_weight", distance_weight), ("visit_weight", visit_weight)):
            if not 0 <= weight < np.inf:
                raise ValueError(f"{key} must be at least 0, got {weight}")
        if not 0 < distance_divisor < np.inf:
            raise ValueError(f"distance_divisor must be above 0, got {distance_divisor}")
        self.worth = function(q, network)
        self._of_distance, self._of_visit = distance_weight / distance_divisor, visit_weight

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self._far = distances(rules.doors == "any")

    def gains(self, s: np.record) -> np.ndarray:
        """Return Q less the costs (9,)."""
        spot = int(s.spot[self.seat])
        here = int(self.world.room_of[spot])
        far = self._far[:, spot].copy()
        if here >= 0:
            far[here] = 0 if s.summoned[self.seat] else OUT_AND_IN
            if self.world.passage[here] >= 0:
                far[self.world.passage[here]] = 0
        cost = self._of_distance * far + self._of_visit * visits(self.log.events, self.seat)
        return self.worth(self.rooms) - cost


@cache
def distances(any_door: bool) -> np.ndarray:
    """Return the least Manhattan distance (9, spots) to be inside a door of each room, in squares.

    From a room by the nearest of its doors if it may be left by ``any_door``, else by the one where
    the pawn stands.
    """
    places = np.array([graph().nodes[spot]["xy"] for spot in range(N_SPOTS)])
    far = np.empty((N_ROOMS, N_SPOTS))
    for room in range(N_ROOMS):
        doors = places[door_spots(room)]
        far[room] = np.abs(places[:, None] - doors).sum(axis=2).min(axis=1)
        far[room, door_spots(room)] = 0
    for room in range(N_ROOMS) if any_door else ():
        far[:, door_spots(room)] = far[:, door_spots(room)].min(axis=1, keepdims=True)
    return far


def make(spec: Mapping[str, Any], rules: Rules) -> NeuralPlayer:
    """Return the player that ``spec``, the values of ``conf/player/neural.yaml``, describes.

    Raises
    ------
    ValueError
        As `NeuralPlayer` and `sim.players.paper.fitting`.
    """
    switches = {key: value for key, value in spec.items() if key not in _OF_ALL}
    player = NeuralPlayer(fitting(spec, rules), **switches, name=spec.get("label") or spec["name"])
    player.showing = spec["showing"]
    return player


_OF_ALL = ("name", "label", "showing", "evidence")
"""Keys that are no switches of this player alone."""

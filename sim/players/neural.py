"""The neural player of [Cai & Ferrari 2008]: the room of most learnt value less what it costs.

It walks to

    arg max over rooms a of  Q(X, a) - W_d D(q, a) - W_n N(a)                     (eqs. 10, 11)

where X is the posterior of the room card, Q what was learnt (`sim.qlearning`), D the least
Manhattan distance from the pawn to a door of the room, and N how often it has suggested there.
Suspect, weapon and accusation are those of the Bayesian-network player (`sim.players.suspicion`).

Q is at most 1 and a step costs 0.5, so that with the printed weights the distance decides nearly
alone; ``q=zero``, which knows nothing of rooms, is the control to stand beside every result.
``distance_divisor`` brings D down: by 24, the width of the board, it is about 1.

Not said in the paper, and taken so: a room at the other end of a secret passage is at distance 0;
the room where the pawn stands is at distance 0 if it was summoned there, and else 2, a step out and
one in, where the rules let it stop in the corridor (it is no choice where they do not).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from sim.board import N_ROOMS, N_SPOTS, door_spots, graph
from sim.cards import FIRST_ROOM
from sim.players.suspicion import Suspicious
from sim.qlearning.functions import function
from sim.rules import Rules
from sim.state import MOVE, PASSAGE, WALK

OUT_AND_IN = 2
"""Steps to enter again the room where the pawn stands."""


class NeuralPlayer(Suspicious):
    """The player; see the module.

    Parameters
    ----------
    q : one of `sim.qlearning.functions.FUNCTIONS`
    network : path of the weights, None for those of the project
    evidence, threshold, showing : as `sim.players.suspicion.Suspicious`
    distance_weight, visit_weight : W_d and W_n, from 0 on
    distance_divisor : D is divided by it, above 0

    Raises
    ------
    ValueError
        On an impossible value, in one sentence.
    """

    def __init__(
        self,
        q: str = "network",
        network: str | None = None,
        evidence: str = "repaired",
        threshold: float = 0.9,
        distance_weight: float = 0.5,
        distance_divisor: float = 1.0,
        visit_weight: float = 1.5,
        showing: str = "random",
        name: str = "neural",
    ) -> None:
        super().__init__(name, evidence, threshold, showing)
        for key, weight in (("distance_weight", distance_weight), ("visit_weight", visit_weight)):
            if not 0 <= weight < np.inf:
                raise ValueError(f"{key} must be at least 0, got {weight}")
        if not 0 < distance_divisor < np.inf:
            raise ValueError(f"distance_divisor must be above 0, got {distance_divisor}")
        self.worth = function(q, network)
        self._of_distance, self._of_visit = distance_weight / distance_divisor, visit_weight

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        """Take ``seat`` in a new game."""
        super().begin(rules, seat, view, key)
        self._visits = np.zeros(N_ROOMS)
        self._far = distances(rules.doors == "any")

    def see(self, event: tuple[int, int, int, int]) -> None:
        """Take in a suggestion with its answer; count an own one as a visit."""
        super().see(event)
        asker, cards, _, _ = event
        if asker == self._seat:
            self._visits[(cards >> FIRST_ROOM).bit_length() - 1] += 1

    def walk(self, s: np.record) -> int:
        """Return the step towards the best room, or the suggestion if the pawn is there."""
        spot = int(s.spot[self._seat])
        here = int(self._world.room_of[spot])
        passage = int(self._world.passage[here]) if here >= 0 else -1
        summoned = bool(s.summoned[self._seat])
        far = self._far[:, spot].copy()
        if passage >= 0:
            far[passage] = 0
        leaving = -1
        if here >= 0 and not summoned:
            far[here] = OUT_AND_IN
            leaving = self._way_out(s, here)
        gain = self.worth(self.rooms) - self._of_distance * far - self._of_visit * self._visits
        if here >= 0 and not summoned and leaving < 0:
            gain[here] = -np.inf
        best = int(gain.argmax())
        if best == here:
            return self.suggestion() if summoned else leaving
        return PASSAGE if best == passage else MOVE + best

    def _way_out(self, s: np.record, here: int) -> int:
        """Return the step to a square before a door of the room, -1 if there is none."""
        fronts = {WALK + spot for door in door_spots(here) for spot in graph()[door]}
        return next((action for action in self.legal(s) if action in fronts), -1)


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
    """Return the player that ``spec``, a section of the configuration, describes.

    Raises
    ------
    ValueError
        As `NeuralPlayer`, or if it does not fit ``rules``, in one sentence.
    """
    switches = {key: value for key, value in spec.items() if key not in ("name", "label")}
    player = NeuralPlayer(**switches, name=spec.get("label") or spec["name"])
    player.check(rules)
    return player

"""The neural player of [Cai & Ferrari 2008]: the room with the highest learnt value less costs.

It walks to

    arg max over rooms a of  Q(X, a) - W_d D(q, a) - W_n N(a)                     (eqs. 10, 11)

where X is the posterior of the room card, Q the learnt value (`sim.qlearning`), D the minimum
Manhattan distance from the pawn to a door of the room, and N the number of its suggestions there.
All else is that of the Bayesian-network player (`sim.players.bayes`).  ``q=zero`` is the control.

Not specified in the paper: the room through a secret passage is at distance 0; the pawn's own room
is at distance 0 if the pawn was summoned there, else 2, a step out and in, and is excluded if rules
or pawns prevent that step.  Ties go to the first listed room, so no randomness is consumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from mcts.limits import above, between, one_of
from sim.board import N_ROOMS, N_SPOTS, door_spots, graph
from sim.cards import FIRST_ROOM
from sim.movement import barred_room
from sim.players.bayes import find_certain, suggestion
from sim.players.paper import Believing, BelievingPlayer
from sim.policies.common import accusation, may_accuse, was_heard
from sim.policies.walking import step_out, towards
from sim.qlearning.functions import FUNCTIONS, function
from sim.rules import Rules
from sim.state import END, PASS, SUGGEST

ACCUSES = ("any", "end")
"""When it accuses: at the start or the end of its turn, or only at the end."""

OUT_AND_IN = 2
"""Steps to leave and re-enter the pawn's room."""


@dataclass(kw_only=True)
class Settings(Believing):
    """Settings of the player, as in ``conf/player/neural.yaml``.

    Attributes
    ----------
    q : one of `sim.qlearning.functions.FUNCTIONS`
    network : path of the weights, None for those of the project
    distance_weight, visit_weight : W_d and W_n
    distance_divisor : divisor of D
    accuses : one of `ACCUSES`
    """

    name: str = one_of("neural", default="neural")
    q: str = one_of(*FUNCTIONS, default="network")
    network: str | None = None
    distance_weight: float = between(0, 1000, default=0.5)
    distance_divisor: float = above(0, 1000, default=1.0)
    visit_weight: float = between(0, 1000, default=1.5)
    accuses: str = one_of(*ACCUSES, default="any")

    def make(self, rules: Rules) -> NeuralPlayer:
        """Return the player; ValueError like `NeuralPlayer` and `Believing.check_hands`.

        Also raises ValueError for ``accuses=end`` under rules without accusations at the end.
        """
        self.check_hands(rules)
        if self.accuses == "end" and rules.accuse == "start":
            raise ValueError(
                f"player.accuses=end: rules={rules.name} allows no accusation at the end of a "
                "turn: give rules.accuse=start_or_end"
            )
        return NeuralPlayer(**vars(self))


class NeuralPlayer(BelievingPlayer):
    """The player in a seat; ValueError if its network is unknown."""

    settings_class = Settings

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        chosen = self.settings
        self.worth = function(chosen.q, chosen.network)
        self._of_distance = chosen.distance_weight / chosen.distance_divisor

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        self._far = distances(rules.doors == "any")

    def act(self, s: np.record) -> int:
        chances = self.opinion.update(self.log)
        if s.phase == SUGGEST:
            return suggestion(chances, self.hand, self.threshold)
        envelope = find_certain(chances, self.threshold) if may_accuse(self.world, s) else 0
        now = s.phase == END or self.settings.accuses == "any"
        if envelope and now and not was_heard(s, envelope):
            return accusation(envelope)
        return PASS if s.phase == END else self.walk(s)

    def walk(self, s: np.record) -> int:
        """Return the action towards the chosen room, or the suggestion there."""
        here = int(self.world.room_of[s.spot[self.seat]])
        summoned = bool(s.summoned[self.seat])
        out = step_out(self.world, s, self.seat)
        barred = int(barred_room(self.world, s, self.seat))
        room = self.choose(s, barred if out < 0 and not summoned else -1)
        if room != here:
            return towards(self.world, s, self.seat, room)
        return suggestion(self.opinion.chances, self.hand, self.threshold) if summoned else out

    def choose(self, s: np.record, barred: int) -> int:
        """Return the room with the highest gain except ``barred`` (-1: none)."""
        gains = self.gains(s)
        if barred >= 0:
            gains[barred] = -np.inf
        return int(gains.argmax())

    def gains(self, s: np.record) -> np.ndarray:
        """Return Q less the costs (9,), at the start of a turn."""
        spot = int(s.spot[self.seat])
        here = int(self.world.room_of[spot])
        far = self._far[:, spot].copy()
        if here >= 0:
            far[here] = 0 if s.summoned[self.seat] else OUT_AND_IN
            if self.world.passage[here] >= 0:
                far[self.world.passage[here]] = 0
        asked = visits(self.log.events, self.seat)
        cost = self._of_distance * far + self.settings.visit_weight * asked
        return self.worth(self.opinion.chances[FIRST_ROOM:]) - cost


def visits(log: np.recarray, seat: int) -> np.ndarray:
    """Return the number of suggestions of ``seat`` in each room (9,), by the events of ``log``."""
    rooms = log.cards[log.asker == seat] >> FIRST_ROOM
    return (rooms[:, None] >> np.arange(N_ROOMS) & 1).sum(axis=0)


@cache
def distances(any_door: bool) -> np.ndarray:
    """Return the minimum Manhattan distance (9, spots) into each room, in squares.

    A pawn leaves its room by the nearest door with ``any_door``, else by its own door.
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

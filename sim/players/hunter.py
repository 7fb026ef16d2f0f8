"""The influence-diagram player, a treasure hunter [Ferrari & Cai 2009, s. VII].

Before each move it plans a route through the possible rooms by

    w_B I(room card; suggestions) - w_J J - w_D length        (`sim.players.room_hunt`)

and walks to the first one; all else is that of the Bayesian-network player (`sim.players.bayes`),
which it is with w_B = 0.  Lengths are in *bins*, squares: a passage takes 0, a suggestion J = 3; or
in expected *turns*: a passage takes 1, a suggestion 0.  Routes ignore other pawns.
`docs/players/hunter.md` lists what the paper leaves open.  No function consumes randomness.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from mcts.kernel.compile import jit_owning
from mcts.limits import between, one_of
from sim.board import N_ROOMS
from sim.cards import FIRST_ROOM
from sim.hunt.reward import Weights
from sim.movement import barred_room
from sim.players.bayes import AGAIN, WALKS, BayesPlayer, settle, wanted_rooms
from sim.players.paper import Believing
from sim.players.room_hunt import (
    BINS_A_TURN,
    Ways,
    closed_values,
    information,
    lengths,
    open_values,
    starts,
)
from sim.policies.walking import SAME, enter_again, step_out, towards
from sim.rules import Rules
from sim.state import State, World

UNITS = ("bins", "turns")
"""Units of lengths: squares, or expected turns."""

STRATEGIES = ("replanned", "closed")
"""Planning: one route, replanned at each decision, or an action for each outcome."""

GOALS = ("free", "likeliest")
"""End of the route: any room, or the likeliest."""


@dataclass(kw_only=True)
class Settings(Believing):
    """Settings of the player, as in ``conf/player/hunter.yaml``.

    The default w_B is that of Table III; the paper does not print the values of its games.
    """

    name: str = one_of("hunter", default="hunter")
    again: str = one_of(*AGAIN, default="other")
    strategy: str = one_of(*STRATEGIES, default="replanned")
    unit: str = one_of(*UNITS, default="bins")
    goal: str = one_of(*GOALS, default="free")
    benefit_weight: float = between(0, 1000, default=12.0)
    test_weight: float = between(0, 1000, default=1.0)
    distance_weight: float = between(0, 1000, default=1.0)

    def make(self, rules: Rules) -> HunterPlayer:
        """Return the player; ValueError like `Believing.check_hands`."""
        self.check_hands(rules)
        return HunterPlayer(**vars(self))


class HunterPlayer(BayesPlayer):
    """The player in a seat."""

    settings_class = Settings

    def begin(self, rules: Rules, seat: int, view: np.recarray, key: int) -> None:
        super().begin(rules, seat, view, key)
        chosen = self.settings
        self._between = lengths(rules, chosen.unit)
        self._weights = Weights(
            float(chosen.benefit_weight), float(chosen.test_weight), float(chosen.distance_weight)
        )
        self._ways = chosen.unit == "turns", chosen.goal == "likeliest", chosen.strategy == "closed"

    def decide(self, view: np.recarray) -> int:
        return _decide(
            self._worlds,
            view.view(np.ndarray),
            self.seat,
            self.opinion.update(self.log),
            self.threshold,
            self._again,
            self._between,
            self._weights,
            *self._ways,
        )


@jit_owning
def _decide(
    worlds: np.ndarray,
    views: np.ndarray,
    seat: int,
    chances: np.ndarray,
    threshold: float,
    again: int,
    between: np.ndarray,
    weights: Weights,
    turns: bool,
    to_goal: bool,
    closed: bool,
) -> int:
    """Return the action of this phase: `settle`, or a step of the hunt; arrays as for `decide`."""
    world, s = worlds[0], views[0]
    action = settle(world, s, seat, chances, threshold)
    if action != WALKS:
        return action
    wanted = wanted_rooms(chances, threshold)
    if wanted & (wanted - 1) == 0:  # the room is known
        return enter_again(world, s, seat, wanted, again)
    here, out = world.room_of[s.spot[seat]], step_out(world, s, seat)
    barred = max(here, barred_room(world, s, seat))
    if barred >= 0 and (again != SAME or out < 0):
        wanted &= ~(1 << barred)
    values = _values(world, s, seat, chances, wanted, between, weights, turns, to_goal, closed)
    best = values.argmax()
    return out if best == here else towards(world, s, seat, best)


@jit_owning
def _values(
    world: World,
    s: State,
    seat: int,
    chances: np.ndarray,
    wanted: int,
    between: np.ndarray,
    weights: Weights,
    turns: bool,
    to_goal: bool,
    closed: bool,
) -> np.ndarray:
    """Return the value of each room of the mask ``wanted`` as the first, float64 (9,)."""
    start = np.empty(N_ROOMS)
    starts(world, s, seat, turns, start)
    rooms = np.array([room for room in range(N_ROOMS) if wanted >> room & 1])
    likely = chances[FIRST_ROOM:][rooms]
    end = -1
    for i in range(len(rooms)):  # the nearest of the likeliest
        if end < 0 or (likely[i], -start[rooms[i]]) > (likely[end], -start[rooms[end]]):
            end = i
    near, apart, goal = start[rooms], np.empty((len(rooms), len(rooms))), np.zeros(len(rooms))
    for i in range(len(rooms)):
        for j in range(len(rooms)):
            apart[i, j] = between[rooms[i], rooms[j]]
        if to_goal and i != end:
            goal[i] = between[rooms[i], rooms[end]]
    ways = Ways(near, apart, goal, 0.0 if turns else BINS_A_TURN)
    if closed:
        found = closed_values(likely, ways, weights)
    else:
        found = open_values(information(likely), ways, weights)
    if to_goal:  # the direct route, without the value of a suggestion there
        found[end] = max(found[end], -weights.distance * near[end])
    values = np.full(N_ROOMS, -inf)
    for i in range(len(rooms)):
        values[rooms[i]] = found[i]
    return values

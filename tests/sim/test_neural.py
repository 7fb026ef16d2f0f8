"""The neural player: its information, moves, suggestions and controls."""

from __future__ import annotations

import numpy as np
import pytest
from presets import spec_of

from sim.board import graph
from sim.cards import FIRST_ROOM, ROOMS
from sim.player import PolicyPlayer
from sim.players import neural
from sim.players.neural import NeuralPlayer, visits
from sim.players.registry import make
from sim.referee import play
from sim.rules import preset, world
from sim.state import ACCUSE, ASK, END, MOVE, PASSAGE, REVEAL, TURN, WALK, empty

FERRARI = preset("ferrari2009")
STUDY, HALL, KITCHEN = map(ROOMS.index, ("Study", "Hall", "Kitchen"))


SPEC = spec_of("neural")


def _make(rules=FERRARI, **switches):
    return make({**SPEC, **switches}, rules)


def _seat(rules=FERRARI, **switches):
    """Return a player in seat 0 and the state that it sees."""
    player, state = _make(rules, **switches), empty()
    state[0].hand[0] = sum(1 << card for card in (0, 1, 6, 12, 13, 14))  # as 213 asks
    player.begin(rules, 0, state, 1)
    state[0].spot[:3] = world(rules)[0].start[:3]
    state[0].phase = TURN
    return player, state[0]


def _believe(player, suspects, weapons, rooms):
    player.opinion.chances[:] = np.concatenate([suspects, weapons, rooms])


def _visit(player, room, times):
    for _ in range(times):
        player.see((0, 1 << FIRST_ROOM + room, -1, -1))
    player.opinion._told = times  # what it believes is set by hand


EVEN = [0, 0, 0.25, 0.25, 0.25, 0.25], [0, 0.2, 0.2, 0.2, 0.2, 0.2]


def test_it_walks_to_the_room_of_most_value_less_costs():
    player, s = _seat()
    rooms = np.full(9, 1 / 6)
    rooms[:3] = 0
    _believe(player, *EVEN, rooms)
    player.worth = lambda state: 10.0 * (np.arange(9) == KITCHEN)
    assert player.walk(s) == MOVE + KITCHEN
    player.worth = np.zeros_like
    far = neural.distances(True)[:, s.spot[0]]
    assert player.walk(s) == MOVE + far.argmin()
    _visit(player, far.argmin(), 20)
    assert player.walk(s) != MOVE + far.argmin()
    assert visits(player.log.events, 0)[far.argmin()] == 20


def test_passages_are_near_and_its_own_room_takes_a_step_out():
    player, s = _seat(q="zero")
    rooms = np.full(9, 1 / 9)
    _believe(player, *EVEN, rooms)
    s.spot[0] = world(FERRARI)[0].first_door[STUDY]
    assert player.walk(s) == PASSAGE
    _visit(player, KITCHEN, 9)
    out = player.walk(s)
    assert out >= WALK and graph().has_edge(out - WALK, int(s.spot[0]))
    s.summoned[0] = 1
    assert ASK <= player.walk(s) < ASK + 36


def test_where_it_cannot_stop_in_the_corridor_its_own_room_is_no_choice():
    rules = preset("ferrari2009", movement="towards")
    player, s = _seat(rules, q="zero", distance_weight=0, visit_weight=0)
    _believe(player, *EVEN, np.full(9, 1 / 9))
    s.spot[0] = world(rules)[0].first_door[STUDY]
    assert player.walk(s) == MOVE + HALL


def test_distances_are_manhattan_and_at_most_what_is_walked():
    any_door, entry = neural.distances(True), neural.distances(False)
    steps = world(FERRARI)[0].steps
    assert (any_door <= steps).all() and (any_door < steps).any()
    assert (any_door <= entry).all() and (any_door < entry).any()
    inside = world(FERRARI)[0].room_of
    assert all(any_door[inside[spot], spot] == 0 for spot in range(188, len(inside)))


def test_it_may_accuse_at_the_end_of_its_turn_alone():
    """Control: any time, it accuses at the start as well; rules without an end are refused."""

    def phases(accuses):
        found = []

        class Noting(NeuralPlayer):
            def decide(self, view):
                action = super().decide(view)
                if ACCUSE <= action < REVEAL:
                    found.append(int(view[0].phase))
                return action

        for game in range(12):
            others = [PolicyPlayer("closure"), PolicyPlayer("closure")]
            play(FERRARI, [Noting(evidence="exact", accuses=accuses), *others], 3, game)
        return set(found)

    assert phases("end") == {END} < phases("any") == {TURN, END}
    with pytest.raises(
        ValueError, match=r"^player.accuses=end: rules=ledford allows no accusation"
    ):
        _make(preset("ledford"), evidence="exact", accuses="end")

"""The stored pair of a turn equals the recomputed one."""

import numpy as np
import pytest

from sim.chance import game_key
from sim.game import apply, decider, new_game, open_decision
from sim.policies.registry import Policy, choose, seat_policies
from sim.rules import Rules, world
from sim.state import ASK, OVER, SUGGEST, empty

BOARD = world(Rules())[0]


def suggesting(policy, games):
    """Yield the state before each suggestion on entering a room, among four of ``policy``."""
    states = empty()
    for game in range(games):
        seat_policies(states[0], [policy] * 4)
        new_game(BOARD, states[0], np.uint64(game_key(5150, game)))
        while states[0].phase != OVER and states[0].turn < 60:
            if states[0].phase == SUGGEST:
                yield states
            open_decision(states[0])
            apply(BOARD, states[0], choose(BOARD, states[0], decider(states[0])))


def choose_action(states, intention):
    """Return the pair named by the seat to move if it remembers ``intention``."""
    again = states.copy()
    again[0].intention = intention
    return int(choose(BOARD, again[0], again[0].seat)) - ASK


@pytest.mark.parametrize("name", ["swift", "hide"])
def test_what_was_intended_is_what_is_found_again(name):
    remembered = looked = planted = 0
    for states in suggesting(Policy(name, threshold=0.35), 6):
        now = int(states[0].intention)
        afresh = choose_action(states, 0)
        assert choose_action(states, now) == afresh
        looked += 1
        # The control: another pair, planted, would be named.
        if now and choose_action(states, now + (1 if afresh < 35 else -1)) != afresh:
            planted += 1
        room = BOARD.room_of[states[0].spot[states[0].seat]]
        remembered += bool(now) and (now - 1) // 36 % 9 == room
    assert looked > 30
    assert planted == remembered > looked / 2

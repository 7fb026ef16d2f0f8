"""Swift accuses the likeliest envelope in its last turn, and not before."""

import numpy as np
import pytest

from sim.chance import game_key
from sim.endgame.random_positions import endgame
from sim.game import new_game
from sim.player import PolicyPlayer
from sim.policies.common import last_chance
from sim.policies.registry import Policy, seat_policies
from sim.rules import preset, world
from sim.state import ACCUSE, END, REVEAL, TURN, empty


@pytest.mark.parametrize("turns", [1, 2])
def test_it_accuses_in_the_last_own_turn_alone(turns):
    found = [one for one in (endgame(2, game, 4, turns) for game in range(12)) if one]
    assert len(found) > 5
    for one in found:
        player = PolicyPlayer(Policy("swift"))
        one.sit(player, 1)
        assert (ACCUSE <= one.choice(player, 1) < REVEAL) == (turns == 1)


@pytest.mark.parametrize("accuse", ["start", "start_or_end"])
def test_the_last_chance_is_the_last_place_to_accuse(accuse):
    rules = preset("speed", players=4, turn_cap=10, accuse=accuse)
    board, state = world(rules)[0], empty()[0]
    seat_policies(state, ["swift"] * 4)
    new_game(board, state, np.uint64(game_key(1, 1)))
    for turn, out, last in (
        (6, 0, False),
        (7, 0, True),
        (7, 1, False),
        (8, 1, True),
        (10, 0, True),
    ):
        state.turn = turn
        state.out[:] = 0
        state.out[1] = out
        state.phase = END
        assert last_chance(board, state) == last
        state.phase = TURN
        assert last_chance(board, state) == (last and accuse == "start")

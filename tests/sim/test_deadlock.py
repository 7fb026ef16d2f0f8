"""Deadlocked games have the same result as with all turns played, in less time."""

import numpy as np
import pytest

from sim.arena import play_many
from sim.chance import game_key
from sim.game import apply, decider, new_game, open_decision
from sim.policies.registry import Policy, choose, seat_policies
from sim.rules import preset, world
from sim.state import OVER, empty

SEED = 77
RULES = preset("ledford")
PLAYERS = [Policy("swift", threshold=0.35)] * 4
FIELDS = ("turn", "winner", "asked", "out", "spot", "suggestions", "known", "envelope")


@pytest.fixture(scope="module")
def endless():
    """Return games without a winner: of some all turns are played."""
    games = np.arange(300, 1700)
    found = games[play_many(RULES, PLAYERS, SEED, games).turns >= RULES.turn_cap].tolist()
    assert len(found) > 3
    return found


def begin(game):
    states = empty()
    seat_policies(states[0], PLAYERS)
    new_game(world(RULES)[0], states[0], np.uint64(game_key(SEED, game)))
    return states


def decide(s):
    """Play the decision at hand."""
    board = world(RULES)[0]
    open_decision(s)
    apply(board, s, choose(board, s, decider(s)))


def play(game, skips):
    """Play a game; return its state, and how many decisions there were."""
    s, decisions = begin(game)[0], 0
    while s.phase != OVER:
        if not skips:
            s.still = 0
        decide(s)
        decisions += 1
    return s, decisions


def test_they_end_as_if_all_turns_were_played(endless):
    passed_over = 0
    for game in endless:
        (short, few), (long, many) = (play(game, skips) for skips in (True, False))
        passed_over += 10 * few < many
        for field in FIELDS:
            assert np.all(short[field] == long[field]), (game, field)
    assert passed_over

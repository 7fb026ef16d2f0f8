"""Legal actions and landings against the rules stated once more with NetworkX."""

import numpy as np
import pytest
import slow_rules
from hypothesis import assume, given
from hypothesis import strategies as st
from positions import random_action, stream_of
from strategies import repeatable, rules

from mcts.kernel.compile import INTERPRETED
from sim.board import door_spots, graph
from sim.chance import game_key
from sim.game import apply, new_game
from sim.legal import is_legal, legal
from sim.rules import PRESETS, preset, world
from sim.state import EXTERNAL, N_ACTIONS, OVER, PASSAGE, TURN, empty

STATES = 5 if INTERPRETED else 50

drawn = repeatable(4 if INTERPRETED else 20)


def fresh(under, game):
    """Return a new game in which every decision is asked for."""
    state = empty()[0]
    state.policy[:] = state.showing[:] = EXTERNAL
    new_game(world(under)[0], state, np.uint64(game_key(5, game)))
    return state


def states(under, game, count):
    """Yield up to ``count`` states of a game of random actions; the same record each time."""
    state, stream, out = fresh(under, game), stream_of(game), np.empty(N_ACTIONS, np.int64)
    for _ in range(count):
        if state.phase == OVER:
            return
        yield state
        apply(world(under)[0], state, random_action(world(under)[0], state, stream, out))


def list_actions(under, state):
    """Return the legal actions as the game has them."""
    out = np.empty(N_ACTIONS, np.int64)
    return out[: legal(world(under)[0], state, out)].tolist()


def lands_as_ruled(played, under, state):
    """Return whether every move, played by the rules ``played``, ends where ``under`` has it."""
    scratch = empty()
    for action in slow_rules.actions(under, state):
        if action > PASSAGE:
            break
        scratch[0] = state
        apply(world(played)[0], scratch[0], action)
        if int(scratch[0].spot[state.seat]) not in slow_rules.ends(under, state, action):
            return False
    return True


@drawn
@given(rules(), st.integers(0, 10_000))
def test_legal_actions_are_those_of_the_rules(under, game):
    for state in states(under, game, STATES):
        assert list_actions(under, state) == list(slow_rules.actions(under, state))


@pytest.mark.parametrize("name", ["ledford", "classic", "speed"])
def test_one_action_is_legal_if_it_is_on_the_list(name):
    under = preset(name)
    for state in states(under, 3, 2 * STATES):
        asked = (-1, *range(N_ACTIONS + 2), 100_000)
        found = [action for action in asked if is_legal(world(under)[0], state, action)]
        assert found == sorted(list_actions(under, state))


@drawn
@given(rules(), st.integers(0, 10_000))
def test_moves_end_where_the_rules_have_it(under, game):
    for turn, state in enumerate(states(under, game, STATES)):
        if state.phase == TURN and turn % 10 == 0:
            assert lands_as_ruled(under, under, state)


@drawn
@given(rules(), st.integers(0, 10_000), st.data())
def test_also_where_pawns_crowd(under, game, data):
    """All the other pawns stand before the doors of the own room, or beside the pawn."""
    assume(under.board)
    state = fresh(under, game)
    seat, config = int(state.seat), graph()
    start = data.draw(st.sampled_from(sorted(config)))
    room = config.nodes[start]["room"]
    doors = door_spots(room) if room >= 0 else [start]
    near = sorted({front for door in doors for front in config[door] if front < 188} - {start})
    pawns = data.draw(st.permutations(near + [s for s in range(30, 60) if s not in (*near, start)]))
    others = [other for other in range(under.players) if other != seat]
    state.spot[others] = pawns[: len(others)]
    state.spot[seat] = start
    state.roll = data.draw(st.integers(1, 6 * under.dice))
    assert list_actions(under, state) == list(slow_rules.actions(under, state))
    assert lands_as_ruled(under, under, state)


@pytest.mark.parametrize(
    ("name", "switch"),
    [
        ("ledford", {"doors": "any"}),
        ("classic", {"blocking": False}),
        ("cai2006", {"movement": "towards"}),
        ("classic", {"accuse": "start_or_end"}),
    ],
)
def test_other_rules_are_told_apart(name, switch):
    """The control: played by rules that differ in one switch, the comparison fails."""
    under, played = PRESETS[name], preset(name, **switch)
    wrong = 0
    for game in range(3):
        for state in states(under, game, 150):
            if wrong:
                return
            wrong += list_actions(played, state) != list(slow_rules.actions(under, state))
            if state.phase == TURN and not wrong:
                wrong += not lands_as_ruled(played, under, state)
    assert wrong > 0

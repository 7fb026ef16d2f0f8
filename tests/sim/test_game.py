"""The state machine under random legal play, in corner cases, and against recorded games."""

import json

import golden
import numpy as np
import polars as pl
import pytest
from positions import random_action, stream_of

from sim.arena import play_many
from sim.cards import ALL_CARDS
from sim.chance import game_key
from sim.game import advance, apply, new_game
from sim.legal import is_legal, legal
from sim.policies.registry import number
from sim.rules import Rules, preset, world
from sim.state import (
    EVENTS,
    EXTERNAL,
    N_ACTIONS,
    OVER,
    empty,
)


def test_advance_stops_when_the_events_are_full():
    board, state = world(Rules())[0], empty()[0]
    state.recording, state.policy = 1, number("random")
    new_game(board, state, np.uint64(game_key(1, 1)))
    asked = []
    while state.phase != OVER:
        advance(board, state)
        assert 0 < state.events <= EVENTS
        asked += state.event[: state.events].tolist()
        state.events = 0
    result = play_many(Rules(), ["random"] * 4, 1, np.array([1]))
    assert len(asked) == result.suggestions[0].sum() > EVENTS  # recording changes no move
    assert (result.winner[0], result.turns[0]) == (state.winner, state.turn)
    assert ALL_CARDS & ~state.known[state.winner] == state.envelope


@pytest.mark.parametrize("name", ["ledford", "classic", "speed"])
def test_one_action_is_legal_if_it_is_on_the_list(name):
    board, state, out = world(preset(name))[0], empty()[0], np.empty(N_ACTIONS, np.int64)
    state.policy[:] = state.showing[:] = EXTERNAL
    new_game(board, state, np.uint64(game_key(5, 3)))
    stream = stream_of(3)
    for _ in range(100):
        asked = (-1, *range(N_ACTIONS + 2), 100_000)
        found = [action for action in asked if is_legal(board, state, action)]
        assert found == sorted(out[: legal(board, state, out)].tolist())
        if state.phase == OVER:
            break
        apply(board, state, random_action(board, state, stream, out))


def test_results_of_the_arena_are_a_frame_and_can_be_read():
    result = play_many(Rules(), ["swift", *["random"] * 3], 1, np.arange(5, 11))
    frame = result.to_frame()
    assert frame.columns == ["game", "seat", "policy", "won", "turns", "suggestions", "out"]
    assert frame["game"].to_list() == np.repeat(np.arange(5, 11), 4).tolist()
    own = frame.filter(pl.col("seat") == 0)
    assert own["won"].to_list() == (result.winner == 0).tolist()
    assert own["suggestions"].to_list() == result.suggestions[:, 0].tolist()
    assert set(own["policy"]) == {"swift"} and own["turns"].to_list() == result.turns.tolist()
    won = int((result.winner == 0).sum())
    assert f"6 games, won by seat: swift {won}, random " in repr(result)


@pytest.mark.parametrize("table", golden.TABLES)
def test_golden_games(table):
    """(A change on purpose: `golden` says how to write them again.)"""
    recorded = json.loads(golden.FILE.read_text())[table]
    assert golden.games(golden.TABLES[table]) == recorded

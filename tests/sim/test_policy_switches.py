"""Every policy switch changes play as documented; unknown switches are refused."""

import numpy as np
import pytest
from positions import steps

from belief import matrix as factored
from belief.beliefs.constrained import fit
from sim.chance import game_key
from sim.game import apply, new_game
from sim.policies.registry import Policy
from sim.policies.swift import ROUNDS
from sim.rules import PRESETS, Rules, world
from sim.state import ACCUSE, ASK, EXTERNAL, FACTORED, REVEAL, SHOW, SUGGEST, TURN, empty

BOARD = world(Rules())[0]


def accuses(action):
    """Return whether ``action`` is an accusation."""
    return ACCUSE <= action < REVEAL


# The threshold.


def likeliest(matrix):
    """Return the mask of the likeliest envelope of a matrix, and its probability."""
    found, chance = 0, 1.0
    for first, end in ((0, 6), (6, 12), (12, 21)):
        column = matrix[first:end, 0]
        found |= 1 << first + int(column.argmax())
        chance *= column.max() / column.sum()
    return found, chance


@pytest.mark.parametrize("threshold", [0.4, 0.8])
def test_swift_accuses_from_its_threshold_on(threshold):
    """Against its belief, fitted once more; in both phases of all presets in which it may."""
    accused = waited = 0
    for name in PRESETS:
        rules = PRESETS[name]
        policies = [Policy("swift", threshold=threshold)] * rules.players
        for game in range(4):
            for state, action in steps(rules, policies, game, 2):
                never = rules.accuse == "end" and state.phase == TURN
                if state.phase in (SHOW, SUGGEST) or never:
                    continue
                seat, matrix = int(state.seat), np.zeros((21, 7))
                fit(state.belief[seat], state.closure[seat], state.evidence[seat], ROUNDS, matrix)
                _, chance = likeliest(matrix)
                assert accuses(action) == (chance >= threshold)
                accused += accuses(action)
                waited += not accuses(action)
    assert accused >= 20 and waited > 200


# Inference.


@pytest.mark.parametrize("infers", [True, False])
def test_inference_is_learning_from_cards_shown_to_others(infers):
    state = empty()[0]
    state.policy[:] = state.showing[:] = EXTERNAL
    state.tracks[:] = FACTORED
    state.inference[:] = infers
    new_game(BOARD, state, np.uint64(game_key(2, 0)))
    state.spot[0], state.phase = BOARD.first_door[4], SUGGEST
    # Seat 1 has none of the three and seat 2 all of them; seat 3 looks on.
    state.hand[1], state.hand[2] = 0, 1 | 1 << 6 | 1 << 16
    before = state.belief.copy()
    apply(BOARD, state, ASK)
    apply(BOARD, state, REVEAL)
    expected = before[3].copy()
    factored.note_pass(expected, 1, int(state.cards))  # learnt from either way
    assert not np.array_equal(expected, before[3])
    if infers:
        known = int(state.known[3]).bit_count()
        factored.note_refutation(expected, 2, int(state.cards), 21 - known)
    assert np.array_equal(state.belief[3], expected)
    assert state.belief[0][0, 3] == 1.0  # the asker learns the card either way


@pytest.mark.parametrize("name", PRESETS)
def test_in_games_least_informative_shows_a_new_card_only_where_it_must(name):
    def count(showing):
        """Yield (old cards, new cards) so far, after each where there was an old one to show."""
        old = new = 0
        rules = PRESETS[name]
        policies = [Policy("uniform", showing=showing)] * rules.players
        for game in range(4):
            for state, action in steps(rules, policies, game, 2):
                if state.phase == SHOW:
                    seen = int(state.has_shown[state.answerer, state.seat])
                    if seen & int(state.hand[state.answerer] & state.cards):
                        is_old = seen >> action - REVEAL & 1
                        old, new = old + is_old, new + 1 - is_old
                        yield old, new

    assert next(new for old, new in count("least_informative") if old > 20) == 0
    assert any(new >= 10 for _, new in count("random"))

"""Every policy switch changes play as documented; unknown switches are refused."""

import numpy as np
import pytest

from belief import matrix as factored
from belief.beliefs.constrained import fit
from sim.chance import DECIDE, game_key, open_stream
from sim.game import apply, decider, new_game, open_decision
from sim.policies.registry import SHOWING, Policy, choose, seat_policies
from sim.policies.swift import ROUNDS
from sim.rules import PRESETS, Rules, world
from sim.state import ACCUSE, ASK, EXTERNAL, FACTORED, OVER, REVEAL, SHOW, SUGGEST, TURN, empty

BOARD = world(Rules())[0]


def steps(rules, policies, game, seed=2):
    """Yield (state, action) before every action of a game; do not keep the state."""
    board, state = world(rules)[0], empty()[0]
    seat_policies(state, policies)
    new_game(board, state, np.uint64(game_key(seed, game)))
    while state.phase != OVER:
        open_decision(state)
        action = int(choose(board, state, decider(state)))
        yield state, action
        apply(board, state, action)


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
            for state, action in steps(rules, policies, game):
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


# Showing.


def show(showing, seen, draws=600):
    """Return how often seat 2 shows each of cards 0, 6 and 12, of which the asker saw ``seen``."""
    state = empty()[0]
    new_game(BOARD, state, np.uint64(game_key(2, 1)))
    state.phase, state.answerer, state.seat = SHOW, 2, 1
    state.hand[2] = state.cards = 1 | 1 << 6 | 1 << 12
    state.showing[2] = SHOWING.index(showing)
    state.has_shown[2, 1] = seen
    state.has_shown[2, 3] = 1 << 6  # what another asker saw does not count
    state.has_shown[3, 1] = 1 << 12  # nor does what another player showed
    counts = {0: 0, 6: 0, 12: 0}
    for count in range(draws):
        open_stream(state, DECIDE, count)
        counts[int(choose(BOARD, state, 2)) - REVEAL] += 1
    return list(counts.values())


@pytest.mark.parametrize("name", PRESETS)
def test_in_games_least_informative_shows_a_new_card_only_where_it_must(name):
    def count(showing):
        """Yield (old cards, new cards) so far, after each where there was an old one to show."""
        old = new = 0
        rules = PRESETS[name]
        policies = [Policy("uniform", showing=showing)] * rules.players
        for game in range(4):
            for state, action in steps(rules, policies, game):
                if state.phase == SHOW:
                    seen = int(state.has_shown[state.answerer, state.seat])
                    if seen & int(state.hand[state.answerer] & state.cards):
                        is_old = seen >> action - REVEAL & 1
                        old, new = old + is_old, new + 1 - is_old
                        yield old, new

    assert next(new for old, new in count("least_informative") if old > 20) == 0
    assert any(new >= 10 for _, new in count("random"))


# What cannot be.

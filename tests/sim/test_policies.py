"""Players of the thesis: its details; and the strength of all compiled policies."""

import numpy as np
import pytest
from scipy.stats import chisquare

from sim.cards import FIRST_ROOM, FIRST_WEAPON, ROOMS
from sim.chance import DECIDE, game_key, open_stream
from sim.game import new_game
from sim.policies.registry import choose, number
from sim.rules import Rules, world
from sim.state import (
    ACCUSE,
    ASK,
    EXTERNAL,
    FACTORED,
    MOVE,
    PASSAGE,
    SUGGEST,
    empty,
)

BOARD = world(Rules())[0]
RANDOM, UNIFORM, HEURISTIC = map(number, ("random", "uniform", "heuristic"))
HALL, LIBRARY, KITCHEN = map(ROOMS.index, ("Hall", "Library", "Kitchen"))
DRAWS = 2_000


def fresh(game=0):
    """Return a new game in which every seat's matrix is kept and no seat decides by itself."""
    state = empty()[0]
    state.policy[:] = EXTERNAL
    state.tracks[:] = FACTORED
    state.inference[:] = 1
    new_game(BOARD, state, np.uint64(game_key(8, game)))
    return state


def choose_action(state, policy, draws=DRAWS, seat=0):
    """Return what ``policy`` chooses in ``state`` under many streams; the goal starts as it is."""
    found, goal = [], int(state.goal[seat])
    state.policy[seat] = policy
    for i in range(draws):
        open_stream(state, DECIDE, i)
        state.goal[seat] = goal
        found.append(int(choose(BOARD, state, seat)))
    state.goal[seat] = goal
    state.policy[seat] = EXTERNAL
    return np.array(found)


def believe(state, card, row, seat=0):
    """Let ``seat`` believe that ``card`` is distributed as ``row`` (envelope, seats)."""
    state.belief[seat][card] = 0.0
    state.belief[seat][card][: len(row)] = row
    state.bits[seat][card] = -1.0


def certain(state, cards, column=0, seat=0):
    """Make ``seat`` certain that ``cards`` are with ``column``."""
    for card in cards:
        believe(state, card, np.eye(7)[column], seat)


def in_room(state, room, summoned=0):
    """Put the pawn of seat 0 into ``room``."""
    state.spot[0] = BOARD.first_door[room]
    state.summoned[0] = summoned


def test_the_heuristic_walks_to_a_room_of_highest_entropy():
    state = fresh()
    open_rooms = [room for room in range(9) if not state.known[0] >> FIRST_ROOM + room & 1]
    goals = choose_action(state, HEURISTIC) - MOVE
    counts = [int((goals == room).sum()) for room in open_rooms]
    assert sum(counts) == DRAWS
    assert chisquare(counts).pvalue > 1e-4  # ties are uniform
    # One room a little less sure than the others, which lean to the envelope.
    for room in open_rooms:
        believe(state, FIRST_ROOM + room, [0.4, 0, 0.2, 0.2, 0.2])
    believe(state, FIRST_ROOM + open_rooms[2], [0.25, 0, 0.25, 0.25, 0.25])
    assert set(choose_action(state, HEURISTIC, 50)) == {MOVE + open_rooms[2]}


def test_the_heuristic_keeps_its_goal_until_it_is_there():
    state = fresh()
    known = next(room for room in range(9) if state.known[0] >> FIRST_ROOM + room & 1)
    state.goal[0] = known  # of entropy 0, and kept all the same
    assert set(choose_action(state, HEURISTIC, 50)) == {MOVE + known}
    in_room(state, HALL)
    state.goal[0] = HALL
    goals = set(choose_action(state, HEURISTIC, 200) - MOVE)
    assert HALL not in goals and len(goals) > 2


def test_the_heuristic_names_the_first_of_the_most_unsure():
    state = fresh()
    in_room(state, HALL)
    state.phase = SUGGEST
    suspects = [card for card in range(6) if not state.known[0] >> card & 1]
    weapons = [card for card in range(6, 12) if not state.known[0] >> card & 1]
    first = ASK + 6 * suspects[0] + weapons[0] - FIRST_WEAPON
    assert set(choose_action(state, HEURISTIC, 50)) == {first}
    believe(state, suspects[0], [0.7, 0, 0.1, 0.1, 0.1])
    believe(state, weapons[0], [0.7, 0, 0.1, 0.1, 0.1])
    second = ASK + 6 * suspects[1] + weapons[1] - FIRST_WEAPON
    assert set(choose_action(state, HEURISTIC, 50)) == {second}


def test_the_heuristic_accuses_on_three_certain_cards_only():
    state = fresh()
    trio = (3, 8, FIRST_ROOM + KITCHEN)
    accusation = ACCUSE + 9 * (6 * 3 + 2) + KITCHEN
    certain(state, trio[:2])
    believe(state, trio[2], [1 - 1e-12, 0, 1e-12, 0, 0])
    assert (choose_action(state, HEURISTIC, 50) < PASSAGE).all()
    certain(state, trio[2:])
    assert set(choose_action(state, HEURISTIC, 50)) == {accusation}
    # Certain of all other cards is not certain of the envelope [the text's rule is kept].
    state = fresh()
    certain(state, trio[:2])
    certain(state, [c for c in range(FIRST_ROOM, 21) if c != trio[2]], column=2)
    assert (choose_action(state, HEURISTIC, 50) < ACCUSE).all()


@pytest.mark.parametrize("policy", [RANDOM, UNIFORM])
def test_wanderers_draw_a_goal_and_keep_it(policy):
    state = fresh()
    counts = np.bincount(choose_action(state, policy) - MOVE, minlength=9)
    assert chisquare(counts).pvalue > 1e-4 and len(counts) == 9
    state.goal[0] = LIBRARY
    assert set(choose_action(state, policy, 50)) == {MOVE + LIBRARY}
    in_room(state, LIBRARY)
    counts = np.bincount(choose_action(state, policy) - MOVE, minlength=9)
    assert counts[LIBRARY] == 0
    assert chisquare(np.delete(counts, LIBRARY)).pvalue > 1e-4


def test_random_suggests_unseen_cards_uniformly_and_uniform_any():
    state = fresh()
    in_room(state, HALL)
    state.phase = SUGGEST
    state.known[0] |= 0b11 | 0b111 << FIRST_WEAPON
    unseen = [
        ASK + 6 * suspect + weapon
        for suspect in range(6)
        for weapon in range(6)
        if not (state.known[0] >> suspect & 1 or state.known[0] >> FIRST_WEAPON + weapon & 1)
    ]
    assert 1 < len(unseen) <= 12
    counts = np.bincount(choose_action(state, RANDOM) - ASK, minlength=36)
    assert counts.nonzero()[0].tolist() == [action - ASK for action in unseen]
    assert chisquare(counts[counts > 0]).pvalue > 1e-4
    counts = np.bincount(choose_action(state, UNIFORM) - ASK, minlength=36)
    assert len(counts) == 36
    assert chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("policy", [RANDOM, UNIFORM])
def test_wanderers_accuse_when_three_cards_are_left(policy):
    state = fresh()
    envelope = int(state.envelope)
    suspect, weapon, room = (card for card in range(21) if envelope >> card & 1)
    state.known[0] = ((1 << 21) - 1) & ~envelope
    accusation = ACCUSE + 9 * (6 * suspect + weapon - FIRST_WEAPON) + room - FIRST_ROOM
    assert set(choose_action(state, policy, 50)) == {accusation}
    fourth = next(card for card in range(6) if card != suspect)
    state.known[0] &= ~(1 << fourth)
    assert (choose_action(state, policy, 50) < ACCUSE).all()

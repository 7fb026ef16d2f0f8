"""Every switch of the rules changes play as documented; impossible combinations are refused."""

import numpy as np
import pytest
from heard import wrong

from sim.board import door_spots
from sim.cards import CATEGORY_MASK, ROOMS
from sim.chance import game_key
from sim.game import apply, new_game
from sim.legal import legal
from sim.policies.common import avoid_repeat
from sim.rules import PRESETS, preset, world
from sim.state import (
    ACCUSE,
    ASK,
    END,
    EVIDENCE,
    EXTERNAL,
    MOVE,
    N_ACTIONS,
    OVER,
    PASS,
    PASSAGE,
    REVEAL,
    SUGGEST,
    TURN,
    WALK,
    empty,
)

LOUNGE = ROOMS.index("Lounge")
ACCUSATIONS = range(ACCUSE, REVEAL)


def fresh(name="ledford", game=0, **switches):
    """Return (world, state) of a new game in which every decision is asked for."""
    board, state = world(preset(name, **switches))[0], empty()[0]
    state.policy[:] = state.showing[:] = EXTERNAL
    state.tracks[:] = EVIDENCE
    new_game(board, state, np.uint64(game_key(1, game)))
    return board, state


def actions(board, state):
    """Return the legal actions."""
    out = np.empty(N_ACTIONS, np.int64)
    return out[: legal(board, state, out)].tolist()


def test_nobody_suggests_the_same_twice():
    board, state = fresh("speed_clue")
    for pair in range(36):
        state.seat, state.phase = 0, TURN
        assert MOVE + LOUNGE in actions(board, state)
        apply(board, state, MOVE + LOUNGE)
        assert actions(board, state) == [*range(ASK + pair, ACCUSE)]
        apply(board, state, ASK + pair)
    state.seat, state.phase = 0, TURN
    assert actions(board, state) == [MOVE + room for room in range(9) if room != LOUNGE]
    state.seat = 1
    assert MOVE + LOUNGE in actions(board, state)


@pytest.mark.parametrize(("name", "winner"), [("speed_clue", 3), ("speed", -1)])
def test_the_last_who_has_not_accused_wrongly_wins(name, winner):
    board, state = fresh(name)
    for seat in range(3):
        assert (state.phase, state.seat, state.winner) == (TURN, seat, -1)
        state.phase = END
        apply(board, state, wrong(state, 0))
    assert (state.phase == OVER) == (winner == 3) and state.winner == winner


def test_a_policy_that_would_repeat_a_suggestion_makes_the_next():
    board, state = fresh("speed_clue")
    for action in (MOVE + LOUNGE, ASK + 35, PASSAGE, ACCUSE + 1):
        assert avoid_repeat(board, state, 0, action) == action
    state.named[0, :LOUNGE] = state.named[0, LOUNGE + 1 :] = (1 << 36) - 1
    assert avoid_repeat(board, state, 0, MOVE + (LOUNGE + 3) % 9) == MOVE + LOUNGE
    state.spot[0], state.named[0, LOUNGE] = door_spots(LOUNGE)[0], 1 << 35 | 1
    assert avoid_repeat(board, state, 0, ASK + 35) == ASK + 1


@pytest.mark.parametrize(
    ("name", "hands"),
    [
        ("ferrari2009", ((2, 1, 3), (1, 2, 3), (2, 2, 2))),  # [Ferrari & Cai 2009, s. VII]
        ("cai2006", ((2, 2, 2), (2, 1, 3), (1, 2, 3))),  # [Cai & Ferrari 2006, s. III-A]
    ],
)
def test_hands_by_category_have_their_shares_and_everybody_knows_them(name, hands):
    for game in range(50):
        _, state = fresh(name, game)
        for player, hand in enumerate(state.hand[:3].tolist()):
            shares = [(hand & kind).bit_count() for kind in CATEGORY_MASK]
            assert tuple(shares) == hands[player]
            assert state.evidence[player].shares[:3].tolist() == [list(x) for x in hands]


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_played_by_their_own_rules(name):
    """The kinds of action in a game are those that its switches allow."""
    rules = preset(name, turn_cap=300)
    board, state = world(rules)[0], fresh(name, turn_cap=300)[1]
    noise, kinds = np.random.default_rng(4), set()
    while state.phase != OVER:
        offered = actions(board, state)
        phase = int(state.phase)
        kinds |= {(phase, min(action, WALK)) for action in offered}
        quiet = [a for a in offered if a not in ACCUSATIONS and a < WALK]
        apply(board, state, int(noise.choice(quiet or offered)))
    assert ((TURN, WALK) in kinds) == ((TURN, PASS) in kinds) == (rules.movement == "free")
    assert ((TURN, PASSAGE) in kinds) == rules.board
    assert ((TURN, ACCUSE) in kinds) == (rules.accuse != "end")
    called = rules.summons and rules.callers == "all"
    assert ((TURN, ASK) in kinds) == (rules.board and called)
    assert ((SUGGEST, ACCUSE) in kinds) == (rules.accuse == "any")
    assert ((END, PASS) in kinds) == (rules.accuse != "start")


@pytest.mark.parametrize(
    ("name", "switches", "sentence"),
    [
        ("ledford", {"players": 2}, "rules.players=2: must be at least 3"),
        ("cai2006", {"players": 4}, "rules=cai2006 is a game of 3 players, got 4"),
        ("ledford", {"hands": "213-123-222"}, "deals 3 hands, but there are 4 players"),
        ("ferrari2009", {"hands": "213-123-321"}, "deals 6 suspects, 5 weapons and 7 rooms"),
        ("ledford", {"board": False}, "without a board no pawn can walk or block"),
        ("speed", {"blocking": True}, "rules.board=false needs rules.blocking=false"),
        ("speed_clue", {"turn_cap": 325}, "rules.turn_cap of at most 324"),
        ("classic", {"colours": 6}, "rules have no switch 'colours': choose one of players, hands"),
        ("clasic", {}, "unknown rules 'clasic': choose one of ledford, cai2006"),
    ],
)
def test_impossible_rules_are_refused_in_a_sentence(name, switches, sentence):
    with pytest.raises(ValueError, match=sentence) as refused:
        preset(name, **switches)
    assert "\n" not in str(refused.value)

"""The state machine under random legal play, at its corners, and against recorded games."""

import json

import golden
import numpy as np
import pytest
from positions import random_action, stream_of

from sim.arena import play_many
from sim.board import N_CORRIDOR, door_spots, graph, start_spot
from sim.cards import ALL_CARDS, FIRST_ROOM, FIRST_WEAPON, ROOMS, SUSPECTS
from sim.chance import game_key
from sim.game import advance, apply, decider, new_game
from sim.legal import legal
from sim.policies.registry import number
from sim.rules import Rules, world
from sim.state import (
    ACCUSE,
    ASK,
    EVENTS,
    EXTERNAL,
    MOVE,
    N_ACTIONS,
    OVER,
    PASSAGE,
    REVEAL,
    SHOW,
    SUGGEST,
    TURN,
    empty,
)

PLAYERS = (3, 4, 5, 6)
STUDY, HALL, LOUNGE, *_, BALLROOM, KITCHEN = range(len(ROOMS))


def fresh(game=0, recording=1, **rules):
    """Return (world, state) of a new game in which every decision is asked for."""
    rules = Rules(**rules)
    board, state = world(rules)[0], empty()[0]
    state.policy[:] = state.showing[:] = EXTERNAL
    state.recording = recording
    new_game(board, state, np.uint64(game_key(1, game)))
    return board, state


def actions(board, state):
    """Return the legal actions."""
    out = np.empty(N_ACTIONS, np.int64)
    return out[: legal(board, state, out)].tolist()


def trio(cards):
    """Return the accusation of the mask ``cards``."""
    suspect, weapon, room = (c for c in range(21) if cards >> c & 1)
    return ACCUSE + 9 * (6 * suspect + weapon - FIRST_WEAPON) + room - FIRST_ROOM


def check_always(board, state, start):
    """Ask what holds in every state of the game that began with the cards of ``start``."""
    players = board.players
    assert (state.hand == start.hand).all()
    assert (state.envelope, state.face_up) == (start.envelope, start.face_up)
    corridor = [spot for spot in state.spot[:players].tolist() if spot < N_CORRIDOR]
    assert len(set(corridor)) == len(corridor)
    assert (state.spot[:players] >= 0).all() and (state.spot[:players] < 205).all()
    rooms = board.room_of[state.spot[:players]]
    assert (rooms[state.summoned[:players] == 1] >= 0).all()
    assert (state.known[:players] & state.envelope == 0).all()
    assert (state.known[:players] & state.hand[:players] == state.hand[:players]).all()
    assert state.turn <= board.turn_cap
    assert state.phase in (TURN, SUGGEST, SHOW, OVER)
    if state.phase in (TURN, SUGGEST):
        assert not state.out[state.seat]
        assert decider(state) == state.seat
    if state.phase == TURN:
        assert 1 <= state.roll <= 6 * board.dice
    if state.phase == SUGGEST:
        assert rooms[state.seat] >= 0
    if state.phase == SHOW:
        assert (state.hand[state.answerer] & state.cards).bit_count() > 1


def next_seat(seat, out):
    """Return the seat after ``seat`` that still plays, given who is ``out``."""
    players = len(out)
    return next(
        (seat + i) % players for i in range(1, players + 1) if not out[(seat + i) % players]
    )


def check_turn_passed(before, after, players):
    """Ask that the next seat that still plays has its turn, or that the game is over."""
    if after.phase == OVER:
        capped = before.turn == 60
        assert capped or after.out[:players].all()
        assert after.winner == -1
    else:
        assert after.phase == TURN
        assert after.turn == before.turn + 1
        assert after.seat == next_seat(before.seat, after.out[:players])


def check_answered(before, after, asker, cards, players):
    """Ask that the first seat that can show a card did, and that only the asker learnt it."""
    event = after.event[after.events - 1].tolist()
    holders = [(asker + i) % players for i in range(1, players)]
    able = [seat for seat in holders if after.hand[seat] & cards]
    assert event[:3] == [asker, cards, able[0] if able else -1]
    if able:
        assert after.hand[able[0]] & cards & 1 << event[3]
        assert after.known[asker] == before.known[asker] | 1 << event[3]
    else:
        assert event[3] == -1
        assert after.known[asker] == before.known[asker]
    others = [seat for seat in range(players) if seat != asker]
    assert (after.known[others] == before.known[others]).all()
    check_turn_passed(before, after, players)


def check_asked(board, before, after, pair):
    """Ask that the suggestion names the room, calls the pawn there, and goes the right way."""
    players = board.players
    room = board.room_of[before.spot[before.seat]]
    cards = 1 << pair // 6 | 1 << FIRST_WEAPON + pair % 6 | 1 << FIRST_ROOM + room
    assert after.cards == cards
    assert after.asked == before.asked + 1
    assert after.suggestions[before.seat] == before.suggestions[before.seat] + 1
    called = board.seat_of[pair // 6]
    for seat in range(players):
        if seat == called and board.room_of[before.spot[seat]] != room:
            assert after.spot[seat] == board.first_door[room]
            assert after.summoned[seat] == 1
        else:
            assert after.spot[seat] == before.spot[seat]
            assert after.summoned[seat] == before.summoned[seat] * (seat != before.seat)
    if after.phase == SHOW:
        able = [(before.seat + i) % players for i in range(1, players)]
        assert after.answerer == next(seat for seat in able if after.hand[seat] & cards)
    else:
        check_answered(before, after, before.seat, cards, players)


def check_step(board, before, action, after):
    """Ask what ``action`` should have done."""
    seat, players = before.seat, board.players
    if action >= REVEAL:
        check_answered(before, after, seat, before.cards, players)
        assert after.event[after.events - 1][3] == action - REVEAL
    elif action >= ACCUSE:
        assert before.phase == TURN
        if action == trio(before.envelope):
            assert (after.phase, after.winner) == (OVER, seat)
        else:
            assert after.out[seat] == 1
            check_turn_passed(before, after, players)
        assert (after.spot == before.spot).all()
    elif action >= ASK:
        assert before.phase == SUGGEST or before.summoned[seat]
        check_asked(board, before, after, action - ASK)
    else:
        others = [other for other in range(players) if other != seat]
        assert (after.spot[others] == before.spot[others]).all()
        assert after.summoned[seat] == 0
        room = board.room_of[after.spot[seat]]
        if action == PASSAGE:
            assert room == board.passage[board.room_of[before.spot[seat]]]
            assert after.spot[seat] == door_spots(room)[0]
        entered = room >= 0 and after.spot[seat] != before.spot[seat]
        if entered:
            assert (after.phase, after.seat, after.turn) == (SUGGEST, seat, before.turn)
        else:
            check_turn_passed(before, after, players)


def play_randomly(players, game, rolls, kinds):
    """Play one game of random legal actions with every check; return its turns."""
    board, state = fresh(game, players=players, turn_cap=60)
    start, stream, out = state.copy(), stream_of(7 * game + players), np.empty(N_ACTIONS, np.int64)
    older = empty()
    while state.phase != OVER:
        check_always(board, state, start)
        if state.phase == TURN:
            assert rolls.setdefault((game, int(state.turn)), int(state.roll)) == state.roll
        action = random_action(board, state, stream, out)
        kinds.add((int(state.phase), action if action < 10 else min(action, ACCUSE)))
        state.events = 0
        before = state.copy()
        older[0] = state  # by assignment, as searches do
        apply(board, state, action)
        check_step(board, before, action, state)
        assert older.tobytes() == before.tobytes()  # playing on left the copy alone
    check_always(board, state, start)
    return int(state.turn)


@pytest.mark.parametrize("players", PLAYERS)
def test_random_legal_play(players):
    rolls, kinds = {}, set()
    turns = sum(play_randomly(players, game, rolls, kinds) for game in range(22))
    assert turns > 700
    # every phase, every room to walk to and the passages were met
    assert {phase for phase, _ in kinds} == {TURN, SUGGEST, SHOW}
    assert {action for _, action in kinds} >= set(range(10))


def test_every_legal_action_is_accepted():
    board, state = fresh(game=4)
    stream, out = stream_of(5), np.empty(N_ACTIONS, np.int64)
    start, scratch = state.copy(), empty()
    for _ in range(60):
        if state.phase == OVER:
            break
        state.events = 0
        options = actions(board, state)
        assert options == sorted(set(options))
        sparse = [a for a in options if not ACCUSE <= a < REVEAL or a % 25 == 0]
        for action in sparse:
            scratch[0] = state
            apply(board, scratch[0], action)
            check_step(board, state, action, scratch[0])
            check_always(board, scratch[0], start)
        apply(board, state, random_action(board, state, stream, out))


def test_what_is_legal_by_phase():
    board, state = fresh()
    assert actions(board, state) == [*range(9), *range(ACCUSE, REVEAL)]
    state.spot[0] = door_spots(STUDY)[0]
    assert actions(board, state) == [*range(1, 9), PASSAGE, *range(ACCUSE, REVEAL)]
    state.spot[0] = door_spots(HALL)[2]
    state.summoned[0] = 1
    assert actions(board, state) == [0, *range(2, 9), *range(ASK, REVEAL)]
    state.phase = SUGGEST
    assert actions(board, state) == [*range(ASK, ACCUSE)]
    state.phase, state.answerer, state.cards = SHOW, 2, state.hand[2] | state.envelope
    held = [card for card in range(21) if state.hand[2] >> card & 1]
    assert actions(board, state) == [REVEAL + card for card in held]
    state.phase = OVER
    assert actions(board, state) == []


def test_a_wrong_accuser_plays_no_more_turns_but_shows_cards():
    board, state = fresh()
    wrong = next(a for a in range(ACCUSE, REVEAL) if a != trio(state.envelope))
    apply(board, state, wrong)
    assert (state.out[:4].tolist(), state.seat, state.phase) == ([1, 0, 0, 0], 1, TURN)
    # The next seat asks for a suspect and a weapon of which the accuser alone holds one.
    state.spot[1] = door_spots(LOUNGE)[0]
    state.hand[:4] = [0b1, 0b10, 0b100, 0b1000]
    state.phase = SUGGEST
    apply(board, state, ASK + 0)
    asker, cards, answerer, card = state.event[0].tolist()
    assert (asker, answerer, card) == (1, 0, 0)
    assert cards == 1 | 1 << FIRST_WEAPON | 1 << FIRST_ROOM + LOUNGE
    for _ in range(9):  # the others play on without it
        assert state.seat != 0
        state.events = 0
        apply(board, state, MOVE + (STUDY if state.phase == TURN else ASK))


def test_a_game_without_players_left_is_a_draw():
    board, state = fresh()
    wrong = next(a for a in range(ACCUSE, REVEAL) if a != trio(state.envelope))
    for seat in range(4):
        assert state.seat == seat
        apply(board, state, wrong)
    assert (state.phase, state.winner) == (OVER, -1)


def test_the_turn_cap_is_a_draw():
    board, state = fresh(turn_cap=5)
    while state.phase != OVER:
        apply(board, state, MOVE + KITCHEN)
    assert (state.turn, state.winner) == (5, -1)
    result = play_many(Rules(turn_cap=10), ["uniform"] * 4, 1, np.arange(20))
    assert (result.winner == -1).all() and (result.turns == 10).all()


def test_answers_are_asked_for_in_seat_order():
    board, state = fresh()
    apply(board, state, MOVE + LOUNGE)
    assert state.seat == 1
    state.spot[1], state.phase = door_spots(LOUNGE)[0], SUGGEST
    scarlett = SUSPECTS.index("Scarlett")
    wanted = 1 << scarlett | 1 << FIRST_WEAPON
    state.hand[:4] = [wanted, 0, 0, wanted]
    apply(board, state, ASK + 6 * scarlett)
    assert (state.phase, state.answerer, decider(state)) == (SHOW, 3, 3)
    # Scarlett's pawn was called, not that of the card's holder.
    assert state.spot[0] == board.first_door[LOUNGE] and state.summoned[0]
    apply(board, state, REVEAL + scarlett)
    assert state.event[0].tolist() == [1, state.cards, 3, scarlett]
    assert state.known[1] & 1 << scarlett and not state.known[0] & 1 << scarlett
    assert (state.seat, state.phase) == (2, TURN)


def test_nobody_can_answer():
    board, state = fresh()
    state.spot[0], state.phase = door_spots(LOUNGE)[0], SUGGEST
    state.hand[1:4] = 0
    apply(board, state, ASK + 7)
    assert state.event[0].tolist()[2:] == [-1, -1]
    assert (state.seat, state.phase) == (1, TURN)


def test_the_door_of_entry_is_kept():
    board, state = fresh()
    config = graph()
    for door in door_spots(BALLROOM):
        (front,) = config[door]
        state.spot[0], state.seat, state.phase, state.roll = front, 0, TURN, 1
        apply(board, state, MOVE + BALLROOM)
        assert (state.spot[0], state.phase) == (door, SUGGEST)
        state.phase = TURN
        apply(board, state, MOVE + KITCHEN)
        assert state.spot[0] == front


def test_a_pawn_shut_in_stays():
    board, state = fresh()
    study = door_spots(STUDY)[0]
    (front,) = graph()[study]
    state.spot[0], state.spot[1] = study, front
    apply(board, state, MOVE + KITCHEN)
    assert state.spot[0] == study
    assert (state.seat, state.phase, state.turn) == (1, TURN, 2)
    # The passage still leads out.
    state.seat, state.phase = 0, TURN
    apply(board, state, PASSAGE)
    assert (state.spot[0], state.phase) == (door_spots(KITCHEN)[0], SUGGEST)


def test_a_goal_without_a_path_is_replaced():
    goals = set()
    for game in range(30):
        board, state = fresh(game)
        (front,) = graph()[door_spots(STUDY)[0]]
        state.spot[1] = front
        state.goal[0] = STUDY
        apply(board, state, MOVE + STUDY)
        assert state.spot[0] != start_spot("Scarlett")
        goals.add(int(state.goal[0]))
    assert STUDY not in goals and len(goals) > 3


def test_dice_do_not_depend_on_what_was_played():
    def rolls(policies):
        board, state = world(Rules())[0], empty()[0]
        state.policy[:4] = policies
        state.policy[3] = EXTERNAL
        new_game(board, state, np.uint64(game_key(5, 5)))
        found = {}
        for _ in range(20):
            advance(board, state)
            found[int(state.turn)] = int(state.roll)
            apply(board, state, ASK if state.phase == SUGGEST else MOVE + KITCHEN)
        return found

    one, other = rolls([0, 0, 0, 0]), rolls([1, 1, 1, 1])
    shared = set(one) & set(other)
    assert len(shared) > 10
    assert all(one[turn] == other[turn] for turn in shared)
    assert len(set(one.values())) > 3


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


@pytest.mark.parametrize("table", golden.TABLES)
def test_golden_games(table):
    """(A change on purpose: `golden` says how to write them again.)"""
    recorded = json.loads(golden.FILE.read_text())[table]
    assert golden.games(golden.TABLES[table]) == recorded


@pytest.mark.parametrize("summons", [True, False])
def test_a_suggested_pawn_moves_if_the_rules_say_so(summons):
    board, state = world(Rules(summons=summons))[0], empty()[0]
    state.policy[:] = EXTERNAL
    new_game(board, state, np.uint64(game_key(1, 1)))
    state.spot[0], state.phase = board.first_door[KITCHEN], SUGGEST
    start = int(state.spot[1])
    apply(board, state, ASK)  # Mustard, whom seat 1 plays
    assert state.spot[1] == (board.first_door[KITCHEN] if summons else start)
    assert bool(state.summoned[1]) == summons

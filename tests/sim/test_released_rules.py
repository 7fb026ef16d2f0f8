"""The departures of the released program from the text, a switch each, against cases by hand."""

import numpy as np
import pytest

from sim.arena import play_many
from sim.board import N_ROOMS, corridor, door_spots, graph
from sim.cards import ROOMS, SUSPECTS
from sim.chance import game_key
from sim.game import apply, new_game
from sim.legal import legal
from sim.policies.common import roam
from sim.policies.registry import seat_policies
from sim.rules import PRESETS, Rules, preset, world
from sim.state import ASK, MOVE, N_ACTIONS, SUGGEST, TURN, empty

DEPARTURES = {
    "callers": "random",
    "walls": False,
    "starts": "released",
    "entrance": "first",
    "reenter": True,
    "blocked": "again",
}
TABLE = ["heuristic", "random", "random", "heuristic"]


def square(x, y):
    return corridor().index((x, y))


def inside(x, y):
    """Return the spot inside the door at column ``x`` and row ``y``."""
    return next(spot for spot, at in graph().nodes(data="xy") if at == (x, y))


def begin_game(rules, *policies, roll=1, **spots):
    """Return board and state at the first turn, that of seat 0, with pawns at ``spots``."""
    board, state = world(rules)[0], empty()[0]
    seat_policies(state, policies or [None] * 4)
    new_game(board, state, np.uint64(game_key(3, 1)))
    state.roll = roll
    # Out of the way of one another, and of what is tried.
    state.spot[1:4] = [square(20, 17), square(21, 17), square(22, 17)]
    for seat, spot in spots.items():
        state.spot[int(seat[1:])] = spot
    return board, state


def check_move(rules, room, roll, start, policy=None, **spots):
    """Return where the pawn of seat 0 ends that makes for ``room``, and the phase after that."""
    board, state = begin_game(rules, policy, None, None, None, roll=roll, p0=start, **spots)
    apply(board, state, MOVE + ROOMS.index(room))
    return int(state.spot[0]), int(state.phase)


def results(rules, policies=TABLE, games=60):
    played = play_many(rules, policies, 5100, np.arange(games))
    return np.stack([played.winner, played.turns]).tolist()


def test_the_preset_is_the_departures_and_no_more():
    assert PRESETS["released"] == preset("released") == Rules(name="released", **DEPARTURES)


@pytest.mark.parametrize("switch", DEPARTURES)
def test_every_departure_changes_games_in_both_directions(switch):
    value = DEPARTURES[switch]
    assert results(Rules()) != results(Rules(**{switch: value}))
    usual = getattr(Rules(), switch)
    assert results(preset("released")) != results(preset("released", **{switch: usual}))


@pytest.mark.parametrize(
    ("room", "beside"),
    [("Study", (7, 3)), ("Lounge", (16, 5)), ("Conservatory", (4, 18))],
)
def test_without_walls_a_door_is_entered_from_every_side(room, beside):
    assert check_move(Rules(walls=False), room, 1, square(*beside)) == (
        door_spots(ROOMS.index(room))[0],
        SUGGEST,
    )
    assert check_move(Rules(), room, 1, square(*beside))[0] < door_spots(0)[0]


def test_without_walls_these_and_the_doors_of_the_hall_are_the_only_new_steps():
    new = set(map(frozenset, graph(False).edges)) - set(map(frozenset, graph().edges))
    at = graph().nodes(data="xy")
    assert {frozenset(at[spot] for spot in pair) for pair in new} == {
        frozenset(pair)
        for pair in [
            ((6, 3), (7, 3)),
            ((17, 5), (16, 5)),
            ((4, 19), (4, 18)),
            ((11, 6), (12, 6)),
        ]
    }


@pytest.mark.parametrize(("roll", "ends"), [(1, (12, 6)), (2, (11, 6))])
def test_without_walls_a_path_leads_through_the_doors_of_the_hall(roll, ends):
    """A pawn stands before the first entrance: the other door leads there, and is in the room."""
    start, pawn = square(12, 7), {"p1": square(11, 7)}
    rules = Rules(walls=False, entrance="first")
    assert check_move(rules, "Hall", roll, start, "random", **pawn) == (inside(*ends), SUGGEST)
    walled = check_move(Rules(entrance="first"), "Hall", roll, start, "random", **pawn)
    assert walled[0] != inside(11, 6)


def test_the_released_seats():
    rules = Rules(starts="released")
    assert rules.suspects == ("Peacock", "Green", "Scarlett", "Mustard")
    starts = [corridor()[spot] for spot in world(rules)[0].start[:4]]
    assert starts == [(0, 5), (9, 24), (23, 7), (16, 0)]
    assert Rules().suspects == ("Scarlett", "Mustard", "Green", "Peacock")
    with pytest.raises(ValueError, match=r"rules\.starts=released seats 4 players, got 5"):
        Rules(starts="released", players=5)


@pytest.mark.parametrize(
    ("room", "listed"),
    [
        ("Library", (6, 8)),
        ("Billiard Room", (1, 12)),
        ("Ballroom", (8, 19)),
        ("Dining Room", (16, 12)),
        ("Hall", (11, 6)),
    ],
)
def test_policies_walk_to_the_first_entrance_and_others_to_the_nearest(room, listed):
    rules, number = Rules(entrance="first"), ROOMS.index(room)
    board = world(rules)[0]
    assert int(board.first_door[number]) == inside(*listed)
    for door in door_spots(number):
        (front,) = graph()[door]
        nearest = check_move(rules, room, 1, front)
        assert nearest == (door, SUGGEST) == check_move(Rules(), room, 1, front, "random")
        walked = check_move(rules, room, 1, front, "random")[0]
        assert (walked == door) == (door == inside(*listed))


def test_a_summoned_pawn_arrives_at_the_first_entrance():
    for rules, door in ((Rules(), (9, 4)), (Rules(entrance="first"), (11, 6))):
        board, state = begin_game(rules, p0=inside(12, 6))
        state.phase = SUGGEST
        apply(board, state, ASK + 6 * SUSPECTS.index("Mustard"))
        assert int(state.spot[1]) == inside(*door)


@pytest.mark.parametrize(("roll", "ends"), [(1, (7, 19)), (2, None), (6, None)])
def test_the_own_room_is_entered_again_with_a_roll_of_two(roll, ends):
    door = inside(8, 19)
    board, state = begin_game(Rules(reenter=True), roll=roll, p0=door)
    out = np.empty(N_ACTIONS, np.int64)
    again = MOVE + ROOMS.index("Ballroom")
    assert again in out[: legal(board, state, out)]
    apply(board, state, again)
    if ends is None:
        assert (int(state.spot[0]), int(state.phase)) == (door, SUGGEST)
    else:
        assert int(state.spot[0]) == square(*ends) and state.phase == TURN
    board, state = begin_game(Rules(), roll=roll, p0=door)
    assert again not in out[: legal(board, state, out)]


def test_who_is_shut_in_does_not_enter_again():
    door, front = inside(8, 19), square(7, 19)
    rules = Rules(reenter=True, blocked="again")
    spot, phase = check_move(rules, "Ballroom", 6, door, "random", p1=front)
    assert (spot, phase) == (door, TURN)


@pytest.mark.parametrize("asker", ["random", "heuristic", None])
def test_only_suggestions_of_random_call(asker):
    for rules in (Rules(callers="random"), Rules()):
        board, state = begin_game(rules, asker, None, None, None, p0=inside(9, 4))
        state.phase = SUGGEST
        before = int(state.spot[1])
        apply(board, state, ASK + 6 * SUSPECTS.index("Mustard"))
        called = int(state.spot[1]) != before
        assert called == (asker == "random" or rules.callers == "all")
        assert bool(state.summoned[1]) == called


def test_who_has_no_path_decides_again_by_its_own_policy():
    """The study is shut; of the others the heuristic player is unsure of one room alone."""
    shut, found = {"p1": square(6, 4)}, set()
    for rules in (Rules(), Rules(blocked="again")):
        for turn in range(1, 30):
            board, state = begin_game(rules, "heuristic", None, None, None, p0=square(9, 7), **shut)
            state.turn = turn
            state.bits[0][:] = 0.0
            state.bits[0][12 + ROOMS.index("Kitchen")] = 2.0
            state.goal[0] = ROOMS.index("Study")
            apply(board, state, MOVE + ROOMS.index("Study"))
            found.add((rules.blocked, int(state.goal[0])))
    kept = {goal for blocked, goal in found if blocked == "again"}
    assert kept == {ROOMS.index("Kitchen")}
    assert len({goal for blocked, goal in found if blocked == "another"}) > 4


def test_random_walkers_also_make_for_their_own_room():
    rules = Rules(reenter=True)
    goals = set()
    for turn in range(200):
        board, state = begin_game(rules, "random", None, None, None, p0=inside(8, 19))
        state.stream[0] = 7919 * turn
        goals.add(int(roam(board, state, 0)))
    assert goals == set(range(N_ROOMS))

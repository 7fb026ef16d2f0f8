"""Deviations of the released program from the text, one switch each, against cases by hand."""

import numpy as np
import pytest

from sim.arena import play_many
from sim.board import corridor, graph
from sim.cards import ROOMS
from sim.chance import game_key
from sim.game import apply, new_game
from sim.policies.registry import seat_policies
from sim.rules import Rules, preset, world
from sim.state import MOVE, empty

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


def results(rules, policies=TABLE, games=60):
    played = play_many(rules, policies, 5100, np.arange(games))
    return np.stack([played.winner, played.turns]).tolist()


@pytest.mark.parametrize("switch", DEPARTURES)
def test_every_departure_changes_games_in_both_directions(switch):
    value = DEPARTURES[switch]
    assert results(Rules()) != results(Rules(**{switch: value}))
    usual = getattr(Rules(), switch)
    assert results(preset("released")) != results(preset("released", **{switch: usual}))


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


def test_the_released_seats():
    rules = Rules(starts="released")
    assert rules.suspects == ("Peacock", "Green", "Scarlett", "Mustard")
    starts = [corridor()[spot] for spot in world(rules)[0].start[:4]]
    assert starts == [(0, 5), (9, 24), (23, 7), (16, 0)]
    assert Rules().suspects == ("Scarlett", "Mustard", "Green", "Peacock")
    with pytest.raises(ValueError, match=r"rules\.starts=released seats 4 players, got 5"):
        Rules(starts="released", players=5)


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

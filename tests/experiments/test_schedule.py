"""Game k is the same in every process and in any portions; seats and tables are balanced."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import combinations, product

import numpy as np
import pytest

from experiments.matches.schedule import Schedule, Seating
from tests.experiments.rows import make_match

match = partial(make_match, "heuristic", "random")


def handed_out(schedule: Schedule) -> list[tuple[int, list[int]]]:
    return [(which, games.tolist()) for which, games in iter(schedule.take, None)]


def test_every_game_is_handed_out_once():
    schedule = Schedule([match()], [1234])
    games = [game for _, portion in handed_out(schedule) for game in portion]
    assert games == list(range(1234))


def test_portions_of_fast_games_grow_to_what_a_task_should_take():
    schedule = Schedule([match()], [10**6])
    sizes = []
    for _ in range(8):
        _, games = schedule.take()
        sizes.append(len(games))
        schedule.took(0, len(games), seconds=len(games) / 10_000)
    assert sizes[:3] == [100, 400, 1500]
    assert set(sizes[3:]) == {1500}


def test_one_sits_in_each_seat_in_turn_and_the_rest_are_the_others():
    assert (
        Seating.one(4, (0, 2)).at(range(4)).tolist()
        == [
            [0, 1, 1, 1],
            [1, 1, 0, 1],
        ]
        * 2
    )
    assert Seating.rest(3, range(3)).at(range(3)).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("players", "entered"), [*product((3, 4, 5, 6), (2, 3, 4, 5, 6, 8)), (3, 10), (4, 10)]
)
def test_a_round_robin_is_balanced(players, entered):
    table = Seating.robin(players, entered).table
    seats = Counter((seat, who) for row in table.tolist() for seat, who in enumerate(row))
    assert len(set(seats.values())) == 1 and len(seats) == players * entered, "seats"
    meetings = Counter(
        pair
        for row in table.tolist()
        for pair in combinations(range(entered), 2)
        if set(pair) <= set(row)
    )
    assert len(set(meetings.values())) == 1, "meetings"
    left_of = Counter(
        (row[seat], row[(seat + 1) % players])
        for row in table.tolist()
        for seat in range(players)
        if row[seat] != row[(seat + 1) % players]
    )
    assert max(left_of.values()) == min(left_of.values()), "neighbours"


def test_who_won_follows_from_the_winning_seat():
    played = match(seating=Seating.rest(4, range(4)))
    winner = np.array([0, 0, 2, -1, -2, 1], np.int8)
    assert played.wins_of(winner, 0).tolist() == [False, True, False, False, False, False]
    assert played.wins_of(winner, 1).tolist() == [True, False, True, False, False, True]

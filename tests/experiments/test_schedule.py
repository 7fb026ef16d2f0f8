"""Every game is handed out once, seats rotate, portions follow the time they take."""

from __future__ import annotations

import pytest

from experiments.schedule import LARGEST_PORTION, PORTION_SECONDS, Match, Portions, label

POLICY = {"name": "heuristic"}
PLANNER = {"name": "bmcts", "search": {"threads": 1}}


def _match(player=POLICY, focal_seats=(0, 1, 2, 3)) -> Match:
    return Match({"name": "ledford", "players": 4}, player, POLICY, 4, focal_seats, 0)


def test_seats_rotate():
    assert [_match().focal_seat(game) for game in range(6)] == [0, 1, 2, 3, 0, 1]
    assert [_match(focal_seats=(2, 0)).focal_seat(game) for game in range(3)] == [2, 0, 2]
    seats = _match({"name": "random"}).seats(2)
    assert [label(each) for each in seats] == ["heuristic"] * 2 + ["random", "heuristic"]


def test_only_policies_are_compiled():
    assert _match().compiled
    assert not _match(PLANNER).compiled


@pytest.mark.parametrize("seconds_a_game", [1e-9, 5e-5, 0.01, 3.0])
def test_every_game_is_handed_out_once(seconds_a_game):
    portions = Portions(100_000, compiled=True)
    games = []
    for portion in portions:
        games += portion
        portions.took(len(portion), len(portion) * seconds_a_game)
        assert 1 <= len(portion) <= LARGEST_PORTION
    assert games == list(range(100_000))


def test_portions_grow_to_the_time_aimed_at():
    portions = Portions(10**6, compiled=True)
    for _ in range(6):
        portion = next(portions)
        portions.took(len(portion), len(portion) * 5e-5)
    assert len(next(portions)) == pytest.approx(PORTION_SECONDS / 5e-5, rel=0.01)


def test_planners_play_one_game_a_portion():
    portions = Portions(3, compiled=False)
    next(portions)
    portions.took(1, 1e-6)
    assert len(next(portions)) == 1

"""Who plays in what company follows from the configuration."""

from __future__ import annotations

import pytest

from experiments.matches import lineups
from experiments.settings import arguments, config
from experiments.settings.commandline import Refusal
from experiments.settings.schemas import Compare


def matches(*overrides: str):
    typed = arguments.quoted(overrides, Compare)
    settings = config.composed("compare", typed)
    config.check(settings)
    return lineups.matches(settings, typed)


def test_one_player_against_the_rest():
    (match,) = matches("player=swift")
    assert match.name == "swift against 3 heuristic"
    assert [each["name"] for each in match.entrants] == ["swift", "heuristic"]
    assert match.seating.at(range(2)).tolist() == [[0, 1, 1, 1], [1, 0, 1, 1]]
    assert (match.measured, match.seats, match.players) == (0, 1, 4)


def test_the_rest_against_one_and_both():
    rest, both = matches("match.layout=rest", "player=swift"), matches("match.layout=both")
    assert rest[0].name == "3 swift against heuristic"
    assert rest[0].seats == 3
    assert [match.name for match in both] == [
        "bmcts against 3 heuristic",
        "3 bmcts against heuristic",
    ]


def test_several_players_meet_the_same_opponents_in_the_same_games():
    found = matches("match.players=[swift,swift+threshold=0.35,bmcts]", "seed=3")
    assert [match.labels[0] for match in found] == ["swift", "swift+threshold=0.35", "bmcts"]
    assert [match.entrants[0].get("threshold") for match in found] == [1.0, 0.35, None]
    assert {match.seed for match in found} == {3}
    assert all(match.entrants[1] == found[0].entrants[1] for match in found)


def test_settings_of_the_player_are_those_of_all_listed_that_have_them():
    found = matches("match.players=[swift,bmcts,flat]", "player.budget.simulations=7")
    budgets = [match.entrants[0].get("budget", {}).get("simulations") for match in found]
    assert budgets == [None, 7, 7]
    with pytest.raises(Refusal, match=r"player.budget.simulations: none of match.players has this"):
        matches("match.players=[swift,closure]", "player.budget.simulations=7")


def test_settings_of_a_listed_player_come_before_those_of_all():
    found = matches("match.players=[flat,flat+budget.simulations=9]", "player.budget.simulations=7")
    assert [match.entrants[0]["budget"]["simulations"] for match in found] == [7, 9]


def test_a_listed_player_may_be_given_a_name():
    found = matches("match.players=[swift,swift+threshold=0.35+label=bold]")
    assert [match.labels[0] for match in found] == ["swift", "bold"]
    with pytest.raises(Refusal, match="names swift twice"):
        matches("match.players=[swift,closure+label=swift]")


def test_a_round_robin_is_one_match():
    (match,) = matches("match.players=[swift,closure,random]", "match.layout=robin")
    assert match.labels == ["swift", "closure", "random"]
    assert match.measured is None
    assert set(match.seating.at(range(60)).ravel().tolist()) == {0, 1, 2}


def test_equal_players_are_told_apart():
    (match,) = matches("player=heuristic")
    assert match.labels == ["heuristic", "heuristic (opponent)"]


@pytest.mark.parametrize(
    ("label", "told"), [("x" * 301, "at most 300 signs, not 301"), ("a\udc80", "in UTF-8")]
)
def test_a_label_that_cannot_be_kept_is_refused(label, told):
    settings = config.composed("compare", ["player=random", "player.label=x"])
    settings.player.label = label
    with pytest.raises(Refusal, match=told):
        lineups.matches(settings)

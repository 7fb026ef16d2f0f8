"""Players and their company follow from the configuration."""

from __future__ import annotations

import re
from itertools import permutations

import pytest

from experiments.matches import lineups
from experiments.settings import arguments, config
from experiments.settings.commandline import Refusal


def matches(*overrides: str):
    typed = list(map(arguments.quote, overrides))
    settings = config.compose("compare", typed)
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


def test_a_round_robin_is_one_match():
    (match,) = matches("match.players=[swift,closure,random]", "match.layout=robin")
    assert match.labels == ["swift", "closure", "random"]
    assert match.measured is None
    assert set(match.seating.at(range(60)).ravel().tolist()) == {0, 1, 2}


def test_a_mixed_company_is_one_of_each_in_all_orders():
    """Control: opponents of a kind are one entrant, in one order."""
    rules = "rules=ferrari2009"
    mixed, first = (
        matches(rules, "player=swift", "match.others=[closure,random]", *given)[0]
        for given in ((), ("match.focal_seats=[0]",))
    )
    assert mixed.name == "swift against closure and random" and mixed.measured == 0
    assert mixed.labels == ["swift", "closure", "random"] and mixed.seats == 1
    assert sorted(map(tuple, mixed.seating.table)) == sorted(permutations(range(3)))
    assert first.seating.table.tolist() == [[0, 1, 2], [0, 2, 1]]
    (alike,) = matches(rules, "player=swift", "opponent=closure")
    assert alike.labels == ["swift", "closure"] and len(alike.seating.table) == 3
    (mirrored,) = matches(rules, "player=swift", "match.others=[swift,random]")
    assert mirrored.labels == ["swift", "swift (opponent)", "random"]


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["match.others=[closure]"], "names 1 players, but there are 3 other seats"),
        (["match.others=[swift,closure,random]", "match.layout=both"], "leave match.layout=one"),
        (
            ["match.others=[swift]", "match.players=[swift,closure]", "match.layout=robin"],
            "match.others does not apply",
        ),
    ],
)
def test_a_company_that_cannot_be_is_refused(overrides, said):
    with pytest.raises(Refusal, match=said):
        matches(*overrides)


@pytest.mark.parametrize(
    ("label", "said"),
    [("x" * 301, "is 301 characters long; the limit is 300"), ("a\udc80", "not valid UTF-8")],
)
def test_a_label_that_cannot_be_kept_is_refused(label, said):
    settings = config.compose("compare", ["player=random", "player.label=x"])
    settings.player.label = label
    with pytest.raises(Refusal, match=said):
        lineups.matches(settings)


@pytest.mark.parametrize(
    ("overrides", "name"),
    [
        (("match.players=[closure,swift]", "opponent=entropy"), "closure_swift-entropy"),
        (("match.players=[closure,swift]", "match.layout=robin"), "closure_swift"),
        (("player=closure",), "closure-heuristic"),
    ],
)
def test_the_folder_of_a_run_and_its_matches_name_those_who_play(overrides, name):
    """And nobody else, as the player that is there by default."""
    typed = list(map(arguments.quote, overrides))
    folder = config.compose("compare", typed).run.folder
    assert folder.partition("_")[2].partition("_")[2] == name
    who = {part for part in re.split("[-_]", name)}
    for match in matches(*overrides):
        assert {*re.findall("[a-z]{4,}", match.name)} - {"against", "round", "robin"} <= who

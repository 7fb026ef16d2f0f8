"""The board as the pages draw it: rooms, doors, places, the numbers of actions."""

import json

from experiments.web.server.board import facts, regions
from sim.actions import action_to_string as words
from sim.board import DOORS, N_ROOMS, PASSAGES, corridor, graph, tables
from sim.cards import ROOMS
from sim.state import ACCUSE, ASK


def test_rooms_are_apart_and_hold_their_doors_alone():
    areas = regions()
    assert len(set().union(*areas)) == sum(map(len, areas))
    assert not set(corridor()) & set().union(*areas)
    for room, (_, doors) in enumerate(DOORS):
        assert {(x, y) for x, y, _ in doors} <= areas[room]


def test_outlines_enclose_what_they_stand_for():
    """By the shoelace formula; the control: an outline of which a corner is missing."""

    def area(corners):
        pairs = zip(corners, corners[1:] + corners[:1], strict=True)
        return abs(sum(x * v - u * y for (x, y), (u, v) in pairs)) / 2

    for room, squares in zip(facts()["rooms"], regions(), strict=True):
        assert area(room["outline"]) == len(squares)
        assert area(room["outline"][1:]) != len(squares)
    closed = sum(map(area, facts()["closed"]))
    assert closed + len(corridor()) + sum(map(len, regions())) == 24 * 25


def test_places_doors_and_passages_are_those_of_the_board():
    received = facts()
    assert [tuple(xy) for xy in received["squares"]] == corridor()
    assert [(room["name"], room["passage"]) for room in received["rooms"] if room["passage"]] == [
        (name, dict(PASSAGES + tuple((b, a) for a, b in PASSAGES))[name])
        for name in ROOMS
        if any(name in pair for pair in PASSAGES)
    ]
    for spot, xy in graph().nodes(data="xy"):
        steps = received["steps"]["{},{}".format(*xy)]
        assert steps == [int(tables()[0].distance[room, spot]) for room in range(N_ROOMS)]


def test_facts_are_json_and_number_actions_like_the_game():
    received = json.loads(json.dumps(facts()))
    suspect, weapon, room = 3, 4, 7
    pair = len(received["weapons"]) * suspect + weapon
    assert received["actions"]["suggest"] + pair == ASK + 22
    accusation = received["actions"]["accuse"] + len(received["rooms"]) * pair + room
    assert accusation == ACCUSE + 9 * 22 + 7
    cards = (
        received["suspects"][suspect],
        received["weapons"][weapon],
        received["rooms"][room]["name"],
    )
    assert words(accusation) == "accuse {} with the {} in the {}".format(*cards)

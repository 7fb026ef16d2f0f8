"""The hunter: its route against brute force, and its information."""

from __future__ import annotations

from itertools import pairwise, permutations
from math import inf, log

import numpy as np
import pytest
from presets import spec_of

from sim.board import N_ROOMS
from sim.cards import ROOMS
from sim.hunt.graph import mask
from sim.hunt.measurements import Partition
from sim.hunt.reward import Weights
from sim.players.registry import make
from sim.players.room_hunt import Ways, closed_values, information, lengths, open_values
from sim.rules import preset, world
from sim.state import ASK, MOVE, PASSAGE, WALK
from tests.sim.test_bayes import EVEN
from tests.sim.test_bayes import seat as bayes_seat

FERRARI = preset("ferrari2009")
STUDY, HALL, LOUNGE, KITCHEN = map(ROOMS.index, ("Study", "Hall", "Lounge", "Kitchen"))


def surprise(p):
    return -p * log(p) if p > 0 else 0.0


def problems(number=12):
    """Yield chances, ways and weights; of some hunts a goal, of some a room that is no target."""
    rng = np.random.default_rng(8)
    for case in range(number):
        r = 1 + case % 5
        chances = rng.dirichlet(np.ones(r + case % 2))[:r]
        between = rng.integers(0, 9, (r, r)).astype(float)
        goal = between[:, 0] * (np.arange(r) > 0) if case % 3 else np.zeros(r)
        ways = Ways(rng.integers(0, 9, r).astype(float), between, goal, 3.0)
        yield chances, ways, Weights(float((0, 12, 40, 40)[case // 3]), 1.0, case % 4 / 2)


def by_orders(chances, ways, weights, nearest=False):
    """Return the best value by first room, over all orders of all sets of rooms.

    With ``nearest`` rooms are visited in the order of their distances: the control.
    """
    benefit, r = Partition(chances), len(chances)
    values = [-inf] * r
    for size in range(1, r + 1):
        for order in permutations(range(r), size):
            if nearest and list(order) != sorted(order, key=lambda i: ways.start[i]):
                continue
            steps = sum(ways.between[a, b] for a, b in pairwise(order))
            far = ways.start[order[0]] + steps + ways.goal[order[-1]]
            value = weights.benefit * benefit.value(order) - weights.test * ways.test * size
            values[order[0]] = max(values[order[0]], value - weights.distance * far)
    return values


def by_outcomes(chances, ways, weights):
    """Return the same for rules that heed outcomes, over the tree of all that can happen."""
    r = len(chances)

    def on(at, left):
        """Return the value of the best next step; ``left`` (room -> chance) sums to 1 with -1."""
        best = -weights.distance * ways.goal[at]
        for room in left:
            if room >= 0:
                best = max(best, step(ways.between[at, room], room, left))
        return best

    def step(length, room, left):
        before = sum(map(surprise, left.values()))
        rest = {key: p / (1 - left[room]) for key, p in left.items() if key != room and p}
        value = -weights.test * ways.test - weights.distance * length
        if left[room] > 1 - 1e-12 or not rest:
            return value + weights.benefit * before
        gained = before - (1 - left[room]) * sum(map(surprise, rest.values()))
        return value + weights.benefit * gained + (1 - left[room]) * on(room, rest)

    start = {room: float(chances[room]) for room in range(r)}
    # What is no target counts as one place: what it might be is no part of the hunt.
    start |= {-1: max(0.0, 1 - sum(start.values()))}
    return [step(ways.start[room], room, start) for room in range(r)]


def test_information_of_sets_of_rooms_is_that_of_the_partition():
    for chances, *_ in problems():
        whole = [mask(members_of(number), len(chances)) for number in range(1 << len(chances))]
        assert information(chances) == pytest.approx(Partition(chances).values(np.array(whole)))


def members_of(number):
    return [i for i in range(number.bit_length()) if number >> i & 1]


def test_the_way_is_the_best_of_all_orders_of_all_sets():
    """Control: the nearest first, and so on, is worth less now and then."""
    missed = 0
    for chances, ways, weights in problems():
        found = open_values(information(chances), ways, weights)
        assert found == pytest.approx(by_orders(chances, ways, weights))
        missed += max(found) - max(by_orders(chances, ways, weights, nearest=True)) > 0.1
    assert missed > 0


def test_closed_is_the_best_over_all_that_can_happen():
    """And never less than open; control: it is more now and then."""
    more = 0
    for chances, ways, weights in problems():
        found = closed_values(chances, ways, weights)
        assert found == pytest.approx(by_outcomes(chances, ways, weights))
        least = open_values(information(chances), ways, weights)
        if not ways.goal.any():  # a room that is found ends the hunt, wherever it was to end
            assert (found > least - 1e-9).all()
            more += (found > least + 0.1).any()
    assert more > 0


def test_lengths_are_those_of_the_board():
    bins, turns = (lengths(FERRARI, unit) for unit in ("bins", "turns"))
    assert bins[STUDY, KITCHEN] == 0 and turns[STUDY, KITCHEN] == 1
    assert bins[HALL, LOUNGE] == bins[LOUNGE, HALL] == 8
    assert turns[HALL, LOUNGE] == world(FERRARI)[0].turns[8]
    assert np.array_equal(bins, bins.T)


def make_one(rules=FERRARI, **switches):
    return make(spec_of("hunter", **switches), rules)


# One decision, with chances made up.


def seat(room=None, **switches):
    """Return a function that asks a hunter in seat 0, and the state that it sees."""
    ask, s = bayes_seat(room=room, player=make_one(evidence="exact", **switches))
    return lambda rooms: ask(*EVEN, rooms), s


def test_a_likely_room_is_worth_a_longer_way():
    """Control: where bins are dear it is not."""
    rooms = np.zeros(N_ROOMS)
    rooms[[HALL, LOUNGE, KITCHEN]] = 0.06, 0.06, 0.88
    ask, _ = seat(HALL, benefit_weight=100)
    assert ask(rooms) == MOVE + KITCHEN
    ask, _ = seat(HALL, benefit_weight=100, distance_weight=10)
    assert ask(rooms) == MOVE + LOUNGE


def test_its_own_room_is_a_choice_if_it_goes_out_and_in():
    rooms = np.zeros(N_ROOMS)
    rooms[[HALL, LOUNGE]] = 0.5
    assert seat(HALL)[0](rooms) == MOVE + LOUNGE
    assert seat(HALL, again="same")[0](rooms) >= WALK
    ask, s = seat(HALL)
    s.summoned[0] = 1
    assert ASK <= ask(rooms) < ASK + 36


def test_a_room_that_is_known_is_entered_as_often_as_possible():
    ask, _ = seat(STUDY)
    assert ask(np.eye(N_ROOMS)[KITCHEN]) == PASSAGE
    assert ask(np.eye(N_ROOMS)[HALL]) == MOVE + HALL

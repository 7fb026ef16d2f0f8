"""Actions and observations of plain Python, as people write them; and its chance."""

import enum
from dataclasses import dataclass, field

import numpy as np
import pytest

from mcts.inspect import root_table
from mcts.kernel.rng import below, new_stream, uniform
from mcts.options import Budget, Options
from mcts.plain.chance import Chance
from mcts.plain.problem import Problem
from mcts.plain.values import _remembered, number
from mcts.search import Search


def run_search(problem):
    return Search(problem.position(), Options(exploration=0.2, nodes=100)).run(
        Budget(simulations=200), 1
    )


def test_chance_is_that_of_kernels():
    stream, chance = new_stream(2**64 - 3), Chance(2**64 - 3)
    for _ in range(50):
        assert chance.random() == uniform(stream)
        assert chance.below(7) == below(stream, 7)
        assert chance.choice("abcdefg") == "abcdefg"[below(stream, 7)]
    assert chance.word == stream[0]


def test_all_of_chance_begins_anew_with_its_key():
    def draw_all():
        chance.seed(5)
        return chance.gauss(), chance.getrandbits(70), chance.sample(range(100), 5)

    chance = Chance()
    assert draw_all() == draw_all()
    assert 2**64 < max(chance.getrandbits(70) for _ in range(50)) < 2**70


def test_words_and_tuples_are_numbers_and_their_own_again():
    moves = ["stay", ("go", "north"), ("go", 2.5), frozenset("ab"), None, -1]
    problem = Problem(
        start=[0],
        actions=lambda state: moves,
        step=lambda state, action, chance: (state + 1, float(action == ("go", "north"))),
        observation=lambda state: {"at": state},
        low=0.0,
        high=2.0,
        steps=2,
    )
    result = run_search(problem)
    assert problem.action(result.best) == ("go", "north")
    assert root_table(result, problem.words)[0].words == "('go', 'north')"
    assert [problem.action(found) for found in result.actions] == moves


class Side(enum.StrEnum):
    LEFT = "left"


class Size(enum.IntEnum):
    SMALL = 5001


@dataclass(frozen=True)
class Seen:
    what: str
    when: int = field(default=0, compare=False)


@dataclass(eq=False)
class Move:
    where: int


@pytest.mark.parametrize(
    "equal",
    [
        ("left", Side.LEFT, np.str_("left")),
        (5001, Size.SMALL, np.int64(5001), 5001.0),
        (b"left", np.bytes_(b"left")),
        (Seen("a", 1), Seen("a", 2)),
    ],
    ids=str,
)
def test_equal_values_have_equal_numbers_whichever_comes_first(equal):
    """Equal values have one place in the memory of numbers, so the first stands for the others."""
    found = set()
    for value in equal:
        _remembered.cache_clear()
        found |= {number(value), number((value,))}
    assert len(set(equal)) == 1 and len(found) == 2


def test_chance_has_bits_enough_for_large_numbers():
    chance = Chance(3)
    assert {chance.randrange(2**64) % 2 for _ in range(50)} == {0, 1}
    assert 2**63 < max(chance.randrange(2**64) for _ in range(50)) < 2**64


ROOMS = {
    "array": lambda: np.arange(3),
    "arrays": lambda: list(np.eye(3)),
    "range": lambda: range(3),
    "generator": lambda: (n for n in range(3)),
    "keys": lambda: {"a": 0, "b": 1, "c": 2},
    "dataclass": lambda: [Move(n) for n in range(3)],
}


@pytest.mark.parametrize("kind", ROOMS)
def test_actions_come_as_people_write_them(kind):
    """The third one pays; NumPy says whether it is over."""
    step = Problem(
        start=[0],
        actions=lambda at: ROOMS[kind](),
        step=lambda at, action, chance: (at + 1, float(str(action) == str(list(ROOMS[kind]())[2]))),
        observation=lambda at: np.array([at, at]),
        terminal=lambda at: np.int64(at) >= 2,
        low=0.0,
        high=2.0,
        steps=np.int64(5),
    )
    result = run_search(step)
    assert str(step.action(result.best)) == str(list(ROOMS[kind]())[2])
    assert len(result.actions) == 3 and result.visits.sum() == 200


def test_numbers_do_not_depend_on_the_process():
    assert number("north") == 8315240391598209726
    assert number(frozenset("abcdefgh")) == number(frozenset("hgfedcba"))
    assert number(3) == number(3.0) == number(np.int32(3)) == number(np.array(3)[()]) == 3
    assert number((1, 2)) == number((1.0, True + 1)) == number([1, 2])
    different = ["1", 1, (1,), ("1",), ((1,),), -1, 2**62, 2**63, 2**80, 1.5, None, "None", b"1"]
    assert len(set(map(number, [*different, frozenset([1]), {1: 2}, {2: 1}]))) == 16
    assert all(0 <= number(value) < 2**63 for value in different)

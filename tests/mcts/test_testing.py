"""The contract of domains and searches: it holds for sound ones, and finds each planted fault."""

import random
from dataclasses import replace
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pytest
from whisper import CHANCE, LIST_PEEKS, MOVER, PERSPECTIVES, TOO_HIGH, Whisper

from mcts.contract import testing
from mcts.contract.testing import check_domain, check_search
from mcts.domain import register
from mcts.kernel.atomics import load
from mcts.kernel.compile import jit
from mcts.kernel.rng import below, uniform
from mcts.options import Options
from mcts.plain.problem import Problem
from mcts.problems.tiger import LISTEN_THEN_ACT, RANDOM, TigerParameters
from mcts.search import Search
from mcts.tree import ROOT

Fault = IntEnum(
    "Fault",
    "NONE LIST_PEEKS LIST_PEEKS_BELOW DATUM_PEEKS TWICE NEGATIVE TOO_MANY DATUM_UNWRITTEN "
    "LISTING_CHANGES NO_ACTION FORGETS OVER OWN_CHANCE OWN_CHANCE_LATER WRITES TOO_HIGH "
    "TOO_LOW NAN TAKEN_BACK ENDLESS ONE_WORKSPACE EMPTY_RANGE DISCOUNT NO_DEPTH "
    "COPY_FORGETS NO_COPY NOBODY RAISES",
    start=0,
)

SIDE, TURN, SEEN, USED, ASKED, RELEASED = range(6)
"""Places in a workspace."""
TOSS, HEADS, TAILS = range(3)
"""Actions."""


class Coin(NamedTuple):
    """Say which side a hidden coin shows, after tosses of another one; with one planted fault."""

    fault: int
    prize: np.ndarray
    """float64 (2,): for a wrong and for a right answer."""


def coin(fault=Fault.NONE):
    return Coin(int(fault), np.array([0.0, 1.0]))


@jit
def start(p, s, stream):
    s[SIDE] = HEADS + below(stream, 2)
    s[TURN] = 3 if p.fault == Fault.OVER else 0
    s[SEEN] = 0
    s[ASKED] = 0
    if p.fault != Fault.FORGETS:
        s[USED] = 0


@jit
def actions(p, s, out, edge_data):
    peeks = p.fault == Fault.LIST_PEEKS or (p.fault == Fault.LIST_PEEKS_BELOW and s[TURN] == 1)
    n = 4 if p.fault == Fault.TOO_MANY else 3
    for i in range(n):
        out[i] = 2 - i if peeks and s[SIDE] == HEADS else i
        if p.fault != Fault.DATUM_UNWRITTEN:
            edge_data[i] = s[SIDE] if p.fault == Fault.DATUM_PEEKS else 0.5
    if p.fault == Fault.TWICE:
        out[2] = HEADS
    elif p.fault == Fault.NEGATIVE:
        out[2] = -1
    elif p.fault == Fault.LISTING_CHANGES:
        s[USED] = 1
    return 0 if p.fault == Fault.NO_ACTION else n


@jit
def step(p, s, action, edge_data, stream):
    if p.fault == Fault.RAISES:
        raise ValueError("the coin is gone")
    s[TURN] += 1
    if action == TOSS:
        s[SEEN] = HEADS + below(stream, 2)
        s[USED] += 1
        if p.fault == Fault.OWN_CHANCE:
            return np.random.random() / 64.0
        if p.fault == Fault.WRITES:
            p.prize[0] = 0.25
        return (s[USED] % 8) / 64.0
    s[TURN] = 3
    if p.fault == Fault.TOO_HIGH:
        return 1.5
    if p.fault == Fault.TOO_LOW:
        return -0.5
    if p.fault == Fault.NAN:
        return np.nan
    return 0.5 * p.prize[1 if action == s[SIDE] else 0]


@jit
def observation(p, s):
    return np.uint64(s[SEEN])


@jit
def terminal(p, s):
    if p.fault == Fault.TAKEN_BACK:
        s[ASKED] += 1
        return s[TURN] == 3 and s[ASKED] % 2 == 0
    return s[TURN] >= 3


@jit
def mover(p, s):
    return -1 if p.fault == Fault.NOBODY else 0


@jit
def copy(p, s, into):
    if p.fault != Fault.NO_COPY:
        for i in range(len(s)):
            into[i] = s[i]
    if p.fault == Fault.COPY_FORGETS:
        into[SEEN] = 0


@jit
def rollout(p, s, stream):
    s[TURN] = 3
    if s[SEEN] == TAILS:
        return 0.0
    if p.fault == Fault.OWN_CHANCE_LATER:
        return 0.5 * np.random.random()
    if p.fault == Fault.ENDLESS:
        while load(s, RELEASED) == 0:
            pass
    return 0.5 * p.prize[1 if uniform(stream) < 0.5 else 0]


_MADE = []


def workspace(p):
    if p.fault != Fault.ONE_WORKSPACE or not _MADE:
        _MADE.append(np.zeros(6, np.int64))
    return _MADE[-1]


@pytest.fixture(autouse=True)
def workspaces():
    """Forget the workspaces after each test, and let roll-outs in them end."""
    yield
    for made in _MADE:
        made[RELEASED] = 1
    _MADE.clear()


register(
    Coin,
    discount=lambda p: 0.0 if p.fault == Fault.DISCOUNT else 1.0,
    low=0.0,
    high=lambda p: 0.0 if p.fault == Fault.EMPTY_RANGE else 1.0,
    max_actions=3,
    max_depth=lambda p: 0 if p.fault == Fault.NO_DEPTH else 3,
)

SENTENCES = {
    Fault.LIST_PEEKS: r"after no action: the list depends on hidden information",
    Fault.LIST_PEEKS_BELOW: r"after actions 0 \(seen: [12]\): the list depends on hidden",
    Fault.DATUM_PEEKS: "different actions or edge data after no action",
    Fault.TWICE: r"an action is listed twice after no action: \[0 1 1\]",
    Fault.NEGATIVE: r"an action below 0 is listed after no action: \[ 0  1 -1\]",
    Fault.TOO_MANY: "more actions than max_actions, 3, are listed after no action",
    Fault.DATUM_UNWRITTEN: "listed twice after no action, actions or edge data differ",
    Fault.LISTING_CHANGES: "differs when no lists are requested",
    Fault.NO_ACTION: "offers no action",
    Fault.FORGETS: "start does not reset all that is read",
    Fault.OVER: "the position searched is terminal",
    Fault.OWN_CHANCE: "the domain uses its own random numbers",
    Fault.OWN_CHANCE_LATER: "the domain uses its own random numbers",
    Fault.WRITES: "the domain wrote to p",
    Fault.TOO_HIGH: r"the return 1.5\d* after actions .*[12] leaves the declared range",
    Fault.TOO_LOW: r"the return -0.4\d* after actions .*[12] leaves the declared range 0.0",
    Fault.NAN: "the reward is nan after actions",
    Fault.TAKEN_BACK: "terminal changes between calls after actions",
    Fault.ENDLESS: "a simulation has not ended within 0.2 seconds",
    Fault.ONE_WORKSPACE: r"the workspaces of two threads share memory \(s\)",
    Fault.EMPTY_RANGE: "the range 0.0 to 0.0 is empty",
    Fault.DISCOUNT: "discount must be above 0 and at most 1, not 0.0",
    Fault.NO_DEPTH: "max_depth must be a whole number from 1, not 0",
    Fault.COPY_FORGETS: "copy omits something",
    Fault.NO_COPY: "copy omits something",
    Fault.NOBODY: "mover is -1, of 1 players",
}


def test_a_sound_domain_passes():
    assert check_domain(coin()) > 50


@pytest.mark.parametrize(
    "how", [{"rollout": RANDOM}, {"rollout": LISTEN_THEN_ACT}, {"propagated": True}], ids=str
)
def test_tiger_passes(how):
    assert check_domain(TigerParameters(left=0.3, steps=5, **how)) > 100


@pytest.mark.parametrize("fault", SENTENCES, ids=lambda fault: fault.name)
def test_every_fault_is_found_and_named(fault):
    seconds = 0.2 if fault == Fault.ENDLESS else 60.0
    with pytest.raises(AssertionError, match=SENTENCES[fault]):
        check_domain(coin(fault), seconds=seconds)


def test_a_leak_below_the_root_needs_histories_that_come_again():
    """The count that is returned says whether there were any."""
    assert check_domain(coin(Fault.LIST_PEEKS_BELOW), paths=1, draws=1) == 0


def test_what_a_domain_raises_is_raised():
    with pytest.raises(ValueError, match="the coin is gone"):
        check_domain(coin(Fault.RAISES))


TIGER = TigerParameters(steps=16, discount=1.0, tiger=-12.0, gold=4.0, rollout=RANDOM)


def test_sound_searches_pass():
    check_search(TIGER)


GUESS = Problem(
    start=[1, 2],
    actions=lambda side: [1, 2] if side else [],
    step=lambda side, guess, chance: (0, float(side == guess)),
    observation=lambda side: 0,
    low=0,
    high=1,
    steps=1,
)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (lambda *_: (0, random.random()), "1 threads: the same search grew another tree"),
        (lambda *_: (0, 1.5), r"1 threads: values .* leave the declared range 0.0 to 1.0"),
    ],
    ids=["chance of its own", "return too high"],
)
@pytest.mark.filterwarnings("ignore::mcts.search.OutOfRange")
def test_searches_of_a_faulty_problem_are_found(step, sentence):
    check_search(GUESS.position(), Options(nodes=100), simulations=50)
    with pytest.raises(AssertionError, match=sentence):
        check_search(replace(GUESS, step=step).position(), Options(nodes=100), simulations=50)


@pytest.mark.parametrize(
    ("threads", "spoil", "sentence"),
    [
        (1, lambda search, result: search.tree.visits.__setitem__(ROOT, 1), "1 root visits"),
        (4, lambda search, result: search.tree.edge_in_flight.__setitem__(0, 1), "in flight"),
        (8, lambda search, result: result.visits.__setitem__(0, 0), "visits of the root"),
    ],
    ids=["root visits", "in flight", "result"],
)
def test_a_faulty_search_is_found(monkeypatch, threads, spoil, sentence):
    class Faulty(Search):
        def run(self, budget, key, p=None):
            result = super().run(budget, key, p)
            if self.options.threads == threads:
                spoil(self, result)
            return result

    monkeypatch.setattr(testing, "Search", Faulty)
    with pytest.raises(AssertionError, match=f"{threads} threads: .*{sentence}"):
        check_search(TIGER, Options(nodes=100))


# Several players.


@pytest.mark.parametrize("honest", [0, 1])
@pytest.mark.parametrize("perspectives", [1, 2])
def test_sound_games_pass(perspectives, honest):
    p = Whisper(views=perspectives, honest=honest)
    assert check_domain(p) > 100
    check_search(p, Options(nodes=50, selection="availability"))


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (LIST_PEEKS, r"after actions 0 \(seen: 1\): the list depends on hidden information"),
        (TOO_HIGH, r"the return 1\.25 after actions .* leaves the declared range"),
        (CHANCE, "the domain uses its own random numbers"),
        (MOVER, "mover is 2, of 2 players"),
        (PERSPECTIVES, "perspectives must be 1 or as many as players, not 3"),
    ],
)
def test_every_fault_of_a_game_is_found_and_named(fault, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_domain(Whisper(fault=fault))


def test_a_list_may_depend_on_what_its_own_player_knows():
    assert check_domain(Whisper(fault=LIST_PEEKS, views=2)) > 100

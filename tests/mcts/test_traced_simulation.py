"""The contract of domains in which several players decide: a sound one, and planted faults."""

from typing import NamedTuple

import numpy as np
import pytest

from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from mcts.options import Options
from mcts.testing import check_domain, check_search

FAULTS = (
    "none",
    "list peeks",
    "pay-off too high",
    "chance of its own",
    "mover",
    "perspectives",
)
NONE, LIST_PEEKS, TOO_HIGH, OWN_CHANCE, MOVER, PERSPECTIVES = range(len(FAULTS))

SIDE, TURN, SAID, GUESSED = range(4)
ASK, HEADS, TAILS = range(3)
SAYS, GUESSES = 1, 2
"""Turns, after that at which player 0 asks."""


class Whisper(NamedTuple):
    """Player 0 asks, player 1 says which side its coin shows, player 0 guesses; one wins."""

    fault: int
    perspectives: int
    honest: int


def whisper(fault="none", perspectives=1, honest=1):
    return Whisper(FAULTS.index(fault), perspectives, honest)


@jit
def _start(p, s, stream):
    s[SIDE] = HEADS + below(stream, 2)
    s[TURN] = s[SAID] = s[GUESSED] = 0


@jit
def _actions(p, s, out, edge_data):
    if s[TURN] == 0:
        out[0], edge_data[0] = ASK, 0.0
        return 1
    for i in range(2):
        out[i], edge_data[i] = HEADS + i, 0.0
    if p.fault == LIST_PEEKS and s[TURN] == SAYS:
        out[0] = s[SIDE]
        return 1
    return 2


@jit
def _available(p, s, action):
    return s[TURN] != SAYS or p.honest == 0 or action == s[SIDE]


@jit
def _step(p, s, action, edge_data, stream):
    if s[TURN] == SAYS:
        s[SAID] = action
    elif s[TURN] == GUESSES:
        s[GUESSED] = action
    s[TURN] += 1
    return 0.0


@jit
def _observation(p, s):
    return np.uint64(s[SAID])


@jit
def _seen(p, s, player):
    return np.uint64(s[SIDE] if player == 1 else s[SAID])


@jit
def _mover(p, s):
    if p.fault == MOVER:
        return 2
    return 1 if s[TURN] == SAYS else 0


@jit
def _payoff(p, s, player):
    right = s[GUESSED] == s[SIDE]
    paid = 1.0 if right == (player == 0) else 0.0
    if p.fault == TOO_HIGH and player == 1:
        return paid + 0.5
    if p.fault == OWN_CHANCE:
        return paid * np.random.random()
    return paid


@jit
def _terminal(p, s):
    return s[TURN] > GUESSES


@jit
def _rollout(p, s, stream):
    s[GUESSED] = HEADS + below(stream, 2)
    s[TURN] = GUESSES + 1
    return 0.0


register(
    Whisper,
    start=_start,
    actions=_actions,
    step=_step,
    observation=_observation,
    terminal=_terminal,
    rollout=_rollout,
    mover=_mover,
    available=_available,
    seen=_seen,
    payoff=_payoff,
    workspace=lambda p: np.zeros(4, np.int64),
    discount=1.0,
    low=0.0,
    high=1.0,
    max_actions=2,
    max_depth=3,
    players=2,
    perspectives=lambda p: 3 if p.fault == PERSPECTIVES else p.perspectives,
)


@pytest.mark.parametrize("honest", [0, 1])
@pytest.mark.parametrize("perspectives", [1, 2])
def test_sound_games_pass(perspectives, honest):
    p = whisper(perspectives=perspectives, honest=honest)
    assert check_domain(p) > 100
    check_search(p, Options(nodes=50, selection="availability"))


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ("list peeks", r"after actions 0 \(seen: 0\): the list depends on what is not known"),
        ("pay-off too high", r"the return 1\.5 after actions .* leaves the declared range"),
        ("chance of its own", "the domain uses chance of its own"),
        ("mover", "mover is 2, of 2 players"),
        ("perspectives", "perspectives must be 1 or as many as players, not 3"),
    ],
)
def test_every_fault_is_found_and_named(fault, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_domain(whisper(fault))


def test_a_list_may_depend_on_what_its_own_player_knows():
    assert check_domain(whisper("list peeks", perspectives=2)) > 100

"""The domain of all problems in plain Python: kernels that call back into Python.

One compiled domain serves all of them (`mcts.domain`).  Its parameters hold a number that
identifies the problem and the belief, its workspaces another that identifies the state.
"""

# Numba compares signatures with annotations: functions that a domain registers have none.
# mypy: disallow-untyped-defs=False
from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import fold
from mcts.plain.calling import Raised, ask
from mcts.plain.values import fractional
from mcts.plain.workspaces import (
    ACTION_TYPE,
    ACTIONS,
    AVAILABLE,
    COPY,
    MOVER,
    OVER,
    ROLLOUT,
    ROWS,
    SEEN,
    SEEN_BY,
    SLOT,
    START,
    STATE,
    STEP,
    STREAM,
    TO_GO,
    Reference,
    attach,
    refer,
)
from mcts.threads import private

MOST_ROWS = 2**14
"""Steps kept, for a problem with repeated states."""

_FEW = 8
"""Observations too few to show whether they recur."""


class PlainPosition(NamedTuple):
    """A position of a problem in plain Python; made by `Problem.position`."""

    number: Reference
    players: int
    hides: int
    """1: listed actions may be unavailable."""
    steps: int
    """Actions to go; a simulation ends there at the latest."""

    def contents(self) -> list[bytes]:
        """Return the pickled states of the belief, if it lists any, to detect changes of them."""
        belief = self.number.searched.belief
        try:
            return [] if callable(belief) else [pickle.dumps(state) for state in belief]
        except (pickle.PicklingError, TypeError, AttributeError):
            return []

    def words(self, action: int) -> str:
        """Return the action of a number in words."""
        return self.number.searched.problem.words(action)

    def words_seen(self, observation: int) -> str:
        """Return the observation of a number in words, if it was seen while watched."""
        return repr((self.number.searched.observed or {}).get(observation, observation))

    def watch(self) -> None:
        """Keep observations from now on, and check all roll-outs."""
        self.number.searched.observed, self.number.searched.unchecked = {}, 2**62

    def doubt(self, times: Mapping[int, int]) -> str | None:
        """Return in words why the tree is one action deep, if observations do not recur.

        ``times``: how often each was seen while watched, by its number.
        """
        observed = (self.number.searched.observed or {}).items()
        once = [value for found, value in observed if times.get(found) == 1 and fractional(value)]
        total = sum(times.values())
        if total < _FEW or 2 * len(once) <= total:
            return None
        return (
            f"{len(once)} of {total} observations were seen once, such as {once[0]!r}: the search "
            "looks only one action ahead; round them, or plan with POMCPOW (mcts.continuous)"
        )


def position_of(problem: Any, belief: Any, steps: int) -> PlainPosition:
    """Return the position of ``problem`` at ``belief`` with ``steps`` to go."""
    hides = int(problem.available is not None)
    return PlainPosition(refer(problem, belief), int(problem.players), hides, int(steps))


@jit
def _row_width(players):
    """Return the words of a row: a key, and the cells from `STATE` to the returns."""
    return 1 + SEEN_BY + 2 * players - STATE


def workspace(p: PlainPosition) -> np.ndarray:
    """Return a workspace, int64, with the places of `mcts.plain.workspaces`."""
    problem = p.number.searched.problem
    rows, width = MOST_ROWS if problem.same else 0, int(_row_width(p.players))
    s = private(SEEN_BY + 2 * p.players + problem.most_actions + rows * width, np.int64)
    s[ROWS], s[SLOT] = rows, attach(s, width)
    return s


@jit
def _ask_python(p, s, what, argument):
    """Return Python's answer, or raise its exception."""
    answer = ask(what, p.number, s[SLOT], argument)
    if math.isnan(answer):
        raise Raised()
    return answer


@jit
def _ask_with_chance(p, s, what, argument, stream):
    """Return Python's answer to a question that draws from ``stream``."""
    s[STREAM] = np.int64(stream[0])
    answer = _ask_python(p, s, what, argument)
    stream[0] = np.uint64(s[STREAM])
    return answer


@jit
def start(p, s, stream):
    """Draw the state; draws as the problem does."""
    s[SEEN] = s[MOVER] = s[STATE] = 0
    s[TO_GO] = p.steps
    _ask_with_chance(p, s, START, 0, stream)


@jit
def actions(p, s, out, edge_data):
    """List the actions by number."""
    n = int(_ask_python(p, s, ACTIONS, 0))
    for i in range(n):
        out[i] = s[SEEN_BY + 2 * p.players + i]
        edge_data[i] = 0.0
    return n


@jit
def step(p, s, action, edge_data, stream):
    """Step, without Python if cached; else draws as the problem does."""
    s[TO_GO] -= 1
    before, word = s[STATE], stream[0]
    if before == 0 or s[ROWS] == 0 or s[TO_GO] == 0:
        return _ask_with_chance(p, s, STEP, action, stream)
    key = np.int64(fold(fold(fold(0, p.number), before), action) >> 1)
    width = _row_width(p.players)
    row = len(s) - width * (1 + key % s[ROWS])
    if s[row] == key:
        for i in range(1, width):
            s[STATE + i - 1] = s[row + i]
        return 0.0
    reward = _ask_with_chance(p, s, STEP, action, stream)
    if reward == 0.0 and stream[0] == word and s[STATE] > 0:
        s[row] = key
        for i in range(1, width):
            s[row + i] = s[STATE + i - 1]
    return reward


@jit
def observation(p, s):
    """Return the number of the observation."""
    return np.uint64(s[SEEN])


@jit
def terminal(p, s):
    """Return whether the state is terminal."""
    return s[OVER] != 0


@jit
def rollout(p, s, stream):
    """Roll out; draws as the problem does."""
    return _ask_with_chance(p, s, ROLLOUT, 0, stream)


@jit
def mover(p, s):
    """Return the player to move."""
    return s[MOVER]


@jit
def available(p, s, action):
    """Return whether an action is legal in this state."""
    return p.hides == 0 or _ask_python(p, s, AVAILABLE, action) != 0.0


@jit
def action_type(p, s, action):
    """Return the type of an action."""
    return int(_ask_python(p, s, ACTION_TYPE, action))


@jit
def observation_of(p, s, player):
    """Return the number of ``player``'s observation."""
    s[SEEN] = s[SEEN_BY + player]
    return np.uint64(s[SEEN])


@jit
def payoff(p, s, player):
    """Return ``player``'s payoff."""
    at = SEEN_BY + p.players + player
    return s[at : at + 1].view(np.float64)[0]


@jit
def copy(p, s, into):
    """Copy the reference to the state, and what is cached of it."""
    for i in range(TO_GO, SEEN_BY + 2 * p.players):
        if i != ROWS:
            into[i] = s[i]
    _ask_python(p, s, COPY, into[SLOT])


def _of(name: str) -> Callable[[PlainPosition], Any]:
    """Return the declaration that reads ``name`` of the problem."""
    return lambda p: getattr(p.number.searched.problem, name)


register(
    PlainPosition,
    discount=_of("discount"),
    low=_of("low"),
    high=_of("high"),
    max_actions=_of("most_actions"),
    max_depth=lambda p: p.steps,
    players=_of("players"),
    perspectives=lambda p: p.players if p.number.searched.problem.trees else 1,
)

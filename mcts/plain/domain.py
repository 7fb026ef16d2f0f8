"""The domain of all problems in plain Python: kernels that call back into Python.

One compiled domain serves all of them (`mcts.domain`).  Its parameters hold a number that
identifies the problem and the belief, its workspaces another that identifies the state; the
workspace also caches what the search reads repeatedly: whether the state is terminal, player to
move, observations, payoffs.  So a step in the tree is one call of Python, and a whole roll-out
another.
"""

# Numba compares signatures with annotations: functions that a domain registers have none.
# mypy: disallow-untyped-defs=False
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mcts.domain import TYPES, register
from mcts.kernel.compile import jit
from mcts.kernel.rng import fold
from mcts.plain.calling import Raised, answer_by, ask
from mcts.plain.values import below, number, number_of, real, show, truth
from mcts.plain.workspaces import (
    MOST_KNOWN,
    MOVER,
    OVER,
    ROWS,
    SEEN,
    SEEN_BY,
    SLOT,
    STATE,
    STREAM,
    TO_GO,
    PlainPosition,
    Searched,
    Workspace,
    row_width,
    searched_by_number,
    workspace,
    workspaces,
)

_START, _ACTIONS, _STEP, _ROLLOUT, _COPY, _AVAILABLE, _ACTION_TYPE = range(7)
"""Questions of kernels."""


def _answer(what: int, position: int, slot: int, argument: int) -> float:
    """Answer the question ``what`` of a kernel about a position and workspace."""
    searched, w = searched_by_number[position], workspaces[slot]
    if found := w.cells[STATE]:
        w.state = searched.states[found]  # the kernel may have continued alone
    return _ANSWERS[what](searched, w, argument)


def _note(searched: Searched, w: Workspace, state: Any, begins: bool = False) -> None:
    """Set the workspace's ``state``, and cache its immediate properties."""
    problem, cells = searched.problem, w.cells
    w.state = state
    ended = cells[TO_GO] == 0  # need not hold when the same state is met again
    if problem.same and not ended:
        known = searched.known.get(state)
        if known is not None:
            cells[STATE : STATE + len(known)] = known
            return
    cells[STATE] = 0
    cells[OVER] = over = ended or problem.over(state)
    if problem.players > 1:
        mover = 0 if over else problem.mover(state)
        if not below(mover, problem.players):
            raise ValueError(f"mover says {show(mover)}, of {problem.players} players")
        cells[MOVER] = int(mover)
        if over:
            _pay(problem, w)
    if not over:
        _look(searched, w, begins)
    if problem.same and not ended and len(searched.states) < MOST_KNOWN:
        with searched.adding:
            found = len(searched.states)
            searched.states.append(state)
        cells[STATE] = found
        end = SEEN_BY + 2 * problem.players
        searched.known[state] = memoryview(bytes(cells[STATE:end])).cast("Q")


def _look(searched: Searched, w: Workspace, begins: bool) -> None:
    """Cache observations: of players who have nodes; at the start of those not searching."""
    problem = searched.problem
    begins = begins and not problem.same
    if problem.players == 1:
        if not begins:
            seen = problem.observation(w.state)
            w.cells[SEEN] = _number_of(searched, seen, "observation(state)")
        return
    for player in range(begins, problem.players if problem.trees else 1):
        seen = problem.seen(w.state, player)
        w.cells[SEEN_BY + player] = _number_of(searched, seen, "seen(state, player)")


def _number_of(searched: Searched, seen: Any, of: str) -> int:
    """Return the number of an observation, and remember it if watched."""
    found = number_of(seen, of)
    if searched.observed is not None:
        searched.observed.setdefault(found, seen)
    return found


def _pay(problem: Any, w: Workspace) -> None:
    """Cache each player's payoff."""
    for player in range(problem.players):
        paid = real(problem.payoff(w.state, player), "payoff(state, player)")
        w.paid[SEEN_BY + problem.players + player] = paid


def _start(searched: Searched, w: Workspace, argument: int) -> float:
    chance = w.chance
    chance.seed(w.cells[STREAM])
    _note(searched, w, searched.problem.draw(searched.belief, chance), begins=True)
    if w.cells[OVER]:
        raise ValueError(
            f"a simulation began in a terminal state, {show(w.state)}: the belief must exclude "
            "it, and step must not change a state of a belief"
        )
    w.cells[STREAM] = chance.word
    return 0.0


def _actions(searched: Searched, w: Workspace, argument: int) -> float:
    problem = searched.problem
    found = [problem.number(action) for action in problem.list_actions(w.state)]
    begin = SEEN_BY + 2 * problem.players
    rows = w.cells[ROWS] * row_width(problem.players)
    room = min(problem.most_actions, len(w.cells) - rows - begin)  # of the first problem searched
    if len(found) > room:
        raise ValueError(
            f"{len(found)} actions are more than the problem's most_actions, {room}: raise it"
        )
    if len(set(found)) < len(found):
        twice = next(action for i, action in enumerate(found) if action in found[:i])
        raise ValueError(f"actions(state) lists {show(problem.action(twice))} twice")
    for i, action in enumerate(found, begin):
        w.cells[i] = action
    return len(found)


def _step(searched: Searched, w: Workspace, argument: int) -> float:
    problem, chance = searched.problem, w.chance
    chance.seed(w.cells[STREAM])
    state, reward = problem.step_checked(w.state, problem.action(argument), chance)
    _note(searched, w, state)
    w.cells[STREAM] = chance.word
    return reward


def _rollout(searched: Searched, w: Workspace, argument: int) -> float:
    problem, chance = searched.problem, w.chance
    chance.seed(w.cells[STREAM])
    choose = problem.rollout
    total, weight = 0.0, 1.0
    left = w.cells[TO_GO]
    w.cells[STATE] = 0
    searched.unchecked -= 1
    checked = searched.unchecked >= 0
    if problem.play_out is not None:
        w.state, left = problem.play_out(w.state, chance), 0
    while left > 0:
        if problem.terminal is not None:
            over = problem.terminal(w.state)
            if over is not False and truth(over, "terminal(state)"):
                break
        if choose is None or problem.terminal is None:
            legal = problem.list_actions(w.state)
            if problem.available is not None:
                legal = _list_available(problem, w.state, legal)
            if not legal:
                break
        if choose is None:
            action = legal[chance.below(len(legal))]
        else:
            action = choose(w.state, chance)
            if checked:
                _check_choice(problem, w.state, action)
        left -= 1
        w.state, reward = problem.step_checked(w.state, action, chance)
        total += weight * reward
        weight *= problem.discount
    if problem.players > 1:
        _pay(problem, w)
    w.cells[STREAM] = chance.word
    return total


def _list_available(problem: Any, state: Any, listed: Sequence[Any]) -> Sequence[Any]:
    """Return the available ones of the actions ``listed``."""
    if problem.available is None:
        return listed
    of = "available(state, action)"
    return [action for action in listed if truth(problem.available(state, action), of)]


def _check_choice(problem: Any, state: Any, action: Any) -> None:
    """Raise ValueError if ``action``, which `rollout` chose, is not legal."""
    legal = _list_available(problem, state, problem.list_actions(state))
    if number_of(action, "rollout(state, chance)") not in map(number, legal):
        raise ValueError(
            f"rollout(state, chance) chose {show(action)}, which is illegal in {show(state)}"
        )


def _copy(searched: Searched, w: Workspace, argument: int) -> float:
    into = workspaces[argument]
    into.state = w.state
    return 0.0


def _available(searched: Searched, w: Workspace, argument: int) -> float:
    problem = searched.problem
    return truth(problem.available(w.state, problem.action(argument)), "available(state, action)")


def _action_type(searched: Searched, w: Workspace, argument: int) -> float:
    problem = searched.problem
    if problem.action_type is None:
        return 0.0
    action = problem.action(argument)
    kind = problem.action_type(action)
    if not below(kind, TYPES):
        raise ValueError(
            f"action_type({show(action)}) is {show(kind)}: it must be from 0 to {TYPES - 1}"
        )
    return float(kind)


_ANSWERS: tuple[Callable[[Searched, Workspace, int], float], ...] = (
    *(_start, _actions, _step, _rollout),
    *(_copy, _available, _action_type),
)
answer_by(_answer)


@jit
def _ask_python(p, s, what, argument):
    """Return Python's answer, or raise its exception."""
    answer = ask(what, p.number, s[SLOT], argument)
    if math.isnan(answer):
        raise Raised()
    return answer


@jit
def _ask_python_with_chance(p, s, what, argument, stream):
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
    _ask_python_with_chance(p, s, _START, 0, stream)


@jit
def actions(p, s, out, edge_data):
    """List the actions by number."""
    n = int(_ask_python(p, s, _ACTIONS, 0))
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
        return _ask_python_with_chance(p, s, _STEP, action, stream)
    key = np.int64(fold(fold(fold(0, p.number), before), action) >> 1)
    width = row_width(p.players)
    row = len(s) - width * (1 + key % s[ROWS])
    if s[row] == key:
        for i in range(1, width):
            s[STATE + i - 1] = s[row + i]
        return 0.0
    reward = _ask_python_with_chance(p, s, _STEP, action, stream)
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
    return _ask_python_with_chance(p, s, _ROLLOUT, 0, stream)


@jit
def mover(p, s):
    """Return the player to move."""
    return s[MOVER]


@jit
def available(p, s, action):
    """Return whether an action is legal in this state."""
    return p.hides == 0 or _ask_python(p, s, _AVAILABLE, action) != 0.0


@jit
def action_type(p, s, action):
    """Return the type of an action."""
    return int(_ask_python(p, s, _ACTION_TYPE, action))


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
    """Copy the reference to the state."""
    for i in range(TO_GO, SEEN_BY + 2 * p.players):
        if i != ROWS:
            into[i] = s[i]
    _ask_python(p, s, _COPY, into[SLOT])


def _of(name: str) -> Callable[[PlainPosition], Any]:
    """Return the declaration that reads ``name`` of the problem."""
    return lambda p: getattr(p.number.searched.problem, name)


register(
    PlainPosition,
    start=start,
    actions=actions,
    step=step,
    observation=observation,
    terminal=terminal,
    rollout=rollout,
    mover=mover,
    available=available,
    action_type=action_type,
    observation_of=observation_of,
    payoff=payoff,
    copy=copy,
    workspace=workspace,
    discount=_of("discount"),
    low=_of("low"),
    high=_of("high"),
    max_actions=_of("most_actions"),
    max_depth=lambda p: p.steps,
    players=_of("players"),
    perspectives=lambda p: p.players if p.number.searched.problem.trees else 1,
)

"""Positions and workspaces of problems in plain Python, and the answers to a kernel's questions.

A kernel knows a position by one number and a workspace by another.  The array of a workspace holds
what the search reads repeatedly, so that a step in the tree is one call of Python, and a whole
roll-out another.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from mcts.domain import TYPES
from mcts.plain.chance import Chance
from mcts.plain.values import below, number, number_of, real, show, truth

SLOT, STREAM, TO_GO, ROWS, STATE, OVER, SEEN, MOVER, SEEN_BY = range(9)
"""Places in a workspace's array: its number, the stream, steps to go, the number of rows, the
state's number or 0, whether it is terminal, what was seen, the player to move, and what each player
saw; then follow each player's return, the list of actions, and the rows of earlier steps."""

MOST_KNOWN = 100_000
"""Maximum number of numbered states, for a problem with repeated states."""

CHECKED = 8
"""Roll-outs of a position whose actions are checked against the legal ones."""

_numbers = itertools.count(1)
searched_by_number: weakref.WeakValueDictionary[int, Searched] = weakref.WeakValueDictionary()
workspaces: dict[int, Workspace] = {}


class Searched:
    """A problem (`mcts.plain.problem.Problem`) and the belief that a search begins with."""

    def __init__(self, problem: Any, belief: Any) -> None:
        self.problem, self.belief = problem, belief
        self.unchecked = CHECKED
        self.observed: dict[int, Any] | None = None  # by number, if watched
        self.adding = threading.Lock()  # of states, whose numbers are their indices
        self.known: dict[Any, memoryview] = {}  # cells from `STATE` on
        self.states: list[Any] = [None]  # by number

    def number_seen(self, seen: Any, of: str) -> int:
        """Return the number of an observation, and remember it if watched."""
        found = number_of(seen, of)
        if self.observed is not None:
            self.observed.setdefault(found, seen)
        return found


class Reference(int):
    """The number of a `Searched`, alive as long as this object."""

    searched: Searched

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a new number in another process."""
        return refer, (self.searched.problem, self.searched.belief)


def refer(problem: Any, belief: Any) -> Reference:
    """Return a new reference to ``problem``, searched from ``belief``."""
    reference = Reference(next(_numbers))
    reference.searched = searched_by_number[int(reference)] = Searched(problem, belief)
    return reference


class Workspace:
    """The Python part of a workspace: its state, and the answers about it.

    ``width``: words of a row of its array, whose memory ``cells`` are.
    """

    def __init__(self, cells: memoryview, width: int) -> None:
        self.cells, self.paid = cells, cells.cast("B").cast("d")
        self.width = width
        self.chance = Chance()
        self.state: Any = None

    def note(self, searched: Searched, state: Any, begins: bool = False) -> None:
        """Set the ``state``, and cache its immediate properties."""
        problem, cells = searched.problem, self.cells
        self.state = state
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
                self.pay(problem)
        if not over:
            self._look(searched, begins and not problem.same)
        if problem.same and not ended and len(searched.states) < MOST_KNOWN:
            with searched.adding:
                found = len(searched.states)
                searched.states.append(state)
            cells[STATE] = found
            end = SEEN_BY + 2 * problem.players
            searched.known[state] = memoryview(bytes(cells[STATE:end])).cast("Q")

    def _look(self, searched: Searched, begins: bool) -> None:
        """Cache observations: of players who have nodes; at the start of those not searching."""
        problem = searched.problem
        if problem.players > 1:
            for player in range(begins, problem.players if problem.trees else 1):
                seen = problem.seen(self.state, player)
                self.cells[SEEN_BY + player] = searched.number_seen(seen, "seen(state, player)")
        elif not begins:
            seen = problem.observation(self.state)
            self.cells[SEEN] = searched.number_seen(seen, "observation(state)")

    def pay(self, problem: Any) -> None:
        """Cache each player's payoff."""
        for player in range(problem.players):
            paid = real(problem.payoff(self.state, player), "payoff(state, player)")
            self.paid[SEEN_BY + problem.players + player] = paid


def _start(searched: Searched, w: Workspace, argument: int) -> float:
    w.note(searched, searched.problem.draw(searched.belief, w.chance), begins=True)
    if w.cells[OVER]:
        raise ValueError(
            f"a simulation began in a terminal state, {show(w.state)}: the belief must exclude "
            "it, and step must not change a state of a belief"
        )
    return 0.0


def _actions(searched: Searched, w: Workspace, argument: int) -> float:
    problem = searched.problem
    found = [problem.number(action) for action in problem.list_actions(w.state)]
    begin = SEEN_BY + 2 * problem.players
    rows = w.cells[ROWS] * w.width
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
    problem = searched.problem
    state, reward = problem.step_checked(w.state, problem.action(argument), w.chance)
    w.note(searched, state)
    return reward


def _rollout(searched: Searched, w: Workspace, argument: int) -> float:
    problem, chance = searched.problem, w.chance
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
        w.pay(problem)
    return total


def _list_available(problem: Any, state: Any, listed: Sequence[Any]) -> Sequence[Any]:
    """Return the ``listed`` actions that are available in ``state``."""
    if problem.available is None:
        return listed
    of = "available(state, action)"
    return [action for action in listed if truth(problem.available(state, action), of)]


def _check_choice(problem: Any, state: Any, action: Any) -> None:
    """Raise ValueError if ``action``, which `rollout` chose, is not legal."""
    chosen = number_of(action, "rollout(state, chance)")
    if chosen not in map(number, _list_available(problem, state, problem.list_actions(state))):
        raise ValueError(
            f"rollout(state, chance) chose {show(action)}, which is illegal in {show(state)}"
        )


def _copy(searched: Searched, w: Workspace, argument: int) -> float:
    workspaces[argument].state = w.state
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


START, STEP, ROLLOUT, ACTIONS, COPY, AVAILABLE, ACTION_TYPE = range(7)
"""Questions of kernels; the first three draw from the stream."""

_ANSWERS: tuple[Callable[[Searched, Workspace, int], float], ...] = (
    *(_start, _step, _rollout, _actions),
    *(_copy, _available, _action_type),
)


def answer(what: int, position: int, slot: int, argument: int) -> float:
    """Answer the question ``what`` of a kernel about a position and a workspace."""
    searched, w = searched_by_number[position], workspaces[slot]
    if found := w.cells[STATE]:
        w.state = searched.states[found]  # the kernel may have continued alone
    if what > ROLLOUT:
        return _ANSWERS[what](searched, w, argument)
    w.chance.seed(w.cells[STREAM])
    answered = _ANSWERS[what](searched, w, argument)
    w.cells[STREAM] = w.chance.word
    return answered


def attach(array: Any, width: int) -> int:
    """Return the number of a new workspace with the memory ``array``, kept as long as that is."""
    slot = next(_numbers)
    workspaces[slot] = Workspace(array[:].data.cast("B").cast("Q"), width)  # not of itself
    weakref.finalize(array, workspaces.pop, slot, None)
    return slot

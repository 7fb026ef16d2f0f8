"""Positions and workspaces of problems in plain Python: how a kernel refers to Python objects."""

# Numba compares signatures with annotations: functions that a kernel calls have none.
# mypy: disallow-untyped-defs=False
from __future__ import annotations

import itertools
import pickle
import threading
import weakref
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from mcts.plain.chance import Chance
from mcts.plain.values import fractional
from mcts.threads import private

SLOT, STREAM, TO_GO, ROWS, STATE, OVER, SEEN, MOVER, SEEN_BY = range(9)
"""Places in a workspace; the last begins what each player saw, then follow the bits of each
player's return, the list of actions, and finally the rows of earlier steps."""

MOST_ROWS, MOST_KNOWN = 2**14, 100_000
"""For a problem with repeated states: steps kept, and states that have a number."""


CHECKED = 8
"""Roll-outs of a position whose actions are checked against the legal ones."""


_FEW = 8
"""Observations too few to show whether they recur."""


class Searched:
    """A problem (`mcts.plain.problem.Problem`) and the belief that a search begins with."""

    def __init__(self, problem: Any, belief: Any) -> None:
        self.problem, self.belief = problem, belief
        self.unchecked = CHECKED
        self.observed: dict[int, Any] | None = None  # by number, if watched
        self.adding = threading.Lock()  # of states, whose numbers are their indices
        self.known: dict[Any, memoryview] = {}  # cells from `STATE` on
        self.states: list[Any] = [None]  # by number


class Reference(int):
    """The number of a `Searched`, alive as long as this object."""

    searched: Searched

    def __reduce__(self) -> tuple:
        """Pickle as a new number in another process."""
        return _refer, (self.searched.problem, self.searched.belief)


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
        observed = self.number.searched.observed or {}
        once = [
            value
            for found, value in observed.items()
            if times.get(found) == 1 and fractional(value)
        ]
        total = sum(times.values())
        if total < _FEW or 2 * len(once) <= total:
            return None
        return (
            f"{len(once)} of {total} observations were seen once, such as {once[0]!r}: the search "
            "looks only one action ahead; round them, or plan with POMCPOW (mcts.continuous)"
        )


class Workspace:
    """The Python part of a workspace."""

    def __init__(self, cells: memoryview) -> None:
        self.cells, self.paid = cells, cells.cast("B").cast("d")
        self.chance = Chance()
        self.state: Any = None


_numbers = itertools.count(1)
searched_by_number: weakref.WeakValueDictionary[int, Searched] = weakref.WeakValueDictionary()
workspaces: dict[int, Workspace] = {}


def _refer(problem: Any, belief: Any) -> Reference:
    """Return a new reference."""
    reference = Reference(next(_numbers))
    reference.searched = searched_by_number[int(reference)] = Searched(problem, belief)
    return reference


def position_of(problem: Any, belief: Any, steps: int) -> PlainPosition:
    """Return the position of ``problem`` at ``belief`` with ``steps`` to go."""
    hides = int(problem.available is not None)
    return PlainPosition(_refer(problem, belief), int(problem.players), hides, int(steps))


def workspace(p: PlainPosition) -> np.ndarray:
    """Return a workspace, int64: its number, the stream, steps to go, rows at the end, the state's
    number or 0, whether it is terminal, what was seen, player to move, 2 players: what each saw
    and its return, the longest list: actions, and the rows.
    """
    problem = p.number.searched.problem
    rows = MOST_ROWS if problem.same else 0
    cells = SEEN_BY + 2 * p.players + problem.most_actions
    s = private(cells + rows * row_width(p.players), np.int64)
    s[ROWS] = rows
    s[SLOT] = slot = next(_numbers)
    workspaces[slot] = Workspace(s[:].data.cast("B").cast("Q"))  # not of `s` itself
    weakref.finalize(s, workspaces.pop, slot, None)
    return s


@jit
def row_width(players):
    """Return the words of a row: a key, and the cells from `STATE` to the returns."""
    return 1 + SEEN_BY + 2 * players - STATE

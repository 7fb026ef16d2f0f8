"""Positions and workspaces of problems in plain Python: how a kernel names what Python holds."""

# Numba compares signatures with annotations: what a kernel calls has none.
# mypy: disallow-untyped-defs=False
from __future__ import annotations

import itertools
import pickle
import weakref
from typing import Any, NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from mcts.plain.chance import Chance
from mcts.threads import private

SLOT, STREAM, TO_GO, ROWS, STATE, OVER, SEEN, MOVER, SEEN_BY = range(9)
"""Places in a workspace; the last begins what each player saw, then come the bits of what each is
paid, then the list of actions, and in the end rows of steps that were made before."""

MOST_ROWS, MOST_KNOWN = 2**14, 100_000
"""For a problem whose states are met again: steps kept, and states that have a number."""


class Searched:
    """A problem (`mcts.plain.problem.Problem`) and the belief that a search begins with."""

    def __init__(self, problem: Any, belief: Any) -> None:
        self.problem, self.belief = problem, belief
        self.known: dict[Any, memoryview] = {}  # cells from `STATE` on
        self.states: list[Any] = [None]  # by number


class Reference(int):
    """The number of a `Searched`, which lives as long as this does."""

    searched: Searched

    def __reduce__(self) -> tuple:
        """Be another number in another process."""
        return _refer, (self.searched.problem, self.searched.belief)


class PlainPosition(NamedTuple):
    """A position of a problem in plain Python; made by `Problem.position`."""

    number: Reference
    players: int
    hides: int
    """1: actions that are listed may be unavailable."""
    steps: int
    """Actions to go, at which a simulation ends in any case."""

    def contents(self) -> list[bytes]:
        """Return the states of the belief, if it lists any that can be: nobody may change them."""
        belief = self.number.searched.belief
        try:
            return [] if callable(belief) else [pickle.dumps(state) for state in belief]
        except (pickle.PicklingError, TypeError, AttributeError):
            return []


class Workspace:
    """Python's part of a workspace."""

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
    """Return the position of ``problem`` at ``belief`` with so many ``steps`` to go."""
    hides = int(problem.available is not None)
    return PlainPosition(_refer(problem, belief), int(problem.players), hides, int(steps))


def workspace(p: PlainPosition) -> np.ndarray:
    """Return a workspace, int64: its number, the stream, steps to go, rows at the end, the state's
    number or 0, whether all is over, what was seen, whose decision it is, 2 players: what each saw
    and is paid, the longest list: actions, and the rows.
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
    """Return the words of a row: a key, and the cells from `STATE` to what is paid."""
    return 1 + SEEN_BY + 2 * players - STATE

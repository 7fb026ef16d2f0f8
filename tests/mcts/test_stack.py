"""Scratch arrays on the stack: their own for every call, and of constant size."""

import pytest

from mcts.kernel.compile import jit
from mcts.kernel.faults import KernelFault
from mcts.kernel.stack import floats

ROWS, COLUMNS = 3, 5


@jit
def fill(start: float) -> float:
    """Return the sum of an array filled with ``start``, ``start`` + 1, ..."""
    made = floats(ROWS, COLUMNS)
    for row in range(ROWS):
        for column in range(COLUMNS):
            made[row, column] = start + COLUMNS * row + column
    return made.sum()


@jit
def keep(start: float) -> float:
    """Return an element written before another call that has an array of its own."""
    made = floats(ROWS, COLUMNS)
    made[ROWS - 1, COLUMNS - 1] = start
    fill(start + 1.0)
    return made[ROWS - 1, COLUMNS - 1]


def test_every_call_has_an_array_of_its_own():
    assert fill(0.0) == sum(range(15))
    assert fill(2.0) == sum(range(2, 17))
    assert keep(7.0) == 7.0


def test_a_size_that_is_no_constant_is_refused():
    def make_sized(rows):
        return floats(rows, COLUMNS)[0, 0]

    with pytest.raises(KernelFault):
        jit(make_sized)(ROWS)

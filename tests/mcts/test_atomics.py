"""Atomics under several threads, scratch arrays on the stack, and what both refuse."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mcts.kernel.atomics import compare_and_swap, fetch_add, load
from mcts.kernel.compile import INTERPRETED, jit
from mcts.kernel.faults import KernelFault
from mcts.kernel.stack import floats

THREADS = 4
ROUNDS = 2_000 if INTERPRETED else 200_000


@jit
def add_many(array, index, amount, rounds):
    """Add ``amount`` to one element again and again; return the last value it had before."""
    before = array[index]
    for _ in range(rounds):
        before = fetch_add(array, index, amount)
    return before


@jit
def claim(array, me, mine):
    """Write ``me`` to the elements of ``array`` that are still 0, noting which were won."""
    for i in range(len(array)):
        mine[i] = compare_and_swap(array, i, 0, me) == 0


@jit
def read(array, index):
    """Load one element."""
    return load(array, index)


@jit
def add_plainly(array, index, amount, rounds):
    """Do as `add_many`, without atomics; what is in between keeps LLVM from adding once."""
    for _ in range(rounds):
        array[index] = read(array, index) + amount


def together(function, arguments):
    """Call ``function`` on each tuple of arguments, each in its own thread; return the results."""
    with ThreadPoolExecutor(len(arguments)) as pool:
        return [job.result() for job in [pool.submit(function, *args) for args in arguments]]


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64])
def test_no_addition_is_lost(dtype):
    array = np.zeros(4, dtype)
    add_many(array, 2, array.dtype.type(1), 1)
    together(add_many, [(array, 2, array.dtype.type(3), ROUNDS)] * THREADS)
    assert array.tolist() == [0, 0, 1 + 3 * THREADS * ROUNDS, 0]


@pytest.mark.skipif(INTERPRETED, reason="the interpreter switches threads too seldom")
def test_additions_without_atomics_are_lost():
    array = np.zeros(4)
    add_plainly(array, 2, 1.0, 1)
    together(add_plainly, [(array, 2, 1.0, 20 * ROUNDS)] * THREADS)
    assert array[2] < 1 + THREADS * 20 * ROUNDS


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_every_swap_has_one_winner(dtype):
    size = max(100, ROUNDS // 10)
    array = np.zeros(size, dtype)
    won = np.zeros((THREADS, size), np.bool_)
    claim(np.zeros(1, dtype), array.dtype.type(1), won[0, :1])
    won[:] = False
    together(claim, [(array, array.dtype.type(i + 1), won[i]) for i in range(THREADS)])
    assert (won.sum(axis=0) == 1).all()
    assert (array == won.argmax(axis=0) + 1).all()


@pytest.mark.skipif(INTERPRETED, reason="types are checked by the compiler")
@pytest.mark.parametrize("array", [np.zeros(3, np.int32), np.zeros((2, 2)), np.zeros(6)[::2]])
def test_other_arrays_are_refused(array):
    with pytest.raises(KernelFault, match="1-d contiguous array"):
        add_many(array, 0, 1, 1)


@pytest.mark.skipif(INTERPRETED, reason="types are checked by the compiler")
def test_swapping_floats_is_refused():
    with pytest.raises(KernelFault, match="int64, uint64"):
        claim(np.zeros(2), 1.0, np.zeros(2, np.bool_))


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

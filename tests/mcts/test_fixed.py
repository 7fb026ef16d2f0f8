"""A kernel with fixed types gives what the kernel gives, and types are looked at once."""

import numpy as np
import pytest

from mcts.kernel.compile import INTERPRETED, jit
from mcts.kernel.fixed import FixedTypes

compiled = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

PAIR = np.dtype([("one", np.int64), ("two", np.float64)])


@jit
def weigh(rows, weight):
    total = 0.0
    for i in range(len(rows)):
        total += rows[i].one * rows[i].two
    return weight * total


def pairs(n):
    rows = np.zeros(n, np.dtype((np.record, PAIR)))
    rows["one"], rows["two"] = np.arange(n), 0.5
    return rows


def test_it_gives_what_the_kernel_gives():
    fixed = FixedTypes(weigh)
    for n, weight in ((4, 2), (1, 7), (200, -3)):
        assert fixed.call(pairs(n), weight) == weigh(pairs(n), weight)


@compiled
def test_types_are_looked_at_once(calls):
    fixed, rows, slow = FixedTypes(weigh), pairs(5), pairs(5).view(np.recarray)
    for _ in range(2):
        fixed.call(rows, 2)
        weigh(slow, 2)
    assert calls(lambda: fixed.call(rows, 3)) == 0
    assert calls(lambda: weigh(slow, 3)) > 0  # the control: what it saves


@compiled
def test_no_further_types_are_compiled():
    @jit
    def double(n):
        return n + n

    fixed = FixedTypes(double)
    assert [fixed.call(n) for n in (3, np.int32(4), 5)] == [6, 8, 10]
    assert len(double.overloads) == 1
    assert double(1.5) == 3.0 and len(double.overloads) == 2


@compiled
def test_arguments_of_another_kind_are_refused():
    fixed = FixedTypes(weigh)
    fixed.call(pairs(2), 2)
    for wrong in (None, 3, np.zeros(2), [1, 2]):
        with pytest.raises((TypeError, AttributeError, ValueError)):
            fixed.call(wrong, 2)
    assert fixed.call(pairs(2), 2) == weigh(pairs(2), 2)

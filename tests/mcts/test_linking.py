"""Kernels are linked and made machine code of once, and do what Numba's own way makes them do."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from mcts.kernel.compile import INTERPRETED, jit_generic
from mcts.kernel.linking import LINKED_ONCE, Kernel, Library

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")


def chain():
    """Return three new kernels, each calling the one before."""

    @jit_generic
    def bottom(x):
        if x < 0:
            raise ValueError("below the bottom")
        return 2 * x

    @jit_generic
    def middle(x):
        return bottom(x) + 1 if x < 100 else bottom(-x)

    @jit_generic
    def top(x):
        return 10 * middle(x)

    return bottom, middle, top


def library(dispatcher):
    (overload,) = dispatcher.overloads.values()
    return overload.library


def test_this_version_of_numba_is_known():
    assert LINKED_ONCE, "look whether mcts.kernel.linking holds for it, and name it there"


def test_only_what_python_calls_is_completed():
    bottom, middle, top = chain()
    assert top(4) == 90
    assert isinstance(top, Kernel) and isinstance(library(top), Library)
    assert not library(top)._waiting
    assert library(middle.inside)._waiting and library(bottom.inside)._waiting
    assert not middle.overloads and not bottom.overloads


def test_an_inner_kernel_is_completed_when_python_calls_it():
    bottom, middle, top = chain()
    assert (top(4), middle(4), bottom(4), top(5)) == (90, 9, 8, 110)
    assert not library(middle)._waiting and library(middle.inside)._waiting


def test_a_kernel_links_what_is_complete_already():
    bottom, middle, top = chain()
    assert (bottom(4), middle(4), top(4)) == (8, 9, 90)


def test_types_are_told_apart_and_errors_reach_python():
    _, _, top = chain()
    assert top(1.5) == 40.0
    assert top(np.float32(1.5)) == 40.0
    assert len(top.overloads) == 2
    with pytest.raises(ValueError, match="below the bottom"):
        top(100)


def test_recursion():
    @jit_generic
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    @jit_generic
    def twice(n):
        return 2 * factorial(n)

    assert (twice(5), factorial(5)) == (240, 120)


def test_what_an_inner_kernel_keeps_for_the_interpreter_is_found(capfd):
    """Numba keeps the text that is printed in an environment, an object of the function's own."""

    @jit_generic
    def inner(x):
        print("so much:", x)

    @jit_generic
    def outer(x):
        inner(x + 1)

    outer(2)
    assert capfd.readouterr().out == "so much: 3\n"


def test_functions_of_other_kinds_are_linked():
    @numba.njit
    def inner(x):
        return x + 1.0

    @numba.cfunc("float64(float64)")
    def called_by_c(x):
        return 2 * inner(x)

    @numba.njit
    def apply(f, x):
        return f(x)

    assert called_by_c.ctypes(3.0) == 8.0
    assert apply(inner, 2.0) == 3.0


PROBE = """
import numba
{patch}
from mcts.kernel.compile import jit_generic
from mcts.kernel.linking import LINKED_ONCE

@jit_generic
def inner(x):
    return x + 1

@jit_generic
def outer(x):
    return 2 * inner(x)

value = outer(20)
compiled = getattr(inner, "inside", inner).overloads.values()
print(LINKED_ONCE, value, sum(bool(getattr(c.library, "_waiting", False)) for c in compiled))
"""


@pytest.mark.parametrize(
    ("patch", "printed"), [("", "True 42 1"), ("numba.__version__ = '99.0.0'", "False 42 0")]
)
def test_with_a_numba_that_is_not_known_all_is_as_numba_has_it(patch, printed):
    """The control: what it completes does not wait."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(patch=patch)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == printed

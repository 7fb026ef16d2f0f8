"""Kernels are linked and made machine code of once, and do what Numba's own way makes them do."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from mcts.kernel.compile import INTERPRETED, jit_generic, jit_late, jit_shared
from mcts.kernel.linking import Kernel, Library

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


def test_types_are_told_apart_and_errors_reach_python():
    _, _, top = chain()
    assert top(1.5) == 40.0
    assert top(np.float32(1.5)) == 40.0
    assert len(top.overloads) == 2
    with pytest.raises(ValueError, match="below the bottom"):
        top(100)


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


def test_a_shared_kernel_is_called_and_not_contained():
    @jit_shared
    def bottom(x):
        if x < 0:
            raise ValueError("below the bottom")
        return 2 * x

    @jit_generic
    def top(x):
        return bottom(x) + 1

    @jit_generic
    def other(x):
        return bottom(x) - 1

    assert (top(4), other(4), top(5), bottom(4)) == (9, 7, 11, 8)
    (link,) = library(top).links.values()
    assert link.arguments == (numba.int64,) and list(library(other).links.values()) == [link]
    assert len(bottom.overloads) == 1
    with pytest.raises(ValueError, match="below the bottom"):
        top(-1)


def test_a_kernel_is_compiled_once_for_all_constants():
    @jit_generic
    def bottom(x, by=2):
        return by * x

    @jit_generic
    def top(x):
        return bottom(3) + bottom(5, by=4) + bottom(x, 7)

    assert top(1) == 6 + 20 + 7
    assert {kinds for kinds in bottom.inside.overloads} <= {
        (numba.int64, numba.int64),
        (numba.int64, numba.types.Omitted(2)),
    }


def test_a_late_kernel_is_a_stand_in_until_it_is_loaded():
    compiled = []

    @jit_shared
    def wait(x):
        return np.int64(-1)

    @jit_late(wait)
    def heavy(x):
        return 5 * x

    @jit_generic
    def top(x):
        return 100 + heavy(x)

    assert top(3) == 99 and not heavy.loaded
    assert not heavy._function.overloads, compiled
    heavy.load()
    assert top(3) == 115 == 100 + heavy(3)


MODULE = """
import numpy as np
from mcts.kernel.compile import jit, jit_late, jit_shared

@jit_shared
def wait(x):
    return np.int64(-1)

@jit_late(wait)
def heavy(x):
    return 5 * x

@jit_shared
def half(x):
    return x // 2

@jit
def top(x):
    return 100 * half(x) + heavy(x)
"""
PROBE = """
import os, sys
import mcts.kernel.compile

for line in sys.stdin:
    if os.fork():  # what a child compiles or loads is not there for the next
        os.wait()
        continue
    import shared_outside
    if line == "load\\n":
        shared_outside.heavy.load()
    value = shared_outside.top(6)
    hits = [sum(k.stats.cache_hits.values()) for k in (shared_outside.top, shared_outside.half)]
    print(value, *hits, flush=True)
    os._exit(0)
"""


def test_code_that_calls_shared_kernels_is_loaded_from_the_disk_with_them(tmp_path):
    (tmp_path / "shared_outside.py").write_text(MODULE)
    process = subprocess.Popen(
        [sys.executable, "-c", PROBE],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "SLEUTH_CACHE_DIR": str(tmp_path / "cache"),
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def run(what="call"):
        process.stdin.write(f"{what}\n")
        process.stdin.flush()
        return process.stdout.readline().strip()

    with process:
        assert run() == "299 0 0"
        assert run() == "299 1 1"
        assert run("load") == "330 1 1"
        (tmp_path / "shared_outside.py").write_text(MODULE.replace("// 2", "// 3"))
        assert run() == "199 0 0"
        for file in (tmp_path / "cache").glob("shared_outside.half-*"):
            file.unlink()  # the one that is linked, of the old and of the new sources
        assert run() == "199 1 0"

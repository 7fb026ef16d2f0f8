"""The processor's cycle counter, to measure how a kernel spends its time.

`cycles` is LLVM's ``readcyclecounter``: about 10 ns per reading and callable without the GIL.  It
counts at a constant rate that the processor does not report, so a `Mark` before and one after the
work give the seconds per cycle.  Only intervals far longer than a reading are meaningful.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, overload

from mcts.kernel.compile import jit


def cycles() -> int:
    """Return the counter: cycles in a kernel, nanoseconds in the plain interpreter."""
    return time.perf_counter_ns()


@intrinsic
def _cycles(typing_context):
    def emit(context, builder, signature, arguments):
        counter = builder.module.declare_intrinsic(
            "llvm.readcyclecounter", fnty=ir.FunctionType(ir.IntType(64), [])
        )
        # Costs nothing: keeps the compiler from moving memory accesses across.
        builder.fence("seq_cst", targetscope="singlethread")
        now = builder.call(counter, [])
        builder.fence("seq_cst", targetscope="singlethread")
        return now

    return types.int64(), emit


@overload(cycles)
def _overload_cycles():
    return lambda: _cycles()


@jit
def _reading() -> int:
    """Return the counter as kernels read it."""
    return cycles()


class Mark(NamedTuple):
    """One moment on both clocks."""

    cycles: int
    seconds: float
    """`time.perf_counter`."""


def mark() -> Mark:
    """Return the current moment."""
    return Mark(int(_reading()), time.perf_counter())


def seconds_per_cycle(since: Mark, until: Mark) -> float:
    """Return the duration of a cycle between two marks; more precise the farther apart.

    nan if the counter did not advance, as on a processor without one.
    """
    passed = until.cycles - since.cycles
    return (until.seconds - since.seconds) / passed if passed > 0 else float("nan")

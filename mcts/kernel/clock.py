"""The processor's own counter, to measure what a kernel spends its time on.

`cycles` is LLVM's ``readcyclecounter``: some 10 ns a reading and callable without the GIL, where
a call of the system's clock is not.  It counts at a constant rate that the processor does not
report, so a `Mark` taken before and one after the work give the seconds of a cycle.

Limits: what a kernel writes to memory is written on the right side of a reading, but the processor
does not wait for it, nor the compiler for arithmetic that is not written anywhere.  So only
intervals far longer than a reading mean something.  Cores of one machine agree where the counter
is invariant, as on all current ones.
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
        # Costs nothing: it keeps the compiler from moving memory accesses across.
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
    """Return this moment."""
    return Mark(int(_reading()), time.perf_counter())


def seconds_per_cycle(since: Mark, until: Mark) -> float:
    """Return how long a cycle took between two marks, the longer apart the more exactly.

    nan where the counter stood still, as it does on a processor that has none.
    """
    passed = until.cycles - since.cycles
    return (until.seconds - since.seconds) / passed if passed > 0 else float("nan")

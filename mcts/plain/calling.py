"""Kernels that call back into Python, by one C function that every process makes for itself.

The kernel names the function by a symbol, which the linker resolves in the running process: so
machine code with callbacks is cached on disk like any other, and one compilation serves all
problems.  `ctypes` acquires the GIL, which kernels do not hold, for the call.

A Python exception cannot cross C.  It is saved for its thread, the call returns nan, and the kernel
raises `Raised`, which turns into the saved exception.
"""

# Numba compares signatures with annotations: functions that it overloads have none.
# mypy: disallow-untyped-defs=False
from __future__ import annotations

import ctypes
import math
import threading
import traceback

import llvmlite.binding
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from mcts.plain.workspaces import answer

_SYMBOL = "sleuth_call_python"
_put_by = threading.local()


class Raised(Exception):
    """Turns, when constructed, into the exception of Python code that a kernel called."""

    def __new__(cls, *_: object) -> BaseException:  # type: ignore[misc]
        """Return the saved exception of this thread."""
        return _put_by.fault  # and keep it: Numba makes the exception more than once


def ask(what: int, position: int, workspace: int, argument: int) -> float:
    """Return Python's answer; nan if it raised, which `Raised` then raises again."""
    return answer(what, position, workspace, argument)


@ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_int64] * 4)
def _from_kernels(what: int, position: int, workspace: int, argument: int) -> float:
    try:
        return float(answer(what, position, workspace, argument))
    except BaseException as fault:
        # Numba replaces the traceback through the problem by the one through its kernels.
        where = "".join(traceback.format_tb(fault.__traceback__))
        fault.add_note(f"Raised here, called by the search:\n{where}")
        _put_by.fault = fault.with_traceback(None)
        return math.nan


llvmlite.binding.add_symbol(_SYMBOL, ctypes.cast(_from_kernels, ctypes.c_void_p).value)


@intrinsic
def _ask(typing_context, what, position, workspace, argument):
    def emit(context, builder, signature, arguments):
        word = ir.IntType(64)
        kind = ir.FunctionType(ir.DoubleType(), [word] * 4)
        function = cgutils.get_or_insert_function(builder.module, kind, _SYMBOL)
        return builder.call(function, arguments)

    return types.float64(*[types.int64] * 4), emit


@overload(ask)
def _overload_ask(what, position, workspace, argument):
    return lambda what, position, workspace, argument: _ask(  # type: ignore[call-arg]
        what, position, workspace, argument
    )

"""Kernels that call back into Python, by one C function that every process makes for itself.

The kernel names the function by a symbol, which the linker looks up in the process at hand: so
machine code that calls back is kept on disk as any other, and one compilation serves all problems.
`ctypes` takes the GIL for the time of the call, which kernels do not hold.

What Python raises cannot travel through C.  It is put by for its thread, the call returns nan, and
the kernel raises `Raised`, in whose place what was put by appears.
"""

# Numba compares signatures with annotations: what it overloads has none.
# mypy: disallow-untyped-defs=False
from __future__ import annotations

import ctypes
import math
import threading
import traceback
from collections.abc import Callable

import llvmlite.binding
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

_SYMBOL = "sleuth_call_python"
_put_by = threading.local()


class Raised(Exception):
    """Becomes, when it is made, what Python code that a kernel called has raised."""

    def __new__(cls, *_: object) -> BaseException:  # type: ignore[misc]
        """Return what was put by for this thread."""
        return _put_by.fault  # and keep it: Numba makes the exception more than once


def no_answer(what: int, position: int, workspace: int, argument: int) -> float:
    """Stand where nothing has been given to `answer_by`."""
    raise RuntimeError("nothing answers kernels")


_answer: Callable[[int, int, int, int], float] = no_answer


def answer_by(function: Callable[[int, int, int, int], float]) -> None:
    """Have ``function(what, position, workspace, argument)`` answer all calls."""
    global _answer
    _answer = function


def ask(what: int, position: int, workspace: int, argument: int) -> float:
    """Return what Python answers; nan if it raised, which `Raised` then raises again."""
    return _answer(what, position, workspace, argument)


@ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_int64] * 4)
def _from_kernels(what: int, position: int, workspace: int, argument: int) -> float:
    try:
        return float(_answer(what, position, workspace, argument))
    except BaseException as fault:
        # Numba writes the way through its kernels over the way through the problem.
        where = "".join(traceback.format_tb(fault.__traceback__))
        fault.add_note(f"It was raised here, and came through the search:\n{where}")
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

"""Atomic operations on one element of an array, for kernels whose threads share a tree.

Numba offers atomics only on the GPU, so these are intrinsics that emit LLVM's ``atomicrmw``,
``cmpxchg`` and atomic ``load``, all sequentially consistent: about 5 ns each when uncontended.

Limits: one-dimensional C-contiguous arrays of int64, uint64 or (`fetch_add` and `load` only)
float64, and non-negative indices.  Under ``NUMBA_BOUNDSCHECK=1`` an index out of range raises
IndexError.  In the plain interpreter one lock guards them all.
"""

from __future__ import annotations

import threading

import numpy as np
from llvmlite import ir
from numba.core import cgutils, config, types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload
from numba.np.arrayobj import make_array

_LOCK = threading.Lock()
_INTEGERS = (types.int64, types.uint64)
_NUMBERS = (*_INTEGERS, types.float64)


def fetch_add(array: np.ndarray, index: int, amount: float) -> float:
    """Add ``amount`` to ``array[index]`` and return the previous value."""
    with _LOCK:
        before = array[index]
        array[index] = before + amount
        return before


def compare_and_swap(array: np.ndarray, index: int, expected: int, desired: int) -> int:
    """Write ``desired`` to ``array[index]`` if it holds ``expected``; return the previous value."""
    with _LOCK:
        before = array[index]
        if before == expected:
            array[index] = desired
        return before


def load(array: np.ndarray, index: int) -> float:
    """Return the current ``array[index]``, never a value cached in a register."""
    with _LOCK:
        return array[index]


def _check(array: types.Type, dtypes: tuple[types.Type, ...]) -> None:
    """Reject arrays without atomic operations, at compile time."""
    if not (
        isinstance(array, types.Array)
        and array.ndim == 1
        and array.layout == "C"
        and array.dtype in dtypes
    ):
        names = ", ".join(str(dtype) for dtype in dtypes)
        raise TypingError(f"an atomic needs a 1-d contiguous array of {names}, not {array}")


def _element(context, builder, signature, arguments) -> ir.Value:
    """Emit the address of the element given by the first two arguments."""
    kind = signature.args[0]
    array = make_array(kind)(context, builder, arguments[0])
    return cgutils.get_item_pointer(
        context, builder, kind, array, [arguments[1]], boundscheck=bool(config.BOUNDSCHECK)
    )


@intrinsic
def _fetch_add(typing_context, array, index, amount):
    def emit(context, builder, signature, arguments):
        operation = "fadd" if signature.return_type == types.float64 else "add"
        element = _element(context, builder, signature, arguments)
        return builder.atomic_rmw(operation, element, arguments[2], "seq_cst")

    return array.dtype(array, types.intp, array.dtype), emit


@intrinsic
def _compare_and_swap(typing_context, array, index, expected, desired):
    def emit(context, builder, signature, arguments):
        element = _element(context, builder, signature, arguments)
        outcome = builder.cmpxchg(element, arguments[2], arguments[3], "seq_cst", "seq_cst")
        return builder.extract_value(outcome, 0)

    return array.dtype(array, types.intp, array.dtype, array.dtype), emit


@intrinsic
def _load(typing_context, array, index):
    def emit(context, builder, signature, arguments):
        element = _element(context, builder, signature, arguments)
        return builder.load_atomic(element, "seq_cst", 8)

    return array.dtype(array, types.intp), emit


@overload(fetch_add)
def _overload_fetch_add(array, index, amount):
    _check(array, _NUMBERS)
    return lambda array, index, amount: _fetch_add(array, index, amount)


@overload(compare_and_swap)
def _overload_compare_and_swap(array, index, expected, desired):
    _check(array, _INTEGERS)
    return lambda array, index, expected, desired: _compare_and_swap(
        array, index, expected, desired
    )


@overload(load)
def _overload_load(array, index):
    _check(array, _NUMBERS)
    return lambda array, index: _load(array, index)

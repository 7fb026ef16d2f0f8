"""Scratch arrays on the stack of a kernel: no allocation, no reference counts, freed on return.

`floats` makes one inside a `mcts.kernel.compile.jit` kernel that creates no other arrays; it must
not be returned or stored.  Its size is a constant of the module.  The elements are uninitialised.
In the plain interpreter it is an ordinary array.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from mcts.kernel.compile import INTERPRETED

_LINE = 64
"""Cache line in bytes; the arrays are aligned to it."""


@intrinsic(prefer_literal=True)
def _floats(typing, rows, columns):
    """Return a float64 array of ``rows`` times ``columns`` in the caller's frame."""
    if not all(isinstance(size, types.IntegerLiteral) for size in (rows, columns)):
        return None
    array = types.Array(types.float64, 2, "C")
    shape = (rows.literal_value, columns.literal_value)

    def generate(context, builder, signature, arguments):
        number = ir.IntType(64)
        with builder.goto_entry_block():
            data = builder.alloca(ir.DoubleType(), size=ir.Constant(number, shape[0] * shape[1]))
            data.align = _LINE
        made = make_array(array)(context, builder)
        sizes = [ir.Constant(number, size) for size in shape]
        strides = [ir.Constant(number, 8 * shape[1]), ir.Constant(number, 8)]
        populate_array(made, data, sizes, strides, itemsize=ir.Constant(number, 8), meminfo=None)
        return made._getvalue()

    return array(rows, columns), generate


def _make_array(rows: int, columns: int) -> np.ndarray:
    return np.empty((rows, columns))


floats = _make_array if INTERPRETED else _floats
"""``floats(rows, columns)``: a float64 array of that shape, C order."""

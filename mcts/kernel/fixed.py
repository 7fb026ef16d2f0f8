"""Kernels that Python calls so often that resolving argument types dominates the call.

At every call Numba inspects the type of every argument: 0.2 us for an array, 2 us and more for a
`recarray`.  Where the types never change, inspecting them once is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from mcts.kernel.compile import INTERPRETED


class FixedTypes:
    """A kernel for Python whose argument types are fixed by the first call.

    Later calls, by ``call``, are unchecked: an array of another type, order or writability is
    treated like the first.  So callers must make the arguments themselves.
    """

    __slots__ = ("_kernel", "call")

    def __init__(self, kernel: Callable) -> None:
        self._kernel = kernel
        self.call: Callable = kernel if INTERPRETED else self._first

    def _first(self, *arguments: Any) -> Any:
        """Call the kernel, which compiles it, and bypass type resolution from now on."""
        result = self._kernel(*arguments)
        types = tuple(numba.typeof(argument) for argument in arguments)
        compiled = self._kernel.overloads.get(types)
        if compiled is not None:  # else it was compiled for types that these are converted to
            self.call = compiled.entry_point
        return result

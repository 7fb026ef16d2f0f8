"""Kernels that Python calls so often that finding out the types of the arguments is most of it.

At every call Numba looks at the type of every argument: 0.2 us for an array, 1.2 us for a tuple of
eight, 2 us and more for a `recarray` or one of its records.  The machine code that it then calls
needs 0.2 us to take all of them over.  Where the types are always the same, the first look does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from mcts.kernel.compile import INTERPRETED


class FixedTypes:
    """A kernel for Python, whose arguments have the types of those of the first call for ever.

    Nothing is looked at again: an array with other entries of the same size, in another order, or
    read-only, is taken for one as the first was.  So this is for callers that make the arguments
    themselves.  ``kernel``: as `mcts.kernel.compile` returns it.  Attribute ``call``: to be called
    as the kernel is, without keywords.
    """

    __slots__ = ("_kernel", "call")

    def __init__(self, kernel: Callable) -> None:
        self._kernel = kernel
        self.call: Callable = kernel if INTERPRETED else self._first

    def _first(self, *arguments: Any) -> Any:
        """Call the kernel, which compiles it; go round the search for types from now on."""
        result = self._kernel(*arguments)
        types = tuple(numba.typeof(argument) for argument in arguments)
        compiled = self._kernel.overloads.get(types)
        if compiled is not None:  # else it was compiled for types that these are converted to
            self.call = compiled.entry_point
        return result

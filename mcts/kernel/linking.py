"""Machine code made once for what Python calls, not once for each function on the way.

Numba completes every function that it compiles: it links in all that the function calls, optimises
the whole, and makes machine code of it.  Its caller then does so again, with that function inside;
what lies at the bottom of a chain of twenty calls is optimised twenty times.  With the search of
Cluedo, 240 functions, this takes most of the time of a cold start (`benchmarks.bench_compile`).

Here a function that kernels call stays as it was lowered, and its callers remember it.  Only when
a pointer to machine code is wanted is all that it calls, however indirectly, linked in once and
optimised as one program, as a compiler of C would with a single file.  Two parts:

* `Library` takes the place of Numba's class of that purpose.
* `Kernel`, a dispatcher, is two: one that Python calls, cached on disk, and one that kernels call,
  which Python cannot call and which therefore never needs machine code of its own.

Both lean on parts of Numba that it does not document.  `LINKED_ONCE` tells whether this version is
one for which they were written; with others everything compiles as Numba has it, more slowly.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numba
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.environment import lookup_environment
from numba.core.registry import CPUDispatcher, cpu_target

LINKED_ONCE = numba.__version__.startswith("0.68.")
"""Whether functions are linked as this module has it."""

_ENVIRONMENT = "_ZN08NumbaEnv"
"""How Numba's names of environments begin."""


class Library(JITCodeLibrary):
    """The code of one function, complete only once a pointer into it has been asked for."""

    _waiting = False

    def finalize(self) -> None:
        """Remember what to link; complete the library at once if its symbols are found by name."""
        self._linking_libraries = self._needed()
        if not self._object_caching_enabled:  # no function's own: one of Numba's own helpers
            super().finalize()
            return
        self._raise_if_finalized()
        self._waiting = self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of function ``name``, 0 if it is not of this library."""
        self._ensure_finalized()
        if self._waiting:
            if not self._defines(name):
                return 0
            self._complete()
        return super().get_pointer_to_function(name)

    def serialize_using_object_code(self) -> tuple:
        """Return name, kind and machine code, as Numba caches them."""
        self._complete()
        return super().serialize_using_object_code()

    def _needed(self) -> list[JITCodeLibrary]:
        """Return all that has to be linked in: what waits brings along what it needs itself."""
        found: dict[JITCodeLibrary, None] = {}
        for library in self._linking_libraries:
            found[library] = None
            if getattr(library, "_waiting", False):
                found.update(dict.fromkeys(library._linking_libraries))
        return list(found)

    def _defines(self, name: str) -> bool:
        try:
            return not self._final_module.get_function(name).is_declaration
        except NameError:
            return False

    def _complete(self) -> None:
        if not self._waiting:
            return
        self._waiting = self._finalized = False
        self._shared_module = None  # of the function alone
        super().finalize()
        for variable in self._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                environment = lookup_environment(variable.name)
                if environment is not None:
                    self._codegen.set_env(variable.name, environment)


class Kernel(CPUDispatcher):
    """A compiled function: whole and cached for Python, and another dispatcher for kernels."""

    @cached_property
    def inside(self) -> CPUDispatcher:
        """What kernels call."""
        options = {**self.targetoptions, "no_cpython_wrapper": True}
        return CPUDispatcher(self.py_func, self.locals, options)

    @property
    def _numba_type_(self) -> types.Type:
        """The type by which kernels find what they call."""
        return types.Dispatcher(self.inside)


def _link_once() -> None:
    """Have Numba make libraries of the class here."""
    codegen = cpu_target.target_context.codegen()
    codegen._library_class = Library
    set_environment = codegen.set_env

    def set_where_defined(name: str, environment: Any) -> None:
        if codegen._engine.is_symbol_defined(name):  # a library that waits has no address yet
            set_environment(name, environment)

    codegen.set_env = set_where_defined


if LINKED_ONCE:
    _link_once()

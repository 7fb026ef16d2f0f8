"""Compilation by Numba with an on-disk cache that cannot be stale.

Machine code is cached by `mcts.kernel.cached` under the sources that it depends on.

* `jit` -- an ordinary kernel, which creates no array and so keeps no reference counts: Numba would
  count every array of a NamedTuple, atomically, at every call (4.9 against 0.31 microseconds a
  simulation).  Its callees are among the imports of its module or of its argument types' modules.
* `jit_owning` -- the same for a function that creates arrays for its own use.
* `jit_generic` -- code of the search that calls a domain by type (`mcts.domain`); its callees are
  not among its imports, so it is cached only as part of `specialise`.
* `specialise` -- the entry of a generic kernel for one domain, cached under both sources.
* `jit_inlined` -- as `jit_generic`, always inlined.  For functions with one call site, since a tree
  is passed as some hundred arguments: Kuhn poker gains a factor of 8, `mcts.continuous` 1.3 to 1.9.
* `jit_shared` -- as `jit`, for large functions that many kernels call with the same types: compiled
  once, and called by address.
* `jit_late` -- as `jit_shared`, for large functions that are seldom needed.

A function that is not from the file of its module (typed into an interpreter, made by ``exec``) is
compiled in every process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

from numba.core import config, event

from mcts.kernel import faults, linking, waiting
from mcts.kernel.cached import CodeCache, cacheable

SEARCHING, PLAYING = 450, 230
"""Maximum number of functions compiled at a start, with a search and without; the first, on an
empty disk, about 40 fewer."""


class _Counter(event.Listener):
    """Counts functions that Numba compiles; functions loaded from disk are not counted."""

    def __init__(self) -> None:
        self.functions = self._depth = 0
        self._began = 0.0

    def on_start(self, event: Any) -> None:
        if not self._depth:
            self._began = time.monotonic()
        self._depth += 1
        waiting.say_compiling(self._began)

    def on_end(self, event: Any) -> None:
        self.functions += 1
        self._depth -= 1


_COUNTER = _Counter()
event.register("numba:compile", _COUNTER)
faults.watch()


def count_functions() -> int:
    """Return how many functions this process has compiled: none if all are on disk."""
    return _COUNTER.functions


INTERPRETED = bool(config.DISABLE_JIT)
"""True with ``NUMBA_DISABLE_JIT=1``: kernels run as plain Python with identical results."""

INLINED = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""Options of functions compiled only inside kernels (`jit_options` of `numba.extending`)."""


def _compile(
    function: Callable, counting: bool, *modules: str, kind: str = "Kernel", **more: Any
) -> Callable:
    """Return the dispatcher of ``function``, which Python and other kernels call.

    It is cached if ``modules``, its source dependencies, are given.  ``kind`` names its class in
    `mcts.kernel.linking`.  Raises UnsafeCache if others can write to the cache
    (`mcts.kernel.store`).
    """
    if INTERPRETED:
        return function
    options = {"nopython": True, "boundscheck": None, "nogil": True, "_nrt": counting}
    kept = bool(modules) and cacheable(function)
    _name_file(function)
    kernel = getattr(linking, kind)(function, targetoptions={**options, **INLINED, **more})
    if kept:
        kernel._cache = CodeCache(function, frozenset(modules))
    return kernel


def _name_file(function: Callable) -> None:
    """Make ``function`` name its file as it is imported, from any folder.

    Machine code keeps that name for tracebacks, and another checkout may use the code: Python finds
    the lines of a relative name in its import folders.
    """
    base, name = function.__module__.replace(".", "/"), function.__code__.co_filename
    for relative in (f"{base}.py", f"{base}/__init__.py"):
        if name.endswith("/" + relative) and base != "__main__":
            function.__code__ = function.__code__.replace(co_filename=relative)


def jit(function: Callable) -> Callable:
    """Compile a kernel that creates no arrays and calls none that return new ones: nogil, cached.

    Its caller owns all arrays.  Creating one is a compile-time error; one from a callee would never
    be freed.
    """
    return _compile(function, False, function.__module__)


def jit_owning(function: Callable) -> Callable:
    """Compile a kernel that creates arrays for its own use; its callers may be `jit`."""
    return _compile(function, True, function.__module__)


def jit_generic(function: Callable) -> Callable:
    """Compile code that calls a domain by type, borrowing; cached only inside `specialise`."""
    return _compile(function, False)


def jit_inlined(function: Callable) -> Callable:
    """Compile as `jit_generic`, always inlined into its caller."""
    return _compile(function, False, forceinline=True)


def jit_shared(function: Callable) -> Callable:
    """Compile as `jit`, once for all kernels that call it."""
    return _compile(function, False, function.__module__, kind="Shared")


def jit_late(stand_in: Callable) -> Callable[[Callable], Any]:
    """Compile as `jit_shared`, but only once the kernel's method ``load`` is called.

    ``stand_in``: a `jit_shared` kernel with the same parameters and result type, which kernels call
    until then.
    """

    def decorate(function: Callable) -> Any:
        if INTERPRETED:
            kernel = jit(function)
            kernel.loaded, kernel.load = True, lambda: None
            return kernel
        return linking.Late(jit_shared(function), stand_in)

    return decorate


@cache
def specialise(kernel: Callable, domain_module: str) -> Callable:
    """Return the dispatcher of the plain function ``kernel`` for domains of ``domain_module``."""
    return _compile(kernel, False, kernel.__module__, domain_module)

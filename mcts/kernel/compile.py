"""Compilation by Numba with an on-disk cache that cannot be stale.

Machine code is kept by `mcts.kernel.cached` under the sources that it depends on: those of the
function's module and of every project module that this one imports, however indirectly.

Kinds of function:

* `jit` -- an ordinary kernel, which creates no array and so keeps no reference counts.  All it
  calls must be reached by the imports of its module, or of the modules of the types that it is
  given.  Numba otherwise counts every array of a NamedTuple up and down, atomically, at every call,
  which is what a search mostly did with its time: 4.9 against 0.31 microseconds a simulation.
* `jit_owning` -- the same for a function that creates arrays for its own use.
* `jit_generic` -- code of the search that calls a domain by type (see `mcts.domain`).  What it
  calls is not among its imports, so it has no cache of its own; it lives in the cache of
* `specialise` -- the entry of a generic kernel for one domain, cached under both sources.
* `jit_inlined` -- as `jit_generic`, always inlined where it is called.  For what is called in one
  place of the search: a tree is handed over as some hundred arguments, and a game as small as Kuhn
  poker did little else (0.7 instead of 5.7 million simulations a second; problems of
  `mcts.continuous` gain a factor of 1.3 to 1.9).  What is called in several places takes longer to
  compile: Cluedo's search 184 instead of 84 seconds with all that is generic inlined.
* `jit_shared` -- as `jit`, for what many kernels call and what is large, such as the rules of a
  game: compiled once for all of them, each of which calls its machine code.  Its parameters have
  the same types wherever it is called.
* `jit_late` -- as `jit_shared`, for what is large and seldom needed.

A function that is not from the file of its module (typed into an interpreter, made by ``exec``) is
compiled in every process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
from numba.core import config, event

from mcts.kernel import faults, waiting
from mcts.kernel.cached import CodeCache, cacheable

try:
    from mcts.kernel import linking
except (ImportError, AttributeError) as fault:
    waiting.say(
        f"Numba {numba.__version__} was not tried ({fault}): results are the same, but compiling "
        "takes about four times as long"
    )
    linking = None

SEARCHING, PLAYING = 450, 230
"""Functions that a start compiles at most, with a search and without; the first, on an empty disk,
about 40 fewer."""


class _Counter(event.Listener):
    """Counts functions as Numba compiles them; what comes from the disk is not counted."""

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
    """Return how many functions this process has compiled: none if all are on the disk."""
    return _COUNTER.functions


INTERPRETED = bool(config.DISABLE_JIT)
"""True when ``NUMBA_DISABLE_JIT=1``: kernels run as plain Python and give the identical result."""

INLINED = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""Options of what is compiled only as a part of kernels (`jit_options` of `numba.extending`)."""


def _compile(
    function: Callable, counting: bool, *modules: str, kind: str = "Kernel", **more: Any
) -> Callable:
    """Return the dispatcher of ``function``, which Python and other kernels call.

    It is cached if ``modules`` are named, on whose sources it depends.  ``kind`` names its class in
    `mcts.kernel.linking`.  Raises UnsafeCache if the cache is where others can write
    (`mcts.kernel.store`).
    """
    options = {"nogil": True, "_nrt": counting, **INLINED, **more}
    kept = bool(modules) and cacheable(function)
    _name_file(function)
    if linking:
        options = {"nopython": True, "boundscheck": None, **options}
        kernel = getattr(linking, kind)(function, targetoptions=options)
    else:
        kernel = numba.njit(**options)(function)
    if kept:
        kernel._cache = CodeCache(function, frozenset(modules))
    return kernel


def _name_file(function: Callable) -> None:
    """Have ``function`` name its file as it is imported, from whichever folder.

    Machine code keeps that name for tracebacks, and another checkout may use the code: Python finds
    the lines of a relative name in the folders that it imports from.
    """
    parts = function.__module__.split(".")
    name = function.__code__.co_filename
    for relative in ("/".join(parts) + ".py", "/".join([*parts, "__init__.py"])):
        if name.endswith("/" + relative) and parts != ["__main__"]:
            function.__code__ = function.__code__.replace(co_filename=relative)


def jit(function: Callable) -> Callable:
    """Compile a kernel that neither creates arrays nor calls what returns new ones: nogil, cached.

    The arrays that it works on belong to its caller.  Creating one is refused at compile time;
    one that a called function returned would never be freed.
    """
    return function if INTERPRETED else _compile(function, False, function.__module__)


def jit_owning(function: Callable) -> Callable:
    """Compile a kernel that creates arrays for its own use; callers of it may be `jit`."""
    return function if INTERPRETED else _compile(function, True, function.__module__)


def jit_generic(function: Callable) -> Callable:
    """Compile code that calls a domain by type, borrowing; cached only inside `specialise`."""
    return function if INTERPRETED else _compile(function, False)


def jit_inlined(function: Callable) -> Callable:
    """Compile as `jit_generic`, always as a part of its caller."""
    return function if INTERPRETED else _compile(function, False, forceinline=True)


def jit_shared(function: Callable) -> Callable:
    """Compile as `jit`, once for all kernels that call it."""
    if INTERPRETED:
        return function
    return _compile(function, False, function.__module__, kind="Shared")


def jit_late(stand_in: Callable) -> Callable[[Callable], Any]:
    """Compile as `jit_shared`, but not before the method ``load`` of the kernel is called.

    ``stand_in``: a `jit_shared` kernel, with the same parameters and type of result, which kernels
    reach until then.
    """

    def decorate(function: Callable) -> Any:
        if INTERPRETED or not linking:
            kernel = jit(function)
            kernel.loaded, kernel.load = True, lambda: None
            return kernel
        return linking.Late(jit_shared(function), stand_in)

    return decorate


@cache
def specialise(kernel: Callable, domain_module: str) -> Callable:
    """Return the dispatcher of the plain function ``kernel`` for domains of ``domain_module``."""
    if INTERPRETED:
        return kernel
    return _compile(kernel, False, kernel.__module__, domain_module)

"""Call one of several functions, by number or by type, from Python and from kernels alike.

Numba cannot look up a function by value at no cost: a table of function pointers loses a quarter of
the speed, and a tuple of dispatchers is compiled again in every process.  A chain of ``if`` has
neither fault; it is generated here, so that adding a function extends every chain.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any

from numba.core import types
from numba.extending import overload

from mcts.kernel.cached import belongs
from mcts.kernel.compile import INLINED, INTERPRETED


def by_number(functions: Sequence[Callable]) -> Callable:
    """Return ``call(number, ...)``, which calls ``functions[number](...)``.

    All of ``functions`` are kernels with the same parameters, imported by the caller's module:
    machine code is cached under its sources.  A number without a function is a caller's error, and
    unchecked.
    """
    given = ", ".join(inspect.signature(functions[0]).parameters)

    def call(number, *arguments):
        return functions[number](*arguments)

    if INTERPRETED:
        return call
    lines = [f"def implementation(number, {given}):"]
    for i in range(len(functions) - 1):
        lines += [f"    if number == {i}:", f"        return function_{i}({given})"]
    lines.append(f"    return function_{len(functions) - 1}({given})")
    scope: dict[str, object] = {"__name__": __name__}
    scope |= {f"function_{i}": function for i, function in enumerate(functions)}
    exec("\n".join(lines), scope)
    generic: dict[str, object] = {"__name__": __name__, "implementation": scope["implementation"]}
    exec(f"def typed(number, {given}):\n    return implementation", generic)
    overload(call, jit_options=INLINED, strict=False)(generic["typed"])
    return call


def by_type(stub: Callable, registry: Mapping[type, Any]) -> Callable:
    """Return a function that calls its namesake in ``registry[type(p)]``, ``p`` its first argument.

    Plain Python looks it up at each call, Numba once, when it compiles the call.
    """
    name = stub.__name__

    @wraps(stub)
    def call(p: Any, *arguments: Any) -> Any:
        return getattr(registry[type(p)], name)(p, *arguments)

    def find(p: types.Type, *_: types.Type) -> Callable | None:
        entry = registry.get(getattr(p, "instance_class", None))
        # The plain function, not a lambda around the compiled one: 20-33 % faster (measured).
        return entry and getattr(entry, name).py_func

    # Numba compares this with the signature of the function found, annotations included.
    by_place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    bare = [inspect.Parameter(each, by_place) for each in inspect.signature(stub).parameters]
    find.__signature__ = inspect.Signature(bare)  # type: ignore[attr-defined]
    overload(call, jit_options=INLINED)(find)
    return call


class Registry:
    """Types of parameters with the entry of each: a dataclass with compiled functions.

    ``what`` an entry is, in words; ``stub`` declares one of the functions, ``add`` registers an
    entry.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self.entries: dict[type, Any] = {}
        self._stubs: list[Callable] = []

    def stub(self, function: Callable) -> Callable:
        """Return a function that calls the entry's own one of that name (`by_type`)."""
        self._stubs.append(by_type(function, self.entries))
        return self._stubs[-1]

    def add(
        self, entry: type, parameters: type, parts: Mapping[str, Any], module: Mapping[str, Any]
    ) -> Any:
        """Register and return ``entry(parameters, ...)``.

        A part that is missing from ``parts`` is the function of its name that ``module``, the
        globals of one, defines, if any.  Raises TypeError as `mcts.domain.register`.
        """
        if not (issubclass(parameters, tuple) and hasattr(parameters, "_fields")):
            raise TypeError(
                f"a {self._what}'s parameters must be a NamedTuple type, not {parameters!r}"
            )
        kind, place = parameters.__name__, module["__name__"]
        names = [part.name for part in fields(entry)]
        own = {n: module[n] for n in names if getattr(module.get(n), "__module__", "") == place}
        made = entry(**{**own, **parts, "parameters": parameters})
        functions = {stub.__name__: getattr(made, stub.__name__) for stub in self._stubs}
        for stub in self._stubs:
            function = functions[stub.__name__]
            if not (INTERPRETED or hasattr(function, "py_func")):
                compiled = "must be compiled (mcts.kernel.compile)"
                raise TypeError(f"{kind}: {stub.__name__} {compiled}")
            wanted, found = (
                ", ".join(inspect.signature(each).parameters)
                for each in (stub, getattr(function, "py_func", function))
            )
            if found != wanted:
                raise TypeError(f"{kind}: {stub.__name__} must take ({wanted}), not ({found})")
        self.entries[parameters] = made
        belongs(parameters, functions.values())
        return made

    def find(self, p: Any) -> Any:
        """Return the entry of the type of ``p``; KeyError if there is none."""
        if type(p) not in self.entries:
            raise KeyError(f"no {self._what} is registered for {type(p).__name__}")
        return self.entries[type(p)]

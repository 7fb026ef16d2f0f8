"""Numba's cache of machine code, kept in `mcts.kernel.store` by content hash.

Numba's own cache checks only the file of the compiled function.  Here code is filed under a hash of
all its dependencies, so that a file is never stale: the sources of the function's module and of its
imports (`mcts.kernel.sources`); the types of the arguments, with the sources of classes among them
and of the functions found by them (`belongs`); the function's place and the processor.  A damaged
or useless file is a miss; compiling then replaces it.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numba.core import sigutils, types
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from mcts.kernel import sources, store

_PLAIN = (type(None), bool, int, float, complex, str, bytes, np.generic, np.dtype)

_READABLE = 120
"""Maximum length of the readable part of a file's name."""


class Nameless(Exception):
    """A thing has no name that is the same in all processes."""


class CodeCache(_Cache):
    """The machine code of one function, which depends on ``modules``, by types of arguments."""

    def __init__(self, function: Callable, modules: frozenset[str]) -> None:
        self._function = function
        self._modules = modules
        sources.digest(modules)  # of the modules as imported now, not at the first call
        self._store = store.open_store()
        self._claimed: list[str] = []

    @property
    def cache_path(self) -> str | None:
        """The folder, for Numba's statistics."""
        return self._store.folder and str(self._store.folder)

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the code for ``sig``; None claims its compilation, until `release`."""
        target_context.refresh()
        arguments, _ = sigutils.normalize_signature(sig)
        try:
            name = self.name(arguments, target_context.codegen())
        except Nameless:
            return None
        found = self._load(name, arguments, target_context)
        if found is None:
            self._claimed.append(name)
            if self._store.claim(name):
                found = self._load(name, arguments, target_context)
        return found

    def release(self) -> None:
        """Let other processes compile what this one has compiled, or could not."""
        while self._claimed:
            self._store.disclaim(self._claimed.pop())

    def _load(self, name: str, arguments: Any, target_context: Any) -> CompileResult | None:
        try:
            found = self._store.read(name)
            if found is None:
                return None
            links, parts = pickle.loads(found)
            if not all(link.resolve() for link in links):
                return None
            result = CompileResult._rebuild(target_context, *parts)
        except Exception:  # intact, but useless for this process: compiling always helps
            return None
        return result if tuple(result.signature.args) == tuple(arguments) else None

    def save_overload(self, sig: Any, data: CompileResult) -> None:
        """Keep ``data``, the code for the signature ``sig``, if another process can use it."""
        if data.library.has_dynamic_globals or data.lifted:
            return
        arguments, _ = sigutils.normalize_signature(sig)
        try:
            name = self.name(arguments, data.codegen)
        except Nameless:
            return
        links = [*getattr(data.library, "links", {}).values()]
        self._store.write(name, dumps((links, data._reduce())))

    def name(self, arguments: tuple[types.Type, ...], codegen: Any) -> str:
        """Return the cache name of code for ``arguments``; raises `Nameless` if there is none."""
        modules = set(self._modules)
        made_of = (
            _describe_function(self._function, modules),
            _describe(arguments, modules),
            codegen.magic_tuple(),
            sources.digest(frozenset(modules)),
        )
        place = f"{self._function.__module__}.{self._function.__qualname__}"
        readable = re.sub(r"\W+", ".", place, flags=re.A)
        key = hashlib.sha256(repr(made_of).encode()).hexdigest()[:32]
        return f"{readable[:_READABLE]}-{key}"

    def enable(self) -> None:
        """Part of Numba's interface: it is always enabled."""

    def disable(self) -> None:
        """Part of Numba's interface, as `enable`."""

    def flush(self) -> None:
        """Part of Numba's interface: the store removes unused files."""


def cacheable(function: Callable) -> bool:
    """Return whether ``function`` comes from the file of its module, which digests read."""
    path, name = sources.file_of(function.__module__), function.__code__.co_filename
    try:
        return path is not None and (path.match(name) or os.path.samefile(path, name))
    except OSError:
        return False


_BELONGS: dict[type, tuple[Callable, ...]] = {}


def belongs(kind: type, functions: Iterable[Callable]) -> None:
    """Declare ``functions`` part of the class ``kind``: kernels that take one call them."""
    _BELONGS[kind] = tuple(getattr(function, "py_func", function) for function in functions)


def _describe(thing: Any, modules: set[str]) -> str:
    """Return text that differs where Numba distinguishes; ``modules`` gets those of classes."""
    if isinstance(thing, types.Type):
        return f"{type(thing).__name__}[{_describe(thing.key, modules)}]"
    if isinstance(thing, type):
        modules.add(thing.__module__)
        parts = [_describe_function(function, modules) for function in _BELONGS.get(thing, ())]
        return f"{thing.__module__}.{thing.__qualname__}{getattr(thing, '_fields', '')}{parts}"
    if isinstance(thing, (tuple, list)):
        return f"({','.join(_describe(part, modules) for part in thing)})"
    if isinstance(thing, _PLAIN):
        return f"{type(thing).__name__} {thing!r}"
    raise Nameless(type(thing).__name__)


def _describe_function(function: Callable, modules: set[str]) -> tuple:
    """Return what distinguishes ``function`` within its module, which is added to ``modules``."""
    modules.add(function.__module__)
    code = function.__code__
    cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
    places = tuple(code.co_positions())  # columns as well: two functions may be on one line
    return function.__module__, function.__qualname__, places, _describe(cells, modules)

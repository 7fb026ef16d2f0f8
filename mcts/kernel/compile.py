"""Compilation by Numba with an on-disk cache that cannot be stale.

Numba keys its cache by the file of the compiled function alone: edit a function that it *calls*
and the old machine code is served, silently.  Here each dispatcher looks for its cache in a folder
named by a digest of its module's source and of every project module that this one imports, however
indirectly, with the versions and switches that change code generation.

Kinds of function:

* `jit` -- an ordinary kernel, which creates no array and so keeps no reference counts.  All it
  calls must be reached by the imports of its module.  Numba otherwise counts every array of a
  NamedTuple up and down, atomically, at every call, which is what a search mostly did with its
  time: 4.9 against 0.31 microseconds a simulation.
* `jit_owning` -- the same for a function that creates arrays for its own use.
* `jit_generic` -- code of the search that calls a domain by type (see `mcts.domain`).  What it
  calls is not among its imports, so it has no cache of its own; it lives in the cache of
* `specialise` -- the entry of a generic kernel for one domain, cached under both sources.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import os
import pkgutil
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import ModuleType

import llvmlite
import numba
from numba.core import config

from mcts.kernel import plugins
from mcts.kernel.linking import LINKED_ONCE, Kernel

INTERPRETED = bool(config.DISABLE_JIT)
"""True when ``NUMBA_DISABLE_JIT=1``: kernels run as plain Python and give the identical result."""

_UNUSED_AFTER_DAYS = 30


def cache_root() -> Path:
    """Return the folder below which machine code is cached (``SLEUTH_CACHE_DIR`` overrides)."""
    chosen = os.environ.get("SLEUTH_CACHE_DIR")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sleuth-mcts"


@cache
def _file_of(module: str) -> Path | None:
    """Return the source file of ``module`` without importing it beyond its parents."""
    loaded = sys.modules.get(module)
    if loaded is not None and getattr(loaded, "__file__", None):
        return Path(loaded.__file__)
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


_OURS = ("mcts", "belief", "sim")


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Return the project modules that ``module`` names in its import statements."""
    path = _file_of(module)
    if path is None:
        return ()
    packages = {*_OURS, module.partition(".")[0]}
    named: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            named += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                package = module if path.name == "__init__.py" else module.rpartition(".")[0]
                source = importlib.util.resolve_name("." * node.level + source, package)
            named.append(source)
            named += [f"{source}.{alias.name}" for alias in node.names]
        elif _lists_modules(node):
            package, *groups = (literal.value for literal in node.args)
            named += _names_in(package)
            outside = [
                plugin.module for group in groups for plugin in plugins.entry_points(group).values()
            ]
            packages.update(name.partition(".")[0] for name in outside)
            named += outside
    ours = (name for name in named if name.partition(".")[0] in packages)
    return tuple(name for name in ours if _file_of(name) is not None)


def _lists_modules(node: ast.AST) -> bool:
    """Tell whether ``node`` is a call of `modules_of` with literals."""
    named = isinstance(node, ast.Call) and getattr(node.func, "id", "") == modules_of.__name__
    return named and all(isinstance(argument, ast.Constant) for argument in node.args)


def _names_in(package: str) -> list[str]:
    """Return the full names of the modules of ``package``, sorted."""
    folder = Path(importlib.util.find_spec(package).origin).parent
    return sorted(f"{package}.{module.name}" for module in pkgutil.iter_modules([str(folder)]))


def modules_of(package: str, group: str | None = None, /) -> list[ModuleType]:
    """Import all modules of ``package`` and return them by name, those of plug-ins after ours.

    For tables of what is written one to a file: whoever calls this depends on all the files.  Both
    arguments are literals, for digests read them; ``group`` is one of `mcts.kernel.plugins`.

    Raises
    ------
    BrokenPlugin
        If a plug-in cannot be imported or takes the name of a module of ``package``.
    """
    found = [importlib.import_module(name) for name in _names_in(package)]
    if group is None:
        return found
    taken = {module.__name__.rpartition(".")[2] for module in found}
    for name, plugin in plugins.entry_points(group).items():
        if name in taken:
            raise plugin.broken(f"has the name of {package}.{name}")
    return found + plugins.modules(group)


@cache
def _closure(module: str) -> frozenset[str]:
    """Return ``module`` and all project modules that it imports, directly or not."""
    seen, waiting = {module}, [module]
    while waiting:
        for name in _imports(waiting.pop()):
            if name not in seen:
                seen.add(name)
                waiting.append(name)
    return frozenset(seen)


def digest(modules: Iterable[str]) -> str:
    """Return the name of the cache for code that depends on ``modules`` and what they import."""
    names = sorted(set().union(*(_closure(module) for module in modules)))
    state = hashlib.sha256(
        f"{sys.version}|{numba.__version__}|{llvmlite.__version__}|{config.BOUNDSCHECK}".encode()
    )
    for name in names:
        path = _file_of(name)
        if path is not None:
            state.update(name.encode() + b"\0" + path.read_bytes())
    return state.hexdigest()[:16]


def _remove_unused(folder: Path) -> None:
    """Delete caches that no process has opened for a month."""
    horizon = time.time() - _UNUSED_AFTER_DAYS * 86400
    for other in folder.iterdir():
        if other.stat().st_mtime < horizon:
            shutil.rmtree(other, ignore_errors=True)


@cache
def _folder(root: Path, modules: tuple[str, ...]) -> str:
    """Return the folder below ``root`` for code that depends on ``modules``; it is there now."""
    folder = root / f"{modules[-1]}-{digest(modules)}"
    if not folder.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _remove_unused(root)
    os.utime(folder)  # in use: `_remove_unused` goes by this time
    return str(folder)


@contextmanager
def _cache_folder(modules: tuple[str, ...]):
    """Point Numba's cache at the folder of ``modules`` while one dispatcher is made."""
    before, config.CACHE_DIR = config.CACHE_DIR, _folder(cache_root(), modules)
    try:
        yield
    finally:
        config.CACHE_DIR = before


INLINED = {"error_model": "numpy", "no_cfunc_wrapper": True}
"""Options of what is compiled only as a part of kernels (`jit_options` of `numba.extending`)."""


def _compiled(function: Callable, cached: bool, counting: bool) -> Callable:
    """Return the dispatcher of ``function``, to be called by Python and by other kernels."""
    options = {"nogil": True, "_nrt": counting, **INLINED}
    if not LINKED_ONCE:
        return numba.njit(cache=cached, **options)(function)
    kernel = Kernel(function, targetoptions={"nopython": True, "boundscheck": None, **options})
    if cached:
        kernel.enable_caching()
    return kernel


def jit(function: Callable) -> Callable:
    """Compile a kernel that neither creates arrays nor calls what returns new ones: nogil, cached.

    The arrays that it works on belong to its caller.  Creating one is refused at compile time;
    one that a called function returned would never be freed.
    """
    if INTERPRETED:
        return function
    with _cache_folder((function.__module__,)):
        return _compiled(function, cached=True, counting=False)


def jit_owning(function: Callable) -> Callable:
    """Compile a kernel that creates arrays for its own use; callers of it may be `jit`."""
    if INTERPRETED:
        return function
    with _cache_folder((function.__module__,)):
        return _compiled(function, cached=True, counting=True)


def jit_generic(function: Callable) -> Callable:
    """Compile code that calls a domain by type, borrowing; cached only inside `specialise`."""
    return function if INTERPRETED else _compiled(function, cached=False, counting=False)


@cache
def specialise(kernel: Callable, domain_module: str) -> Callable:
    """Return the dispatcher of the plain function ``kernel`` for domains of ``domain_module``."""
    if INTERPRETED:
        return kernel
    with _cache_folder((kernel.__module__, domain_module)):
        return _compiled(kernel, cached=True, counting=False)

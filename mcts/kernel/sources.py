"""Sources that compiled code depends on, and a digest of them.

A kernel depends on its module and on all direct and indirect imports of that module that are of the
same package, of the project, or not installed (a script and the modules next to it).  Code
generators enter the digest by their version.  Third-party packages are not read: their upgrades go
undetected.

A source is read once per process: code compiled from modules in memory is never filed under a later
edit.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import pkgutil
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

import llvmlite
import numba
import numpy as np
from numba.core import config

from mcts.kernel import plugins

OURS = ("mcts", "belief", "sim")

_INSTALLED = {"site-packages", "dist-packages"}
"""Folders of third-party packages."""


@cache
def file_of(module: str) -> Path | None:
    """Return the file of ``module`` without importing it."""
    loaded = sys.modules.get(module)
    if loaded is not None and getattr(loaded, "__file__", None):
        return Path(loaded.__file__)
    top, *parts = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
        for part in parts:
            if spec is None:
                break
            top = f"{top}.{part}"
            spec = PathFinder.find_spec(top, spec.submodule_search_locations or [])
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec and spec.has_location and spec.origin else None


@cache
def source(module: str) -> bytes | None:
    """Return the content of the file of ``module``, read once per process; None without a file."""
    path = file_of(module)
    try:
        return path.read_bytes() if path else None
    except OSError:  # within an archive, for instance
        return None


@cache
def _is_read(top: str) -> bool:
    """Return whether modules of the package ``top`` count as dependencies."""
    if top in sys.stdlib_module_names:
        return False
    loaded = sys.modules.get(top)
    spec = loaded.__spec__ if loaded else importlib.util.find_spec(top)
    folders = list(spec.submodule_search_locations or []) if spec else []
    path = file_of(top) or (Path(folders[0]) if folders else None)
    return path is not None and _INSTALLED.isdisjoint(path.parts)


@cache
def _face(package: str) -> dict[str, str]:
    """Return the module of each public name of ``package``, from its stub."""
    path = file_of(package)
    stub = path and path.with_suffix(".pyi")
    if not stub or path.name != "__init__.py" or not stub.exists():
        return {}
    return {
        alias.name: f"{package}.{node.module}"
        for node in ast.parse(stub.read_bytes()).body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }


_IMPORT = re.compile(
    rb"(?:^|[:;])[ \t]*((?:from|import)[ \t][^\n(#]*(?:\((?:[^)#]|#[^\n]*)*\))?)", re.MULTILINE
)
_LISTING = re.compile(rb"""\bmodules_of\(\s*["']([\w.]+)["'](?:\s*,\s*["']([\w.]+)["'])?""")
"""Import statements and calls of `modules_of`, found by text because parsing is slow."""


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Return the dependencies that the import statements of ``module`` name."""
    text = (source(module) or b"").replace(b"\\\n", b" ")
    package = _package(module)
    packages = {*OURS, (package or module).partition(".")[0]}
    named: list[str] = []
    for node in _parse_imports(text):
        if isinstance(node, ast.Import):
            named += [alias.name for alias in node.names]
            continue
        origin = node.module or ""
        if node.level:
            try:
                origin = importlib.util.resolve_name("." * node.level + origin, package)
            except ImportError:  # it leaves the package, and fails at run time
                continue
        behind = _face(origin)
        named.append(origin)
        named += [behind.get(alias.name, f"{origin}.{alias.name}") for alias in node.names]
    for listed, group in _LISTING.findall(text):
        outside = [plugin.module for plugin in plugins.entry_points(group.decode()).values()]
        packages.update(name.partition(".")[0] for name in outside)
        if file_of(listed.decode()) is not None:  # else text, not code
            named += _names_in(listed.decode()) + outside
    return tuple(
        name
        for name in dict.fromkeys(named)
        if ((top := name.partition(".")[0]) in packages or _is_read(top))
        and file_of(name) is not None
    )


def _parse_imports(text: bytes) -> Iterator[ast.Import | ast.ImportFrom]:
    for statements in _IMPORT.findall(text):
        with suppress(SyntaxError, ValueError):  # prose, or machine code
            for node in ast.parse(statements.strip()).body:
                if isinstance(node, (ast.Import, ast.ImportFrom)):
                    yield node


def _package(module: str) -> str:
    """Return the package that relative imports of ``module`` refer to."""
    package = getattr(sys.modules.get(module), "__package__", None)
    if package is not None:
        return package  # `python -m` calls a module `__main__`
    path = file_of(module)
    return module if path and path.name == "__init__.py" else module.rpartition(".")[0]


def _names_in(package: str) -> list[str]:
    """Return the full names of the modules of ``package``, sorted."""
    folder = Path(importlib.util.find_spec(package).origin).parent
    return sorted(f"{package}.{module.name}" for module in pkgutil.iter_modules([str(folder)]))


def modules_of(package: str, group: str | None = None, /) -> list[ModuleType]:
    """Import all modules of ``package`` and return them by name, plug-ins after ours.

    For registries with one entry per file: the caller depends on all the files.  Both arguments
    must be literals, because digests read them; ``group`` is one of `mcts.kernel.plugins`.  Raises
    BrokenPlugin if a plug-in cannot be imported or takes the name of a module of ``package``.
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
    """Return ``module`` and all its dependencies, direct or not."""
    seen, waiting = {module}, [module]
    while waiting:
        for name in _imports(waiting.pop()):
            if name not in seen:
                seen.add(name)
                waiting.append(name)
    return frozenset(seen)


@cache
def digest(modules: frozenset[str]) -> bytes:
    """Return a digest of the sources of ``modules`` and of all their dependencies.

    It also covers the code generators: versions and switches.
    """
    versions = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    # With -O assertions are removed, also from kernels.
    switches = (config.BOUNDSCHECK, int(config.OPT), sys.flags.optimize)
    state = hashlib.sha256(repr((versions, *switches)).encode())
    for name in sorted(set().union(*map(_closure, modules))):
        state.update(name.encode() + b"\0" + hashlib.sha256(source(name) or b"").digest())
    return state.digest()


def forget() -> None:
    """Read all sources again when needed: for programs that write modules."""
    for function in (file_of, source, _is_read, _face, _imports, _closure, digest):
        function.cache_clear()

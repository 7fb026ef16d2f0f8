"""A digest of the code on which a result depends: the definitions of its modules, in any file.

From the modules that play a result the imports are followed, including those inside functions, as
far as they lead to `FOLLOWED`.  The digest is of the set of top-level statements of these modules,
without imports, docstrings and comments.  So renaming, splitting or merging files changes nothing.
Importing another module's definition of the same name changes nothing either, if both modules
count: ``again`` replays games to detect that.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from os.path import exists
from pathlib import Path

from experiments.settings.commandline import Refusal

FOLLOWED = ("mcts", "belief", "sim")
"""Packages whose modules count if a counted module imports them."""


def digest(root: Path, modules: Iterable[str]) -> str:
    """Return a digest of the definitions of ``modules`` below ``root`` and their imports.

    ``package.*`` names all modules of a package.  Raises Refusal if a name names no file.
    """
    found = {part for path in closure(root, modules).values() for part in _read(path).parts}
    return hashlib.sha256(b"".join(sorted(found))).hexdigest()[:16]


def closure(root: Path, modules: Iterable[str]) -> dict[str, Path]:
    """Return by name the files of ``modules`` and of all their imports; Refusal as `digest`."""
    waiting: list[str] = []
    for name in modules:
        waiting += _list(root, name)
        if not waiting or _find(root, waiting[-1]) is None:
            raise Refusal(f"sources: {name} names no module")
    seen: dict[str, Path | None] = {}
    while waiting:
        name = waiting.pop()
        if name not in seen:
            path = seen[name] = _find(root, name)
            if path is not None:
                waiting += [one for other in _read(path).imports for one in _list(root, other)]
    return {name: path for name, path in seen.items() if path is not None}


def _find(root: Path, module: str) -> Path | None:
    path = f"{root}/{module.replace('.', '/')}"
    tried = (f"{path}.py", f"{path}/__init__.py")
    return next((Path(one) for one in tried if exists(one)), None)


def _list(root: Path, name: str) -> list[str]:
    """Return the module ``name``, or those of the package of ``package.*``."""
    package = name.removesuffix(".*")
    if package == name:
        return [name]
    names = sorted(path.stem for path in root.joinpath(*package.split(".")).glob("*.py"))
    return [f"{package}.{name}" for name in names if name != "__init__"]


class _Read:
    """Digests of the statements of a file, and the modules that it may import."""

    def __init__(self, text: bytes) -> None:
        tree = ast.parse(text)
        self.imports = sorted(
            {name for name in _list_imports(tree) if name.partition(".")[0] in FOLLOWED}
        )
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list):
                node.body = [one for one in body if not _is_words(one)]  # type: ignore[attr-defined]
        self.parts = [hashlib.sha256(ast.dump(one).encode()).digest() for one in tree.body]


def _read(path: Path) -> _Read:
    about = path.stat()
    return _read_once(path, about.st_mtime_ns, about.st_size)


@cache
def _read_once(path: Path, *_: int) -> _Read:
    """Return the content of a file, read again if its time or size changed."""
    return _Read(path.read_bytes())


def _list_imports(tree: ast.AST) -> Iterator[str]:
    """Yield the names of possible modules: imports, except those only for types."""
    for node in ast.iter_child_nodes(tree):
        if _is_for_types(node):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("modules_of"):
            yield f"{ast.literal_eval(node.args[0])}.*"  # see `mcts.kernel.sources`
        yield from _list_imports(node)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _is_words(statement: ast.stmt) -> bool:
    """Return whether a statement is an import, or a bare string such as a docstring."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)) or _is_for_types(statement):
        return True
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)

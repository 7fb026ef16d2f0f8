"""A digest of the sources on which a result may depend: the code, without its words."""

from __future__ import annotations

import ast
import hashlib
import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from experiments.settings.commandline import Refusal


def digest(root: Path, patterns: Iterable[str]) -> str:
    """Return a digest of the files below ``root`` that ``patterns`` (of `Path.glob`) name.

    Of Python only what runs counts: a docstring, a comment or a line break changes nothing.  Raises
    Refusal if a pattern names no file.
    """
    found: dict[Path, None] = {}
    for pattern in patterns:
        files = sorted(root.glob(pattern))
        if not files:
            raise Refusal(f"sources: {pattern} names no file")
        found |= dict.fromkeys(files)
    state = hashlib.sha256()
    for path in sorted(found):
        about = path.stat()
        content = _content(path, about.st_mtime_ns, about.st_size)
        state.update(path.relative_to(root).as_posix().encode() + b"\0" + content + b"\0")
    return state.hexdigest()[:16]


def digest_at(root: Path, commit: str, patterns: Iterable[str]) -> str | None:
    """Return `digest` of the files as they were at ``commit`` of the repository at ``root``.

    None if that commit is unknown, or has no such file.
    """
    wanted = list(patterns)
    command = ["git", "archive", commit, *(f":(glob){pattern}" for pattern in wanted)]
    found = subprocess.run(command, cwd=root, capture_output=True)
    if found.returncode:
        return None
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(fileobj=io.BytesIO(found.stdout)) as files:
            files.extractall(place, filter="data")
        return digest(Path(place), wanted)


@cache
def _content(path: Path, *_: int) -> bytes:
    """Return a digest of what counts in a file; it is read again if time or size are others."""
    if path.suffix != ".py":
        return hashlib.sha256(path.read_bytes()).digest()
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_text(one)]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.dump(tree).encode()).digest()


def _is_text(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring, or a string that stands below an attribute."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)

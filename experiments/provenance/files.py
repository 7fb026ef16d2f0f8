"""Files that are whole or not there: written under another name, then renamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

SUMMARY = "summary.json"
"""The file in a run folder that holds its figures and where they come from."""


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield the name under which ``path`` is to be written; it has its own at the end of the block.

    If the block raises, what it wrote is removed, and an older file is as it was.

    Raises
    ------
    OSError
        If it cannot be renamed.
    """
    writing = path.with_name(f".{path.name}.writing")
    try:
        yield writing
        writing.replace(path)
    except BaseException:
        with suppress(OSError):
            writing.unlink()
        raise


def write_text(path: Path, text: str) -> Path:
    """Write ``text`` to ``path`` in UTF-8, whole or not at all, and return the path.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    with whole(path) as writing:
        writing.write_text(text, "utf-8", "backslashreplace")
    return path


def write_json(folder: Path, data: dict[str, Any], name: str = SUMMARY) -> Path:
    """Write ``data`` to ``folder`` as JSON, whole or not at all, and return its path.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    return write_text(folder / name, json.dumps(data, indent=2) + "\n")

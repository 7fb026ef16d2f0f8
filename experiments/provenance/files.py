"""Files that are whole or not there: written under another name, then renamed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SUMMARY = "summary.json"
"""The file in a run folder that holds its figures and where they come from."""


def write_json(folder: Path, data: dict[str, Any], name: str = SUMMARY) -> Path:
    """Write ``data`` to ``folder`` as JSON, whole or not at all, and return its path.

    Raises
    ------
    OSError
        If it cannot be written; an older file of that name is then as it was.
    """
    path = folder / name
    writing = folder / f".{name}.writing"
    writing.write_text(json.dumps(data, indent=2) + "\n")
    writing.replace(path)
    return path

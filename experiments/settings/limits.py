"""Fields of settings with ranges and choices, for the schemas of commands.

They extend `mcts.limits` with Hydra's mark for mandatory values, and with settings that only
commands have: seeds, files, folders.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any

from omegaconf import MISSING

from experiments.settings.commandline import Refusal
from mcts import limits
from mcts.options import SEEDS

GAMES = 1_000_000_000
"""Maximum games of a match or set-up."""

WORKERS = 10_000
"""Maximum games at the same time."""

DATA = {"data": True}
"""Metadata of a field of plain data, whose keys are not settings."""

POINTS = 10_000
"""Maximum values of a sweep's axis, and maximum points."""

one_of = partial(limits.one_of, default=MISSING)
"""Return the field of a choice."""

between = partial(limits.between, default=MISSING)
"""Return the field of a number in a closed range."""

above = partial(limits.above, default=MISSING)
"""Return the field of a number in a half-open range, above the lower bound."""

as_option = partial(limits.like, default=MISSING)
"""Return the field of a setting with the range of a dataclass's option."""


def seed(default: Any = MISSING) -> Any:
    """Return the field of a seed."""
    return between(0, SEEDS - 1, default=default)


def place() -> Any:
    """Return the field of a folder or file, or null; an empty one is the working directory."""
    return field(default=MISSING, metadata={"place": True})


def file_name(default: Any = MISSING) -> Any:
    """Return the field of a file or folder name within another folder, or null."""
    return field(default=default, metadata={"place": True, "name": True})


def check(key: str, value: Any, metadata: Mapping[str, Any]) -> None:
    """Refuse a ``value`` of ``key`` that does not satisfy its field's ``metadata``.

    Hydra checks types.  ``each`` holds the metadata of a list's items.  Raises Refusal in one
    sentence that names the setting and its range.
    """
    fault = limits.find_fault(value, Any, metadata)
    if fault:
        raise Refusal(f"{key}={value}: {fault}")
    if value is None:
        return
    for item in value if "each" in metadata else ():
        check(key, item, metadata["each"])
    if "place" in metadata and (not value.strip() or "\0" in value):
        raise Refusal(f"{key}={value!r} is not a path: give one")
    if "name" in metadata and (Path(value).name != value or value == ".."):
        raise Refusal(f"{key}={value}: give a name, not a path")

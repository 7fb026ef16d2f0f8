"""What types cannot say of a setting: choices and ranges, which stand in its field's metadata.

Every number has a largest value.  Larger ones are slips of the finger, and would hang, overflow or
not fit into memory long after the command began.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Any

from omegaconf import MISSING

from experiments.settings.commandline import Refusal, did_you_mean
from mcts.options import SEEDS

GAMES = 1_000_000_000
"""Most games of a match, or of a set-up."""

WORKERS = 10_000
"""Most games at the same time."""

DATA = {"data": True}
"""Metadata of a field of plain data, in which no key is a setting."""

POINTS = 10_000
"""Most values of an axis of a sweep, and most points."""


def one_of(*choices: Any, default: Any = MISSING) -> Any:
    """Return the field of a setting that is one of ``choices``."""
    return field(default=default, metadata={"choices": choices})


def between(least: float, most: float, default: Any = MISSING) -> Any:
    """Return the field of a number from ``least`` to ``most``."""
    return field(default=default, metadata={"least": least, "most": most})


def above(bound: float, most: float) -> Any:
    """Return the field of a number above ``bound`` and at most ``most``."""
    return field(default=MISSING, metadata={"above": bound, "most": most})


def as_option(options: type, name: str) -> Any:
    """Return the field of a setting with the limits that ``name`` has in `mcts.options`."""
    (option,) = (option for option in fields(options) if option.name == name)
    return field(default=MISSING, metadata=option.metadata)


def seed(default: Any = MISSING) -> Any:
    """Return the field of a seed."""
    return between(0, SEEDS - 1, default)


def place() -> Any:
    """Return the field of a folder or file, or null: the empty text would be the working
    directory."""
    return field(default=MISSING, metadata={"place": True})


def named(default: Any = MISSING) -> Any:
    """Return the field of a file or folder that lies in a folder named elsewhere, or null."""
    return field(default=default, metadata={"place": True, "name": True})


def check(key: str, value: Any, limits: Mapping[str, Any]) -> None:
    """Refuse a ``value`` of the setting ``key`` outside ``limits``, its field's metadata.

    ``choices`` are all there are; null is refused unless it is one.  Of other settings null is
    left to their types.  ``each`` has the limits of a list's items.

    Raises
    ------
    Refusal
        In one sentence that names the setting and the limit.
    """
    choices = limits.get("choices")
    if choices is not None and value not in choices:
        names = [str(choice) for choice in choices]
        raise Refusal(
            f"{key}={value}: choose one of {', '.join(names)}{did_you_mean(value, names)}"
        )
    if value is None:
        return
    for item in value if "each" in limits else ():
        check(key, item, limits["each"])
    if "place" in limits and (not value.strip() or "\0" in value):
        raise Refusal(f"{key}={value!r} names no place: give a path")
    if "name" in limits and (Path(value).name != value or value == ".."):
        raise Refusal(f"{key}={value}: give a name, no path")
    if "most" in limits:
        _check_number(f"{key}={value}", value, limits)


def _check_number(given: str, value: float, limits: Mapping[str, Any]) -> None:
    most, bound = limits["most"], limits.get("above")
    # Not `value > most`, which lets NaN through.
    if bound is not None and not bound < value <= most:
        raise Refusal(f"{given}: must be above {bound} and at most {_plain(most)}")
    if bound is None and not value >= limits["least"]:
        raise Refusal(f"{given}: must be at least {limits['least']}")
    if not value <= most:
        raise Refusal(f"{given}: must be at most {_plain(most)}")


def _plain(number: float) -> str:
    return f"{number:,}"

"""Types and ranges of settings, kept in the fields of dataclasses, and their one check.

Python code (`check`) and configurations (`build`) check a dataclass of settings the same way: its
fields' types define the kind of value, their metadata the range.  Every number has a maximum.
Larger values are typing errors, and would hang, overflow or exhaust memory long after a command
began.  This module does not need Numba.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import MISSING, field, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

T = TypeVar("T")

_KINDS = {
    bool: ("true or false", bool),
    int: ("a whole number", numbers.Integral),
    float: ("a number", numbers.Real),
    str: ("text", str),
}
"""Types of single values: in words, and the accepted types."""


def one_of(*choices: Any, default: Any = MISSING) -> Any:
    """Return the field of a setting with ``choices``, or with those that the only one returns.

    A function is called when a value is checked: it may import slow modules, or find plug-ins.
    """
    return field(default=default, metadata={"choices": choices})


def between(minimum: float, maximum: float, default: Any = MISSING) -> Any:
    """Return the field of a number from ``minimum`` to ``maximum``."""
    return field(default=default, metadata={"least": minimum, "most": maximum})


def above(bound: float, maximum: float, default: Any = MISSING) -> Any:
    """Return the field of a number above ``bound`` and at most ``maximum``."""
    return field(default=default, metadata={"above": bound, "most": maximum})


def like(source: Any, name: str, default: Any = MISSING) -> Any:
    """Return a field with the range of the field ``name`` of the dataclass ``source``."""
    (found,) = (each for each in fields(source) if each.name == name)
    return field(default=default, metadata=found.metadata)


def find_fault(value: Any, kind: Any, limits: Mapping[str, Any]) -> str | None:
    """Return the fault of a ``value``, or None.

    Parameters
    ----------
    kind : the expected type; types other than those of single values are not checked
    limits : metadata of its field.  None is rejected unless ``kind`` or the choices have it
    """
    choices = limits.get("choices")
    if choices is not None:
        known = choices[0]() if callable(choices[0]) else choices
        return None if value in known else _choose(value, known)
    kinds = get_args(kind) or (kind,)
    if value is None and (type(None) in kinds or not {*kinds} <= {*_KINDS}):
        return None
    single = [part for part in kinds if part in _KINDS]
    if {*kinds} <= {*_KINDS, type(None)} and not any(_is(value, part) for part in single):
        or_null = ", or null" if type(None) in kinds else ""
        return f"must be {_KINDS[single[0]][0]}{or_null}"
    if "most" in limits and isinstance(value, numbers.Real):
        return _find_excess(value, limits)
    return None


def _is(value: Any, kind: type) -> bool:
    return isinstance(value, _KINDS[kind][1]) and (kind is bool or not isinstance(value, bool))


def _choose(value: Any, known: Any) -> str:
    names = [str(name) for name in known]
    return f"choose one of {', '.join(names)}{did_you_mean(value, names)}"


def did_you_mean(given: object, known: Any) -> str:
    """Return ``" (did you mean ...?)"`` if a known name resembles ``given``, else ``""``."""
    close = get_close_matches(str(given), [str(name) for name in known], n=1, cutoff=0.6)
    return f" (did you mean {close[0]}?)" if close else ""


def _find_excess(value: Any, limits: Mapping[str, Any]) -> str | None:
    maximum, bound = limits["most"], limits.get("above")
    # Not `value > maximum`, which lets NaN through.
    if bound is not None and not bound < value <= maximum:
        return f"must be above {bound} and at most {maximum:,}"
    if bound is None and not value >= limits["least"]:
        return f"must be at least {limits['least']}"
    return None if value <= maximum else f"must be at most {maximum:,}"


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def check(settings: Any, path: str = "") -> None:
    """Check the fields of the dataclass ``settings``, for its ``__post_init__``.

    ``path`` precedes the names in messages.  Raises ValueError with one sentence that names the
    field, its value and the allowed values.
    """
    hints = _hints(type(settings))
    for each in fields(settings):
        value = getattr(settings, each.name)
        fault = find_fault(value, hints[each.name], each.metadata)
        if fault:
            raise ValueError(f"{path}{each.name}={value}: {fault}")


def build(kind: type[T], values: Mapping[str, Any], path: str = "") -> T:
    """Return the dataclass ``kind`` with nested ``values``, as in a configuration.

    Raises ValueError for an unknown or missing key or a value out of range, in one sentence that
    names the key.  ``path``: precedes the keys in messages.
    """
    hints = _hints(kind)
    described: Any = {each.name: each for each in fields(kind) if each.init}  # type: ignore[arg-type]
    for key in values:
        if key not in described:
            raise ValueError(f"{path}{key}: unknown setting{did_you_mean(key, described)}")
    found = {}
    for name, each in described.items():
        if name not in values:
            if each.default is MISSING and each.default_factory is MISSING:
                raise ValueError(f"{path}{name} is missing: give it a value")
            continue
        value, hint = values[name], hints[name]
        if is_dataclass(hint):
            if not isinstance(value, Mapping):
                raise ValueError(f"{path}{name}={value}: give settings, as in {{name: value}}")
            found[name] = build(hint, value, f"{path}{name}.")
            continue
        if str in (get_args(hint) or (hint,)) and isinstance(value, (int, float)):
            value = str(value)
        fault = find_fault(value, hint, each.metadata)
        if fault:
            raise ValueError(f"{path}{name}={value}: {fault}")
        whole = isinstance(value, int) and float in (get_args(hint) or (hint,))
        found[name] = float(value) if whole else value
    return kind(**found)

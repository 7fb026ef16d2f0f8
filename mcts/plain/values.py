"""Values that users' functions return: converted or rejected, and numbered.

``of`` names in messages the function that returned the value.  Numbers may be of any numeric type:
NumPy's, fractions, decimals, an array without dimensions.

The search knows actions and observations by numbers.  An integer from 0 to below 2**62 is its own
number; any other value is named by a digest of its content, the same in all processes.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import math
from collections.abc import Hashable
from functools import lru_cache
from numbers import Integral
from typing import Any

import numpy as np

MOST = 1e100
"""Maximum absolute reward and return: sums of millions of squares stay finite."""

_OWN = 2**62
"""Numbers below this are their own, digests lie above."""


def number(value: Any) -> int:
    """Return the number, from 0 to below 2**63, of an action or observation.

    Raises TypeError for a value that is not made of numbers, words, None, enumerations, arrays,
    dataclasses, and tuples, lists, sets and dictionaries of such.
    """
    if type(value) is int and 0 <= value < _OWN:
        return value
    if isinstance(value, Hashable):
        try:
            return _remembered(value)
        except TypeError:  # a tuple that contains a list
            pass
    return _digest(value)


def _digest(value: Any) -> int:
    text = _spell(value)
    if text.startswith("i") and 0 <= (own := int(text[1:])) < _OWN:
        return own
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest) % _OWN | _OWN


_remembered = lru_cache(maxsize=2**12)(_digest)
"""Few, because observations may be long; of equal values the first is kept, so `_spell` must return
the same for them."""


def _spell(value: Any) -> str:
    """Return text that identifies ``value``, the same for equal values."""
    if isinstance(value, (bool, int, np.integer, np.bool_)):
        return f"i{int(value)}"
    if isinstance(value, (float, np.floating)):
        return f"i{int(value)}" if float(value).is_integer() else f"f{float(value)!r}"
    for words in (str, bytes):
        if isinstance(value, words):  # also NumPy's and enumerations, with other reprs
            return f"w{words.__repr__(value)}"
    if value is None:
        return "wNone"
    if isinstance(value, enum.Enum):
        return f"e{type(value).__qualname__}.{value.name}"
    if isinstance(value, np.ndarray):
        return f"a{value.shape}[{','.join(map(_spell, value.ravel().tolist()))}]"
    if isinstance(value, (tuple, list)):
        return f"({','.join(map(_spell, value))})"
    if isinstance(value, (set, frozenset)):
        return f"{{{','.join(sorted(map(_spell, value)))}}}"
    if isinstance(value, dict):
        return f"d{{{','.join(sorted(f'{_spell(k)}:{_spell(v)}' for k, v in value.items()))}}}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [getattr(value, part.name) for part in dataclasses.fields(value) if part.compare]
        return f"c{type(value).__qualname__}{_spell(fields)}"
    raise TypeError(
        f"an action or observation is made of numbers, words and tuples of them, not of {value!r}"
    )


def show(value: Any) -> str:
    """Return ``value`` in one line of at most 100 characters, even if it cannot be printed."""
    try:
        return f"{' '.join(repr(value).split()):.100}"
    except Exception:
        return f"a value of type {type(value).__name__}"


def real(value: Any, of: str) -> float:
    """Return the number ``value`` as a float.

    Raises TypeError for another type.  Raises ValueError if infinite, nan, or beyond `MOST`.
    """
    found = value
    if type(value) is not float:
        words = isinstance(value, (str, bytes, complex, np.complexfloating))
        if words or np.ndim(value) or not hasattr(value, "__float__"):
            raise TypeError(f"{of} must be a number, not {show(value)}")
        try:
            found = float(value)
        except OverflowError:
            found = math.inf
    if not -MOST <= found <= MOST:
        shown = "an integer too large" if isinstance(value, Integral) else found
        raise ValueError(f"{of} is {shown}: it must be a number, at most {MOST}")
    return found


def truth(value: Any, of: str) -> bool:
    """Return ``value`` as a bool; TypeError if it is neither true nor false."""
    if value is True or value is False:
        return value
    if isinstance(value, (Integral, np.bool_)) and value in (0, 1):
        return bool(value)
    raise TypeError(f"{of} must be True or False, not {show(value)}")


def below(value: Any, end: int) -> bool:
    """Return whether ``value`` is an integer from 0 to below ``end``."""
    return isinstance(value, Integral) and 0 <= int(value) < end


def fractional(value: Any) -> bool:
    """Return whether ``value`` contains a non-integer number."""
    if isinstance(value, (float, np.floating)):
        return not float(value).is_integer()
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    return isinstance(value, (tuple, list)) and any(map(fractional, value))


def number_of(value: Any, of: str) -> int:
    """Return the number of an action or observation; TypeError if it has none."""
    try:
        return number(value)
    except (TypeError, ValueError) as fault:
        raise TypeError(f"{of} is {show(value)}: {fault}") from None

"""Numbers for what plain Python calls actions and observations: the same in every process.

The search knows actions and observations as numbers.  A whole number from 0 to below 2**62 stands
for itself; anything else is named by a digest of what it is made of.  Python's own `hash` will not
do, for words have another one in each process.  Values that are equal have equal numbers.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import numpy as np

_OWN = 2**62
"""Numbers below this stand for themselves, digests lie above."""


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
        except TypeError:  # a tuple with a list in it
            pass
    return _digest(value)


def _digest(value: Any) -> int:
    text = _spell(value)
    if text.startswith("i") and 0 <= (own := int(text[1:])) < _OWN:
        return own
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest) % _OWN | _OWN


_remembered = lru_cache(maxsize=2**12)(_digest)
"""Few, for what is seen may be long; and of values that are equal it knows the first: so `_spell`
must return the same for them."""


def _spell(value: Any) -> str:
    """Return text that identifies ``value``, the same for equal values."""
    if isinstance(value, (bool, int, np.integer, np.bool_)):
        return f"i{int(value)}"
    if isinstance(value, (float, np.floating)):
        return f"i{int(value)}" if float(value).is_integer() else f"f{float(value)!r}"
    for words in (str, bytes):
        if isinstance(value, words):  # also NumPy's and enumerations, whose repr differs
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

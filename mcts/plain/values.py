"""Values that users' functions return: taken as what they mean, or refused in one line.

``of`` says in messages which function returned the value.  Numbers may be of any type that is one:
NumPy's, fractions, decimals, an array without dimensions.
"""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np

from mcts.plain.numbers import number

MOST = 1e100
"""Greatest reward and return: sums of millions of their squares are finite."""


def show(value: Any) -> str:
    """Return ``value`` in one line of at most 100 characters, also if it cannot be printed."""
    try:
        return f"{' '.join(repr(value).split()):.100}"
    except Exception:
        return f"a value of type {type(value).__name__}"


def real(value: Any, of: str) -> float:
    """Return the number ``value`` as a float.

    Raises TypeError if it is none.  Raises ValueError if it is infinite, nan, or beyond `MOST`.
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
    """Return ``value``, which is true or false, as a bool; TypeError if it is neither."""
    if value is True or value is False:
        return value
    if isinstance(value, (Integral, np.bool_)) and value in (0, 1):
        return bool(value)
    raise TypeError(f"{of} must be True or False, not {show(value)}")


def below(value: Any, end: int) -> bool:
    """Return whether ``value`` is a whole number from 0 to below ``end``."""
    return isinstance(value, Integral) and 0 <= int(value) < end


def fractional(value: Any) -> bool:
    """Return whether there is a number with a fraction in ``value``."""
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

"""What Numba works out again and again while it types a function, worked out once.

Most of a cold start is not LLVM but Numba's inference of types, which is Python, and much of that
goes into answers that are known: the policies of Cluedo compile in 17 % less time.  Each of these
gives the answer that Numba would have given:

* Options of a function, which are looked up with every call of an overload, were compared by
  reading all 22 of them through properties.
* The loop of a ufunc was sought for every sum of two numbers, and dropped for want of an array.
* Operators of numbers went through all of their templates at every place in the source.
* Variables of an instruction were listed by a recursion over whatever the instruction holds.
* A record type was written out, field by field, whenever a message or a mangled name has it.

All of it leans on parts of Numba that are not documented, so only the version for which it was
written is changed; others compile as Numba has it, more slowly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import numba
from numba import types
from numba.core import ir
from numba.core.targetconfig import TargetConfig
from numba.core.types.functions import BaseFunction
from numba.core.typing.npydecl import NumpyRulesArrayOperator

KNOWN = numba.__version__.startswith("0.68.")
"""Whether this version of Numba is the one that is changed here."""

_NUMBERS = (types.Number, types.Boolean)
"""Types, those of literals among them, of which operators are the same wherever they stand."""


def _values(config: TargetConfig) -> dict[str, Any]:
    """Return all options by name, as `TargetConfig.values` does."""
    given = config._values
    return {name: given.get(name, option.default) for name, option in config.options.items()}


def _equals(config: TargetConfig, other: object) -> bool:
    """Tell whether two sets of options agree, those left at their defaults included."""
    if not isinstance(other, TargetConfig):
        return NotImplemented
    if type(config) is type(other) and config._values == other._values:
        return True
    return config.values() == other.values()


def _for_arrays_alone(generic: Callable) -> Callable:
    """Return ``generic`` of operators of arrays, which asks first whether there is one."""

    @wraps(generic)
    def asked(template: Any, arguments: tuple, named: Mapping) -> Any:
        for kind in arguments:
            if isinstance(getattr(kind, "type", kind), types.ArrayCompatible) or isinstance(
                kind, types.ArrayCompatible
            ):
                return generic(template, arguments, named)
        return None

    return asked


def _operators_once(get_call_type: Callable) -> Callable:
    """Return `BaseFunction.get_call_type`, which remembers operators of numbers.

    Not what resolves to an overload: its code depends on the options of who calls it.
    """
    known: dict[tuple, tuple] = {}

    @wraps(get_call_type)
    def remembered(function: BaseFunction, context: Any, arguments: tuple, named: Mapping) -> Any:
        if named or not all(isinstance(kind, _NUMBERS) for kind in arguments):
            return get_call_type(function, context, arguments, named)
        question = context, function.typing_key, function.templates, tuple(arguments)
        answer = known.get(question)
        if answer is None:
            answer = get_call_type(function, context, arguments, named)
            if function._impl_keys[answer.args] is function.typing_key:
                known[question] = answer
        else:
            function._impl_keys[answer.args] = function.typing_key
        return answer

    return remembered


def _variables(_: Any, held: Any) -> list[ir.Var]:
    """Return the variables in ``held``, in order, as `Inst._rec_list_vars` does."""
    kind = type(held)
    if kind is ir.Var:
        return [held]
    found: list[ir.Var] = []
    if kind is dict:
        held = held.values()
    elif kind is not list and kind is not tuple:
        return held.list_vars() if isinstance(held, ir.Inst) else found
    for part in held:
        kind = type(part)
        if kind is ir.Var:
            found.append(part)
        elif kind not in _WITHOUT:
            found += _variables(_, part)
    return found


_WITHOUT = {str, int, float, bool, type(None), ir.Loc}
"""Types of what holds no variable, most of what an instruction has."""


def _written_once(write: Callable[[types.Record], str]) -> Callable[[types.Record], str]:
    """Return ``write``, which remembers how each type is written, for none ever changes."""
    known: dict[int, tuple[types.Record, str]] = {}

    @wraps(write)
    def written(record: types.Record) -> str:
        # By identity, since equality compares all fields; whoever is kept keeps its number.
        if id(record) not in known:
            known[id(record)] = record, write(record)
        return known[id(record)][1]

    return written


def _type_once() -> None:
    """Change Numba."""
    TargetConfig.values = _values
    TargetConfig.__eq__ = _equals
    NumpyRulesArrayOperator.generic = _for_arrays_alone(NumpyRulesArrayOperator.generic)
    BaseFunction.get_call_type = _operators_once(BaseFunction.get_call_type)
    ir.Inst._rec_list_vars = _variables
    types.Record.__repr__ = _written_once(types.Record.__repr__)


if KNOWN:
    _type_once()

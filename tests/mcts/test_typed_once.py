"""What is worked out once is what Numba works out each time."""

import operator
from itertools import product

import numba
import numpy as np
import pytest
from numba import types
from numba.core import compiler, ir, typing
from numba.core.errors import NumbaError
from numba.core.registry import cpu_target
from numba.core.typing.npydecl import NumpyRulesArrayOperator

from mcts.kernel import typed_once

KINDS = (
    types.int64,
    types.int8,
    types.uint64,
    types.float64,
    types.float32,
    types.complex128,
    types.boolean,
    types.IntegerLiteral(3),
    types.BooleanLiteral(True),
)
OPERATORS = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
    *(operator.pow, operator.lshift, operator.and_, operator.xor, operator.eq, operator.lt),
    *(operator.neg, operator.not_, operator.invert, operator.is_),
)


def test_this_version_of_numba_is_known():
    assert typed_once.KNOWN, "look whether mcts.kernel.typed_once holds for it, and name it there"


def answers(find, context, function, arguments):
    """Return the signature and what implements it, or the kind of error."""
    try:
        signature = find(function, context, arguments, {})
    except NumbaError as fault:
        return type(fault)
    return signature, function.get_impl_key(signature)


@pytest.mark.parametrize("of", OPERATORS, ids=lambda of: of.__name__)
def test_operators_are_typed_as_by_numba(of):
    """Control: the memory does not mistake one question for another, such as swapped numbers."""
    context = cpu_target.typing_context
    context.refresh()
    function = context.resolve_value_type(of)
    remembered = type(function).get_call_type
    single = of in (operator.neg, operator.not_, operator.invert)
    found = set()
    for arguments in product(KINDS, repeat=1 if single else 2):
        known = answers(remembered.__wrapped__, context, function, arguments)
        assert answers(remembered, context, function, arguments) == known  # asked
        assert answers(remembered, context, function, arguments) == known  # remembered
        found.add(str(known))
    assert len(found) > 1


def test_operators_of_arrays_are_still_those_of_numpy():
    context = cpu_target.typing_context
    context.refresh()
    add = context.resolve_value_type(operator.add)
    array = types.Array(types.int32, 1, "C")
    for arguments in product((array, types.Optional(array), types.float64), repeat=2):
        if arguments != (types.float64, types.float64):
            signature = add.get_call_type(context, arguments, {})
            assert isinstance(signature.return_type, types.Array), arguments
    (template,) = (t for t in add.templates if issubclass(t, NumpyRulesArrayOperator))
    assert template(context).generic((types.float64, types.float64), {}) is None


def test_options_are_equal_when_all_of_them_are():
    one, other = compiler.Flags(), compiler.Flags()
    names = list(one.options)
    assert one == other and hash(one) == hash(other)
    assert one.values() == {name: getattr(one, name) for name in names}
    other.nrt = one.nrt  # given, but as it is by default
    assert one == other and one._values != other._values
    other.nrt = not one.nrt
    assert one != other and other.values()["nrt"] != one.values()["nrt"]
    assert one != "options"


def plainly(held):
    """Return the variables in ``held``, as Numba's own recursion lists them."""
    if isinstance(held, ir.Var):
        return [held]
    if isinstance(held, ir.Inst):
        return held.list_vars()
    if isinstance(held, dict):
        held = held.values()
    elif not isinstance(held, (list, tuple)):
        return []
    return [variable for part in held for variable in plainly(part)]


def mixed(a, b, *rest, c=3):
    found = {"a": [a, (b, a)], "c": c}
    for i in range(len(rest)):
        if a[i] < b or not rest:
            a[i] += rest[i].field * found["c"]
        else:
            raise ValueError("odd", c)
    return sum([n * n for n in rest]), a[1:b], f"{c}"


def test_variables_of_an_instruction_are_listed_in_order():
    blocks = compiler.run_frontend(mixed).blocks.values()
    statements = [statement for block in blocks for statement in block.body]
    assert len({type(statement) for statement in statements}) > 5
    for statement in statements:
        listed = statement.list_vars()
        assert listed == plainly(statement.__dict__)
        assert typed_once._variables(None, statement) == listed
    assert any(len(statement.list_vars()) > 2 for statement in statements)
    assert typed_once._variables(None, "text") == []


def test_a_record_is_written_as_it_is():
    one, other = (numba.from_dtype(np.dtype([(name, "i8"), ("of", "f4")])) for name in "ab")
    write = types.Record.__repr__.__wrapped__
    for record in (one, other, one):
        assert repr(record) == write(record)
    assert repr(one) != repr(other)
    assert typing.signature(one, other) == typing.signature(one, other)

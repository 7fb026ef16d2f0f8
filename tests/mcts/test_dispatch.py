"""Functions by number, tables of what is written one to a file, and kernels with fixed types."""

import sys

import numpy as np
import pytest

from mcts.kernel import sources
from mcts.kernel.compile import INTERPRETED, jit
from mcts.kernel.dispatch import by_number
from mcts.kernel.fixed import FixedTypes
from mcts.kernel.sources import modules_of


@jit
def add(a, b):
    return a + b


@jit
def subtract(a, b):
    return a - b


@jit
def multiply(a, b):
    return a * b


calculate = by_number([add, subtract, multiply])
only = by_number([multiply])


@jit
def in_a_kernel(which, a, b):
    return calculate(which, a, b) + only(0, a, b)


@pytest.mark.parametrize(("which", "result"), [(0, 9), (1, 5), (2, 14)])
def test_a_number_calls_its_function(which, result):
    assert calculate(which, 7, 2) == result
    assert in_a_kernel(which, 7, 2) == result + 14


def test_modules_are_found_by_their_file_and_belong_to_the_digest(tmp_path, monkeypatch):
    package = tmp_path / "found_by_file"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "first.py").write_text("A = 1\n")
    table = package / "table.py"
    table.write_text(
        "from mcts.kernel.sources import modules_of\n"
        "FOUND = modules_of('found_by_file')\n"
        "NAMES = [module.__name__ for module in FOUND if hasattr(module, 'A')]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("found_by_file.table").table
    assert module.NAMES == ["found_by_file.first"]
    names = ["found_by_file.first", "found_by_file.table"]
    assert [found.__name__ for found in modules_of(package.name)] == names
    # A dependent's digest changes with a file that it never names.
    depends = frozenset(["found_by_file.table"])
    before = sources.digest(depends)
    (package / "second.py").write_text("A = 2\n")
    sources.forget()
    assert sources.digest(depends) != before
    for name in [name for name in sys.modules if name.startswith("found_by_file")]:
        del sys.modules[name]
    sources.forget()


compiled = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

PAIR = np.dtype([("one", np.int64), ("two", np.float64)])


@jit
def weigh(rows, weight):
    total = 0.0
    for i in range(len(rows)):
        total += rows[i].one * rows[i].two
    return weight * total


def pairs(n):
    rows = np.zeros(n, np.dtype((np.record, PAIR)))
    rows["one"], rows["two"] = np.arange(n), 0.5
    return rows


def test_it_gives_what_the_kernel_gives():
    fixed = FixedTypes(weigh)
    for n, weight in ((4, 2), (1, 7), (200, -3)):
        assert fixed.call(pairs(n), weight) == weigh(pairs(n), weight)


@compiled
def test_types_are_looked_at_once(calls):
    fixed, rows, slow = FixedTypes(weigh), pairs(5), pairs(5).view(np.recarray)
    for _ in range(2):
        fixed.call(rows, 2)
        weigh(slow, 2)
    assert calls(lambda: fixed.call(rows, 3)) == 0
    assert calls(lambda: weigh(slow, 3)) > 0  # the control: what it saves

"""A kernel that cannot be compiled is explained in three lines, which name the user's own."""

import importlib
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

from mcts.kernel import sources, store
from mcts.kernel.compile import INTERPRETED, jit
from mcts.kernel.faults import REMEDY, KernelFault, explain
from mcts.kernel.rng import new_stream, uniform

pytestmark = pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")

HELPER = """
from mcts.kernel.compile import jit

@jit
def prize(action):
    return {prize}
"""

USER = """
from typing import NamedTuple
import numpy as np
from mcts.kernel.compile import jit
from mcts.kernel.rng import uniform
from helper_of_typo import prize

class Position(NamedTuple):
    steps: int = 3

@jit
def step(p, s, action):
    if action < 0:
        raise ValueError("no action")
    {line}

@jit
def entry(s, action):
    return step(Position(3), s, action)
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Return a function that writes and imports the user's two modules."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "cache").mkdir(0o700)
    monkeypatch.setattr(store, "open_store", lambda: store.Store(tmp_path / "cache"))
    folders = []

    def write(line, prize="2 * action", folder="one"):
        folders.append(tmp_path / folder)
        folders[-1].mkdir()
        (folders[-1] / "helper_of_typo.py").write_text(HELPER.format(prize=prize))
        (folders[-1] / "user_with_typo.py").write_text(USER.format(line=line))
        forget()
        monkeypatch.syspath_prepend(folders[-1])
        return importlib.import_module("user_with_typo"), folders[-1]

    def forget():
        for name in ("helper_of_typo", "user_with_typo"):
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        sources.forget()

    yield write
    forget()


STEP, PRIZE = "user_with_typo.py:15: step", "helper_of_typo.py:6: prize"


@pytest.mark.parametrize(
    ("line", "prize", "place", "reason"),
    [
        ("return 10.0 * acton", "1", STEP, "NameError: name 'acton' is not defined"),
        ("return p.stepz", "1", STEP, "Unknown attribute 'stepz' of type Position"),
        ("return s if action else 1.0", "1", STEP, "Cannot unify array.* and float64"),
        ("return prize(action)", "1.0 + bonus", PRIZE, "NameError: name 'bonus' is not defined"),
        ("return uniform(action)", "1", STEP, r"in \w+ \(.*rng.py:\d+\): "),
    ],
)
def test_three_lines_name_the_line_of_the_user(write, line, prize, place, reason):
    module, folder = write(line, prize)
    with pytest.raises(KernelFault, match=reason) as raised:
        module.entry(np.zeros(2, np.int64), 1)
    first, text, remedy = str(raised.value).splitlines()
    assert first.startswith(f"{folder}/{place} cannot be compiled: ")
    assert text.strip() in (line, f"return {prize}") and remedy == REMEDY
    assert len(traceback.format_exception(raised.value)) < 12  # Numba's chain is not shown


def test_numba_says_all_on_demand(write, monkeypatch):
    """The control: without the short form the place of the typo is far down."""
    import numba

    monkeypatch.setattr(numba.core.config, "FULL_TRACEBACKS", 1)
    module, _ = write("return 10.0 * acton")
    with pytest.raises(numba.TypingError, match="Failed in nopython mode"):
        module.entry(np.zeros(2, np.int64), 1)


def test_codes_for_bold_are_left_out():
    """Numba writes them where colorama is installed."""
    explain(ValueError())  # what failed before this is explained once
    assert (
        str(explain(ValueError("\x1b[1m\x1b[31mno such name\x1b[0m"))) == f"no such name\n{REMEDY}"
    )


def test_an_argument_that_no_kernel_takes_is_named():
    with pytest.raises(KernelFault, match="stream is of a type that kernels do not take"):
        uniform({})
    assert 0.0 <= uniform(new_stream(1)) < 1.0
    assert jit(lambda x: x + 1)(1) == 2


def test_a_traceback_names_the_checkout_that_runs(write):
    """Machine code made in one folder is loaded in another, whose file the traceback must show."""
    for folder, hits in (("one", 0), ("two", 1)):
        module, here = write("return 1.0", folder=folder)
        with pytest.raises(ValueError, match="no action") as raised:
            module.entry(np.zeros(2, np.int64), -1)
        assert sum(module.entry.stats.cache_hits.values()) == hits
        last = traceback.extract_tb(raised.value.__traceback__)[-1]
        assert Path(here, last.filename) == here / "user_with_typo.py"
        assert last.line == 'raise ValueError("no action")'

"""Every benchmark can be imported and says how it is run: they are run by hand, and rarely."""

import importlib
from pathlib import Path

import pytest

OF_OTHERS = {"open_spiel", "pomdp_py", "pyspiel"}
"""Packages that are installed for the benchmarks alone."""

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks"


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("bench_*.py")))
def test_a_benchmark_can_be_imported(name):
    try:
        module = importlib.import_module(f"benchmarks.{name}")
    except ModuleNotFoundError as fault:
        assert fault.name in OF_OTHERS
        return
    assert name in module.__doc__

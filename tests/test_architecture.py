"""Imports run downwards, and the ground floors stay light."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

MAY_IMPORT = {
    "mcts": {"mcts"},
    "belief": {"belief", "mcts.kernel"},
    "sim": {"sim", "belief", "mcts"},
    "experiments": {"experiments", "sim", "belief", "mcts"},
    "conf": {"conf"},
}
"""By package: the project's modules that it may import, with all below them."""

ABOVE_THE_GAME = {"ray", "mlflow", "hydra", "omegaconf", "matplotlib"}
"""Libraries for `experiments` alone."""

KNOWS_RAY = "mcts/root.py"
"""The one module below `experiments` that knows Ray: it searches with several processes."""


def imports(package: str, source: str) -> Iterator[str]:
    """Yield the absolute name of every module that ``source`` imports, wherever it does so."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, [package if node.level else "", node.module]))
            # `from mcts import kernel` imports a module as well, as far as one can tell from here.
            yield from (f"{base}.{alias.name}" for alias in node.names)


def faults(package: str, source: str, path: str = "") -> list[str]:
    """Return the imports that the module of ``package`` at ``path`` must not have."""
    wrong = []
    for name in imports(package, source):
        top = name.partition(".")[0]
        if top in MAY_IMPORT:
            if not any(f"{name}.".startswith(f"{each}.") for each in MAY_IMPORT[package]):
                wrong.append(name)
        elif (
            top in ABOVE_THE_GAME
            and package != "experiments"
            and not (top == "ray" and path == KNOWS_RAY)
        ):
            wrong.append(name)
    return wrong


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_imports_run_downwards(package):
    modules = list((ROOT / package).rglob("*.py"))
    assert modules
    wrong = {
        name: found
        for path in modules
        if (found := faults(package, path.read_text(), name := path.relative_to(ROOT).as_posix()))
    }
    assert not wrong


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("mcts", "import sim.game"),
        ("mcts", "from belief import exact"),
        ("belief", "from mcts import tree"),
        ("belief", "from mcts.search import Search"),
        ("belief", "from sim.cards import N_CARDS"),
        ("sim", "from experiments import results"),
        ("sim", "def late():\n    import ray"),
        ("sim", "from ray.util import ActorPool"),
        ("mcts", "import matplotlib.pyplot as plt"),
        ("conf", "import mlflow"),
        ("mcts", "import ray"),
    ],
)
def test_the_check_finds_an_upward_import(package, source):
    assert faults(package, source)


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("belief", "from mcts.kernel import rng"),
        ("belief", "from mcts.kernel.rng import below"),
        ("sim", "from mcts.search import Search"),
        ("experiments", "import ray, sim.arena"),
        ("mcts", "from . import tree"),
    ],
)
def test_the_check_lets_downward_imports_pass(package, source):
    assert not faults(package, source)

"""Imports run downwards, from floor to floor and in no circle; files stay short."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).resolve().parent.parent

MAY_IMPORT = {
    "mcts": {"mcts"},
    "belief": {"belief", "mcts.kernel"},
    "sim": {"sim", "belief", "mcts"},
    "experiments": {"experiments", "sim", "belief", "mcts"},
    "conf": {"conf"},
    "examples": {"experiments", "sim", "belief", "mcts"},
}
"""By package: the project's modules that it may import, with all below them."""

ABOVE_THE_GAME = {"ray", "mlflow", "hydra", "omegaconf", "matplotlib", "sklearn"}
"""Libraries for `experiments`, and for the examples that stand above it."""

KNOW_RAY = {"mcts/root.py", "mcts/distributed/local_ray.py", "mcts/distributed/cluster.py"}
"""The modules below `experiments` that know Ray: searching with several processes, starting it."""

FLOORS = (
    ("conf", "mcts.kernel"),
    ("mcts.distributed",),
    ("mcts",),
    ("mcts.continuous",),
    ("mcts.plain", "mcts.problems", "mcts.contract", "mcts.bmcts", "belief"),
    ("mcts.openspiel", "mcts.reference", "belief.exact", "belief.sampling"),
    ("belief.information",),  # of beliefs in general, with a closed form by the exact solver
    ("belief.beliefs",),
    ("belief.contract",),
    ("sim",),
    ("sim.models",),
    (
        "sim.planning",
        "sim.records",
        "sim.endgame",
        "sim.environment",
        "sim.contract",
        "sim.qlearning",
        "sim.hunt",
    ),
    ("sim.hunt.geometry", "sim.hunt.paths"),
    ("sim.players",),
    ("experiments.texts", "experiments.callable", "experiments.palette"),
    ("experiments.terminal", "experiments.settings", "experiments.stats"),
    ("experiments.provenance",),
    ("experiments.locks",),
    ("experiments.run",),
    ("experiments.matches",),
    ("experiments.plotting", "experiments.tabular"),
    ("experiments.runs",),
    ("experiments.study", "experiments.python"),
    (
        "experiments.compare",
        "experiments.sweep",
        "experiments.report",
        "experiments.tables",
        "experiments.regret",
        "experiments.beliefs",
        "experiments.explain",
        "experiments.hunt",
        "experiments.episodes",
    ),
    ("experiments.__main__", "experiments.table"),  # a list of them; one of them from Python
    ("experiments.web",),  # a page for several of them
    ("examples",),  # each alone, for readers; nothing imports one
)
"""Rooms from the ground up.  A room may import itself and rooms on floors below its own; those of
one floor, the commands among them, know nothing of each other."""

GROUND_OF_THE_GAME = ("sim.policies",)
"""Belong to the room `sim`: the machine of the game and its policies need each other."""

MOST_LINES = 400


def imports(package: str, source: str) -> Iterator[str]:
    """Yield the absolute name of every module that ``source`` imports, wherever it does so."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(filter(None, [package if node.level else "", node.module]))
            # `from mcts import kernel` imports a module as well, as far as one can see from here.
            yield from (f"{base}.{alias.name}" for alias in node.names)


def faults(package: str, source: str, path: str = "") -> list[str]:
    """Return the imports that the module of ``package`` at ``path`` must not have."""
    wrong = []
    for name in imports(package, source):
        top = name.partition(".")[0]
        if top in MAY_IMPORT:
            if not any(f"{name}.".startswith(f"{allowed}.") for allowed in MAY_IMPORT[package]):
                wrong.append(name)
        elif (
            top in ABOVE_THE_GAME
            and package not in ("experiments", "examples")
            and not (top == "ray" and path in KNOW_RAY)
        ):
            wrong.append(name)
    return wrong


@cache
def modules() -> dict[str, Path]:
    """Return the file of every module of the project, by its name."""
    found = {}
    for path in (path for package in MAY_IMPORT for path in (ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def arrows() -> frozenset[tuple[str, str]]:
    """Return all pairs of modules (importer, imported) of the project."""
    return frozenset(
        (module, imported if imported in modules() else imported.rpartition(".")[0])
        for module, path in modules().items()
        for imported in imports(module.rpartition(".")[0], path.read_text())
        if imported.partition(".")[0] in MAY_IMPORT
    )


def within(module: str, room: str) -> bool:
    """Return whether ``module`` is ``room`` or in it."""
    return f"{module}.".startswith(f"{room}.")


def place(module: str) -> tuple[int, str]:
    """Return the floor of ``module`` and its room: the one named most exactly."""
    if any(within(module, part) for part in GROUND_OF_THE_GAME):
        module = "sim"
    if module == "experiments":  # its public names, for the examples
        return len(FLOORS) - 2, module
    found = [
        (floor, room)
        for floor, rooms in enumerate(FLOORS)
        for room in rooms
        if within(module, room)
    ]
    assert found, f"{module} is on no floor"
    return max(found, key=lambda entry: len(entry[1]))


def upward(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Return the arrows that lead to another room on the same floor or above."""
    wrong = []
    for importer, imported in sorted(pairs):
        (floor, room), (other_floor, other_room) = place(importer), place(imported)
        if room != other_room and other_floor >= floor:
            wrong.append(f"{importer} -> {imported}")
    return wrong


def circles(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the groups of modules that import each other, however indirectly."""
    found = nx.strongly_connected_components(nx.DiGraph(pairs))
    return [sorted(group) for group in found if len(group) > 1]


def long_files(paths: Iterable[Path]) -> list[str]:
    """Return those of ``paths`` that have too many lines."""
    return [path.name for path in paths if len(path.read_text().splitlines()) > MOST_LINES]


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_packages_import_what_they_may(package):
    found = [path for module, path in modules().items() if within(module, package)]
    assert found
    wrong = {
        name: found
        for path in found
        if (found := faults(package, path.read_text(), name := path.relative_to(ROOT).as_posix()))
    }
    assert not wrong


@pytest.mark.parametrize(
    ("package", "source", "wrong"),
    [
        ("mcts", "import sim.game", True),
        ("sim", "from experiments import results", True),
        ("sim", "def late():\n    import ray", True),
        ("experiments", "import ray, sim.arena", False),
    ],
)
def test_the_check_finds_what_a_package_may_not_import(package, source, wrong):
    assert bool(faults(package, source)) == wrong


def test_imports_run_downwards():
    assert len(arrows()) > 500
    assert upward(arrows()) == []


@pytest.mark.parametrize(
    ("importer", "imported", "wrong"),
    [
        ("belief.exact.solver", "belief.sampling.mcmc", True),
        ("sim.referee", "sim.players.registry", True),
        ("experiments.matches.play", "experiments.runs.summary", True),
        ("experiments.study", "experiments.regret", True),
        ("experiments.regret", "experiments.study", False),
        ("sim.game", "sim.policies.registry", False),
    ],
)
def test_the_check_finds_an_arrow_that_runs_upwards(importer, imported, wrong):
    assert bool(upward([(importer, imported)])) == wrong


def test_no_module_imports_itself_however_indirectly():
    assert circles(arrows()) == []


def test_files_are_short():
    beside = [path for name in ("tests", "benchmarks") for path in (ROOT / name).rglob("*.py")]
    assert long_files([*modules().values(), *beside]) == []

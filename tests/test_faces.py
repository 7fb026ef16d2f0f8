"""Packages hand out public names, cheaply; README, docs and examples import from there alone."""

import ast
import importlib
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from mcts.kernel import sources

ROOT = Path(__file__).resolve().parent.parent
OURS = ("mcts", "belief", "sim", "experiments")
FACES = sorted(
    ".".join(stub.parent.relative_to(ROOT).parts)
    for package in OURS
    for stub in (ROOT / package).rglob("__init__.pyi")
)
PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("examples/*.py"),
    *ROOT.glob("tests/data/plugin/**/*.py"),
]
CODE = re.compile(r"```python\n(.*?)```", re.S)
PART_OF_THE_PROJECT = re.compile(r"# ((?:mcts|belief|sim)/\S+)\.py\n")
"""How an example begins that is a module of the project, which may import as others do."""


def deep_imports(source):
    """Return what ``source`` imports from below the public faces."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append(node.module)
    return [name for name in found if name.split(".")[0] in OURS and name not in FACES]


def examples(page):
    """Return the Python on ``page``."""
    text = page.read_text()
    blocks = [text] if page.suffix == ".py" else CODE.findall(text)
    return [block for block in blocks if not PART_OF_THE_PROJECT.match(block)]


def own_modules(page):
    """Return the modules of the project that ``page`` adds."""
    return {path.replace("/", ".") for path in PART_OF_THE_PROJECT.findall(page.read_text())}


def test_the_packages_have_faces():
    assert set(OURS) <= set(FACES)


@pytest.mark.parametrize("face", FACES)
def test_every_name_is_there(face):
    if face.endswith("openspiel") and find_spec("pyspiel") is None:
        pytest.skip("OpenSpiel is not installed")
    module = importlib.import_module(face)
    assert {"mcts", "belief", "sim"} <= set(FACES)
    assert module.__all__ and all(getattr(module, name) is not None for name in module.__all__)
    with pytest.raises(AttributeError):
        module.nothing  # noqa: B018


def test_importing_a_face_is_cheap():
    heavy = {"numba", "numpy", "ray", "mlflow", "matplotlib", "hydra"}
    code = f"import mcts, belief, sim, experiments, sys; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_pages_import_from_the_faces_alone():
    for page in PAGES:
        found = {name for source in examples(page) for name in deep_imports(source)}
        assert found <= own_modules(page), page


@pytest.mark.parametrize(
    "source",
    ["from mcts.search import Search", "import sim.referee", "from experiments.stats import sprt"],
)
def test_a_deep_import_is_found(source):
    assert deep_imports(source)
    assert not deep_imports("from mcts import Search\nimport sim, numpy.random")


def test_code_depends_on_what_it_takes_from_a_face_and_on_no_more(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "takes_some.py").write_text("from mcts import jit, uniform\n")
    found = sources._closure("takes_some")
    assert {"mcts.kernel.compile", "mcts.kernel.rng"} <= found
    assert "mcts.search" not in found

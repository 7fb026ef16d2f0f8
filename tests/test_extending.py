"""The examples of docs/extending.md work as they stand, in a copy of the project."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mcts.kernel.compile import INTERPRETED

ROOT = Path(__file__).resolve().parent.parent
COPIED = ("mcts", "belief", "sim", "experiments", "conf", "tests", "pyproject.toml")
BLOCKS = re.findall(r"```(\w+)\n# (\S+)\n(.*?)```", (ROOT / "docs/extending.md").read_text(), re.S)


def change(text: str, edits: str) -> str:
    """Return ``text`` with the lines marked ``-`` replaced by those marked ``+``."""
    old = "".join(line[2:] for line in edits.splitlines(True) if line.startswith("- "))
    new = "".join(line[2:] for line in edits.splitlines(True) if line.startswith("+ "))
    assert text.count(old) == 1, f"the lines to be changed are not there:\n{old}"
    return text.replace(old, new)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the project with all examples in it."""
    made = tmp_path_factory.mktemp("project")
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, made / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, made / name)
    for kind, name, text in BLOCKS:
        path = made / name
        path.write_text(change(path.read_text(), text) if kind == "diff" else text)
    return made


def run(copy: Path, *arguments: str) -> str:
    """Run Python in the copy, kernels as plain Python: what they do is tested here, not speed."""
    environment = {**os.environ, "PYTHONPATH": str(copy), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_page_has_an_example_of_each():
    kinds = {Path(name).parts[:2] for _, name, _ in BLOCKS}
    examples = {("sim", "policies"), ("conf", "player"), ("conf", "rules"), ("sim", "rules.py")}
    assert examples <= kinds
    assert ("belief", "levelled.py") in kinds


@pytest.mark.skipif(INTERPRETED, reason="runs in the interpreter anyhow")
def test_their_tests_pass(copy):
    tests = [name for _, name, _ in BLOCKS if name.startswith("tests/")]
    assert len(tests) == 3
    shown = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert re.search(r"\b6 passed", shown), shown


def test_the_command_line_takes_them(copy):
    command = ("-m", "experiments.compare", "player=prober", "rules=brisk", "rules.passages=false")
    shown = run(copy, *command, "--cfg", "job")
    assert "name: prober" in shown and "passages: false" in shown and "name: brisk" in shown

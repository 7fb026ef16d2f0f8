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
PAGE = (ROOT / "docs/extending.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n# (\S+)\n(.*?)```", PAGE, re.S)
"""(kind, file, text): a ``diff`` changes a file, ``toml`` is part of one, the others are whole."""


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
        if kind == "toml":
            assert text in path.read_text()
        else:
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
    assert {("belief", "beliefs"), ("mcts", "problems"), ("tests", "data")} <= kinds
    assert ("sim", "planning") in kinds


@pytest.mark.skipif(INTERPRETED, reason="runs in the interpreter anyhow")
def test_their_tests_pass(copy):
    tests = [name for kind, name, _ in BLOCKS if kind == "python" and name.startswith("tests")]
    assert len(tests) == 5
    shown = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert re.search(r"\b12 passed", shown), shown


LEAK = """
import numpy as np
from mcts.contract.testing import check_domain
from mcts.problems import cups
try:
    check_domain(cups.Cups(np.array([0.1, 0.2, 0.3, 0.4])))
except AssertionError as fault:
    print(fault)
"""


def test_a_domain_that_lists_what_is_hidden_is_told_so(copy):
    path = copy / "mcts/problems/cups.py"
    sound = path.read_text()
    assert sound.count("    return n\n") == 1
    first = "    if n == len(p.chances):\n        out[0], out[s[_COIN]] = s[_COIN], 0\n"
    path.write_text(sound.replace("    return n\n", f"{first}    return n\n"))
    shown = run(copy, "-c", LEAK)
    path.write_text(sound)
    assert not run(copy, "-c", LEAK)
    assert shown.strip() and f"`{shown.strip()}`" in PAGE


def test_the_command_line_takes_them(copy):
    command = ("-m", "experiments.compare", "player=prober", "rules=brisk", "rules.passages=false")
    shown = run(copy, *command, "--cfg", "job")
    assert "name: prober" in shown and "passages: false" in shown and "name: brisk" in shown


CHECKED = """
from experiments.matches.lineups import read_players
from sim.players.registry import make
from sim.rules import preset
for player in read_players(["prober", "pomcp_or+belief=levelled"]).values():
    print(make(player, preset("ledford")).name)
"""


def test_new_players_pass_the_checks_of_the_configuration(copy):
    assert run(copy, "-c", CHECKED).split() == ["prober", "pomcp_or"]

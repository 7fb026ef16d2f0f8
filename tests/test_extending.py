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
COPIED = ("mcts", "belief", "sim", "experiments", "conf", "examples", "tests", "pyproject.toml")
PAGE = (ROOT / "docs/extending.md").read_text()
TABLE = (ROOT / "docs/reproduce.md").read_text()
LESSON = (ROOT / "docs/tutorials/own_planner.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n# (\S+)\n(.*?)```", PAGE + TABLE + LESSON, re.S)
"""(kind, file, text): a ``diff`` changes a file, ``toml`` is part of one, the others are whole."""

HOUSE = ("tests/test_architecture.py", "tests/test_settings_used.py")
"""Checks of the whole project that additions must pass, too."""

USES = '''
"""Further claims of the page: the command line takes what it adds, and faults are found."""

import re
from pathlib import Path

import numpy as np
import pytest

from experiments.compare.__main__ import COMMAND
from experiments.matches.lineups import read_players
from experiments.settings.config import check, compose
from mcts import check_domain
from mcts.problems import cups
from sim import PolicyPlayer, play, preset
from sim.players.registry import make

BRIEF = preset("speed", turn_cap=4)


def test_the_command_line_takes_them():
    settings = compose("compare", ["player=prober", "rules=brisk", "rules.passages=false"])
    check(settings)
    assert settings.player.name == "prober"
    assert settings.rules.name == "brisk" and not settings.rules.passages
    player = compose("compare", ["player=bmcts", "player/search=urgent"]).player
    assert player.search.first_play == 0.5


def test_the_lesson_on_a_planner_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = re.findall(r"^python -m experiments.compare (.*)$", LESSON, re.M)
    assert len(lines) == 2
    brief = ["match.games=1", "player.budget.simulations=2", "rules.turn_cap=4", "match.workers=1"]
    for line in lines:
        assert COMMAND.run([*line.split(), *brief, "tracking=none"]) == 0
    own = Path("mine/player/theirs.yaml")
    own.parent.mkdir(parents=True)
    own.write_text(re.search(r"```yaml\\n(.*?)```", LESSON, re.S)[1])
    listed = ["hydra.searchpath=[mine]", "match.players=[theirs,swift]"]
    assert COMMAND.run([*listed, *brief, "tracking=none", "run.folder=own"]) == 0
    assert Path("own/summary.json").exists()


def test_the_table_is_one_file():
    from experiments.tables.catalog import load

    labels = [cell.player.label for cell in load("waiting").cells]
    assert labels == ["swift", "swift_0.5", "swift_0.35"]


def test_values_out_of_range_are_refused():
    for override in ("player.search.first_play=2", "player.belief=leveled"):
        with pytest.raises(Exception, match="must be at most 1|did you mean levelled"):
            check(compose("compare", ["player=bmcts", override]))


@pytest.mark.parametrize("entry", ["prober", "loyal+threshold=0.8", "pomcp_or+belief=levelled"])
def test_they_play(entry):
    (spec,) = read_players([entry]).values()
    if "budget" in spec:
        spec["budget"]["simulations"] = 4
    play(BRIEF, [make(spec, BRIEF), *[PolicyPlayer("heuristic") for _ in range(3)]], 1, 0)


def test_a_domain_that_lists_what_is_hidden_is_refused():
    p = cups.Cups(np.array([0.1, 0.2, 0.3, 0.4]))
    assert check_domain(p) > 0
    source = Path(cups.__file__).read_text()
    first = "    if n == len(p.chances):\\n        out[0], out[s[_COIN]] = s[_COIN], 0\\n"
    assert source.count("    return n\\n") == 1
    names = {"__name__": "peeping"}
    exec(source.replace("    return n\\n", f"{first}    return n\\n"), names)
    with pytest.raises(AssertionError) as raised:
        check_domain(names["Cups"](p.chances))
    assert f"`{raised.value}`" in PAGE
'''


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
    shutil.copytree(ROOT / "docs/results", made / "docs/results")
    for kind, name, text in BLOCKS:
        path = made / name
        if kind == "toml":
            assert text in path.read_text()
        else:
            path.write_text(change(path.read_text(), text) if kind == "diff" else text)
    (made / "tests/test_page.py").write_text(f"{USES}\n\nPAGE, LESSON = {PAGE!r}, {LESSON!r}\n")
    return made


@pytest.mark.skipif(INTERPRETED, reason="runs in the interpreter anyhow")
def test_their_tests_pass(copy):
    """One process for all, kernels as plain Python: what they do is tested here, not speed."""
    tests = [name for kind, name, _ in BLOCKS if kind == "python" and name.startswith("tests")]
    assert len(tests) == 7
    pytest_here = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0")
    done = subprocess.run(
        [*pytest_here, *tests, "tests/test_page.py", *HOUSE],
        cwd=copy,
        env={
            **os.environ,
            "PYTHONPATH": str(copy),
            "NUMBA_DISABLE_JIT": "1",
            "SLEUTH_RECORD_DURATIONS": "1",  # in the copy, in place of a budget
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "skipped" not in done.stdout

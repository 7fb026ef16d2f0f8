"""Without the library of an extra one line says what to install; all else works."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

USE = """
import sys
sys.modules[{library!r}] = None  # as if it were not installed
try:
    {use}
except ImportError as fault:
    print(type(fault).__name__, fault)
"""


def use(library, statement):
    """Return what ``statement`` prints in a process without ``library``."""
    code = USE.format(library=library, use=statement)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("library", "statement", "name"),
    [
        ("pettingzoo", "from sim import env", "environment"),
        ("shapely", "import sim.hunt.geometry.cells", "hunt"),
        ("pyspiel", "from mcts.openspiel import planner", "openspiel"),
        ("choix", "from experiments.stats.ratings import *", None),
    ],
)
def test_what_to_install_is_said(library, statement, name):
    if name is None:  # imported where it is needed, and not before
        assert use(library, statement) == ""
    else:
        line = f"MissingExtra {library} is not installed: pip install 'sleuth-mcts[{name}]'"
        assert use(library, statement) == line


def test_the_game_needs_no_extra():
    assert use("pettingzoo", "from sim import play_many, Planner") == ""

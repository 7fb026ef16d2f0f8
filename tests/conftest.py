"""For all tests: who runs what, the width of the terminal, and Ctrl-C as in one.

Of two processes one takes all tests of the game and of beliefs, which have most of what is to be
compiled in common; the other begins with what needs no game, and then finds machine code on disk.
"""

import os
import signal
from pathlib import PurePosixPath

import pytest
from xdist.scheduler import LoadScopeScheduling

os.environ["COLUMNS"] = "80"  # what is printed does not depend on the terminal at hand

# A shell starts what it runs in the background with SIGINT ignored, and Python leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)

_GAME = ("sim", "belief")
_COMPILES = "test_planners.py"
_THEN = ("mcts", "experiments")


def _place(file: str) -> int:
    """Return where a file stands: the game, what compiles most of it first; then `_THEN`."""
    path = PurePosixPath(file)
    folder = path.parent.name
    if folder in _GAME:
        return -1 if path.name == _COMPILES else 0
    return 1 + _THEN.index(folder) if folder in _THEN else 1 + len(_THEN)


class _Scheduler(LoadScopeScheduling):
    """Gives a process a file at a time, or the whole game."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::")[0]
        return file if _place(file) > 0 else "the game"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return _Scheduler(config, log)


def pytest_collection_modifyitems(items):
    """Order the files (a stable sort: their tests stay together and in order)."""
    items.sort(key=lambda item: _place(item.path.as_posix()))

"""For all tests: who runs what, the width of the terminal, signals as in one, the slowest files.

Of two processes one takes all tests of the game and of beliefs, which have most of what is to be
compiled in common; the other begins with what needs no game, and then finds machine code on disk.
One takes all tests that play over a Ray of this process: it and its workers take seconds to start.
"""

import gc
import os
import signal
import sys
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest
from absl.logging import get_absl_handler
from xdist.scheduler import LoadScopeScheduling

os.environ["COLUMNS"] = "80"  # what is printed does not depend on the terminal at hand
os.environ["RAY_ADDRESS"] = "local"  # nor does a test use another Ray of this machine
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each of 200 processes would read all sources

# A sixth of the time of imports and of compilation would go into looking for garbage.
gc.set_threshold(20_000, 10, 10)

# A shell starts what it runs in the background with SIGINT ignored, nohup with SIGHUP, and Python
# leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# What comes with OpenSpiel closes the stream of its log whenever Hydra sets up logging anew, unless
# that is the standard error, which, captured, is another one in each test.
get_absl_handler().python_handler.stream = sys.__stderr__

_HERE = Path(__file__).resolve().parent

_LONG = {
    "mcts": "baby compile kuhn linking plain plain_values rocksample root threads tiger",
    "belief": "answers exact rejection split",
    "sim": (
        "belief_mdp cluedo_actions cluedo_choices cluedo_knowledge cluedo_search csp determinized "
        "endgame entropy equivalence hunter informed late_positions leaks legal "
        "many_threads neural observation plain_bmcts planners players policy_switches posteriors "
        "properties reading released released_play slow_games testing"
    ),
    "experiments": (
        "beliefs cluster config episodes explain hunt lineups qlearning regret survival win_model"
    ),
    "web": "browser_pages browser_play browser_server",
    ".": "extending notebook plugins python_docs wheel",
}
"""Files (test_*.py) by folder whose tests search the game, play or draw much, or start others."""

_RAY_SESSION = "ray_session"
_COSTLY = {_RAY_SESSION, "database"}
"""Fixtures of tests that are slow as well: they start Ray, or make a database of MLflow."""

_GAME = ("sim", "belief")
_COMPILES = "game referee planners"
"""Files that compile most of what others of the game and the tables of `_OVER_RAY` load; what plays
whole games first, for the other process plays them soon."""

_OVER_RAY = (
    "compare episodes tables survival sweep replay tracking in_process runner joining local_ray "
    "repeating"
)
"""Files whose tests share a Ray, `_RAY_SESSION`."""

_LONGEST = "extending wheel config cluster study regret plugins report python_docs notebook"
"""Other files outside `_GAME` and `mcts` that take ten seconds and more: a long one begun last
would leave a process idle."""


def _place(file: str) -> tuple[int, int]:
    """Return where a file stands: the game, what compiles most of it first; `mcts`, which compiles
    as well; what is played over Ray; the longest; the rest."""
    path = PurePosixPath(file)
    folder, name = path.parent.name, path.stem.removeprefix("test_")
    compiles, longest, over_ray = _COMPILES.split(), _LONGEST.split(), _OVER_RAY.split()
    if folder in _GAME:
        return 0, compiles.index(name) if name in compiles else len(compiles)
    if folder == "mcts":
        return 1, 0
    if folder == "experiments" and name in over_ray:
        return 2, over_ray.index(name)
    return (3, longest.index(name)) if name in longest else (4, folder != "experiments")


class _Scheduler(LoadScopeScheduling):
    """Gives a process a file at a time, or the whole game, or all that is played over Ray."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::")[0]
        return {0: "the game", 2: "over Ray"}.get(_place(file)[0], file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return _Scheduler(config, log)


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items):
    """Order the files (a stable sort: their tests stay together and in order); mark the slow."""
    items.sort(key=lambda item: _place(item.path.as_posix()))
    long = {
        _HERE / folder / f"test_{name}.py" for folder in _LONG for name in _LONG[folder].split()
    }
    if missing := [path for path in long if not path.exists()]:
        raise pytest.UsageError(f"tests/conftest.py names files that are not there: {missing}")
    for item in items:
        if item.path in long or _COSTLY & set(item.fixturenames):
            item.add_marker("slow")
    over_ray = {item.path.as_posix() for item in items if _RAY_SESSION in item.fixturenames}
    if missing := [path for path in over_ray if _place(path)[0] != 2]:
        raise pytest.UsageError(f"tests/conftest.py does not name files over Ray: {missing}")


def pytest_collection_finish():
    gc.freeze()  # nobody need look through what all tests have imported


@pytest.fixture(autouse=True)
def ctrl_c_reaches_the_next_test():
    """Tell on a test that leaves Ctrl-C to something of its own, and give it back."""
    yield
    left = signal.signal(signal.SIGINT, signal.default_int_handler)
    blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    assert left is signal.default_int_handler, f"Ctrl-C is left to {left}"
    assert signal.SIGINT not in blocked, "Ctrl-C is left blocked"


@pytest.fixture(scope="session")
def calls():
    """Count the Python functions that something calls: each is 0.1 us or more, and clocks waver."""

    def counted(work):
        found = []
        sys.setprofile(lambda frame, what, argument: found.append(what == "call"))
        try:
            work()
        finally:
            sys.setprofile(None)
        return sum(found) - 1  # `work` itself left out

    return counted


_SHOWN = 10


def pytest_terminal_summary(terminalreporter):
    """Print the files that took longest, with what is made for their tests and taken down."""
    seconds, tests = Counter(), Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                file = report.nodeid.split("::")[0]
                seconds[file] += report.duration
                tests[file] += report.when == "call"
    if seconds:
        terminalreporter.section("slowest files")
    for file, spent in seconds.most_common(_SHOWN):
        terminalreporter.line(f"{spent:7.1f} s {tests[file]:5d} tests  {file}")

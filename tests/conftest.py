"""For all tests: the width of the terminal, signals as in one, CPU time by file and its budget."""

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from absl.logging import get_absl_handler

sys.path.insert(0, str(Path(__file__).parent))

import durations

os.environ["COLUMNS"] = "80"  # what is printed does not depend on the terminal at hand
os.environ["RAY_ADDRESS"] = "local"  # nor does a test use another Ray of this machine
os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"  # nor starts one that Sleuth has not made private
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each of 200 processes would read all sources

# A sixth of the time of imports and of compilation would go into looking for garbage.
gc.set_threshold(20_000, 10, 10)

# A shell starts what it runs in the background with SIGINT ignored, nohup with SIGHUP, and Python
# leaves it so.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# What comes with OpenSpiel closes the stream of its log whenever Hydra sets up logging, unless that
# is the standard error, which, captured, is another one in each test.
get_absl_handler().python_handler.stream = sys.__stderr__

_COSTLY = {"ray_session", "database"}
"""Fixtures of tests that are slow as well: they start Ray, or make a database of MLflow."""

_STARTED = ("ray_session", "browser")
"""Fixtures of a session that only one worker should start."""

_RECORDED = durations.read()
_CLOCK = durations.Clock()


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items):
    """Mark what took long when it was recorded, and what shares an expensive start.

    Tests of a group run in one worker: by file, but all of Ray in one, and all of
    the browser.
    """
    for item in items:
        file = item.nodeid.split("::")[0]
        if _RECORDED.get(file, 0.0) > durations.SLOW or _COSTLY & set(item.fixturenames):
            item.add_marker("slow")
        started = [name for name in _STARTED if name in item.fixturenames]
        item.add_marker(pytest.mark.xdist_group(started[0] if started else file))


def pytest_collection_finish():
    gc.freeze()  # nothing need look through what all tests have imported
    _CLOCK.read()  # which listens to compilation from here on


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Add the CPU time since the last test's end to the report of this one's end."""
    report = yield
    if call.when == "teardown":
        now = (_CLOCK.read(), _CLOCK.compiling)
        before, item.session.cpu = getattr(item.session, "cpu", now), now
        report.cpu, report.compiled = now[0] - before[0], now[1] - before[1]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    """Fail a whole run in which a file passed its budget; record what files took if asked to."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if hasattr(session.config, "workerinput") or reporter is None:
        return
    seconds = durations.total(_reports(reporter))
    if os.environ.get(durations.RECORD):
        durations.write(seconds)
    elif durations.overruns(seconds, _RECORDED) and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _reports(reporter):
    """Return all reports of tests, whatever their outcome."""
    found = (report for reports in reporter.stats.values() for report in reports)
    return [report for report in found if isinstance(report, pytest.TestReport)]


@pytest.fixture(autouse=True)
def ctrl_c_reaches_the_next_test():
    """Fail a test that leaves Ctrl-C to something of its own, and restore it."""
    yield
    left = signal.signal(signal.SIGINT, signal.default_int_handler)
    blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    assert left is signal.default_int_handler, f"Ctrl-C is left to {left}"
    assert signal.SIGINT not in blocked, "Ctrl-C is left blocked"


@pytest.fixture(scope="session")
def calls():
    """Count the Python functions that something calls: each is 0.1 us or more, and clocks waver."""

    def count(work):
        found = []
        sys.setprofile(lambda frame, what, argument: found.append(what == "call"))
        try:
            work()
        finally:
            sys.setprofile(None)
        return sum(found) - 1  # `work` itself left out

    return count


_SHOWN = 15


def pytest_terminal_summary(terminalreporter):
    """Print the files that took the most CPU, and those that passed their budget."""
    seconds = durations.total(_reports(terminalreporter))
    if not seconds:
        return
    terminalreporter.section(f"CPU by file, {sum(seconds.values()):.0f} s in all")
    for file, spent in seconds.most_common(_SHOWN):
        terminalreporter.line(f"{spent:7.1f} s  {file}")
    for line in durations.overruns(seconds, _RECORDED):
        terminalreporter.line(line, red=True)

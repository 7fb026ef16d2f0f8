"""Ctrl-C, SIGTERM and SIGHUP are one wish, at every stage of a command; a lost output is none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, redirect_stderr, redirect_stdout

import pytest

from experiments.explain.__main__ import Explain
from experiments.matches.background import Background
from experiments.settings import signals
from experiments.settings.command import Command
from experiments.settings.commandline import Interrupted

EACH = pytest.mark.parametrize("number", signals.HANDLED)


def send(number: int) -> None:
    """Send a signal to this process."""
    os.kill(os.getpid(), number)


@pytest.fixture
def command(tmp_path):
    """Run a job as a command; return its exit code."""

    def run(job, lasting=True):
        made = Command("explain", Explain, lambda *_: job(), lasting=lasting)
        return made.run(["record=none", "event=1", f"run.folder={tmp_path}"])

    return run


@EACH
def test_a_signal_ends_a_command_in_one_line(command, capsys, number):
    before = [signal.getsignal(known) for known in signals.HANDLED]
    assert command(lambda: send(number)) == 128 + number
    assert capsys.readouterr().err == "sleuth-explain: interrupted before any work was done\n"
    assert [signal.getsignal(known) for known in signals.HANDLED] == before


@EACH
def test_a_signal_can_wait(command, capsys, number):
    def job():
        with signals.defer() as wished:
            send(number)
            assert wished.wait(5)
        raise Interrupted("kept in x")

    assert command(job) == 128 + number
    assert capsys.readouterr().err == "sleuth-explain: kept in x\n"


@EACH
def test_a_signal_that_is_ignored_from_the_start_stays_so(command, number):
    """As by nohup, or in the background of a script."""
    before = signal.signal(number, signal.SIG_IGN)
    try:
        assert command(lambda: send(number)) == 0
        assert signal.getsignal(number) is signal.SIG_IGN
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize("deferred", [False, True])
def test_a_signal_reaches_who_waits_for_ray_which_takes_it(command, deferred):
    """Changes of SIGTERM by Ray's start are undone while it is waited for and when it is done."""

    def take(number, _):
        raise AssertionError("left to Ray")

    def send_unless(taken):
        for _ in range(3000):
            if signal.getsignal(signal.SIGTERM) is not taken:
                break
            threading.Event().wait(0.01)
        send(signal.SIGTERM)

    def wait(seconds):
        signal.signal(signal.SIGTERM, take)
        threading.Thread(target=send_unless, args=(take,)).start()
        Background(threading.Event().wait, seconds).result()
        threading.Event().wait(60)

    def job(seconds):
        if deferred:
            with signals.defer():
                wait(seconds)
        else:
            wait(seconds)

    assert command(lambda: job(60)) == 143
    assert deferred or command(lambda: job(0.0)) == 143


_TWICE = """
import os, signal, sys, time
from experiments.settings import signals
signals.ONE_REQUEST_SECONDS = float(sys.argv[1])
with signals.handle() as heard, signals.defer() as wished:
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGHUP)
    time.sleep(0.01)
    sys.exit(heard.code)
"""


@pytest.mark.parametrize(("soon", "code"), [(60.0, 143), (0.0, -signal.SIGHUP)])
def test_a_second_signal_ends_at_once_unless_it_belongs_to_the_first(soon, code):
    ended = subprocess.run([sys.executable, "-c", _TWICE, str(soon)], capture_output=True)
    assert (ended.returncode, ended.stderr) == (code, b"")


@contextmanager
def unread():
    """Print to a pipe whose reader is gone."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", buffering=1) as pipe, redirect_stdout(pipe), redirect_stderr(pipe):
        yield


@pytest.mark.parametrize(("lasting", "code"), [(True, 0), (False, 1)])
def test_a_run_goes_on_when_nobody_reads(command, lasting, code):
    done = []

    def job():
        for step in range(3):
            print("played")
            done.append(step)

    with unread():
        assert command(job, lasting) == code
    assert done == ([0, 1, 2] if lasting else [])


def test_a_command_runs_in_another_thread_as_well(command):
    """There the signals are the business of the main thread."""
    assert Background(command, lambda: None, stays=False).result() == 0

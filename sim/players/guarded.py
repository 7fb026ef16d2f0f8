"""A subprocess that ends with us, with all processes that it started.

It runs under a guard process, which waits for the end of our pipe or of the program.  Under Linux
the guard inherits orphans, so it also finds processes that left the program's group and session;
elsewhere it ends only the group.
"""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

_INHERIT_ORPHANS, _DIE_WITH_PARENT = 36, 1
"""Linux ``prctl`` options: PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG."""

_PATIENCE_SECONDS = 10.0


class Guarded:
    """A program and its guard; ``process`` has the program's pipes and lifetime.

    ``words``: program and arguments; ``options``: of `subprocess.Popen`.  Raises OSError if the
    program cannot be started.
    """

    def __init__(self, words: list[str], **options: Any) -> None:
        found = Path(options.get("cwd", ".")) / words[0] if "/" in words[0] else words[0]
        if shutil.which(found) is None:
            raise FileNotFoundError(2, "unknown program", words[0])
        watched, lifeline = os.pipe()
        try:
            self.process: subprocess.Popen[bytes] = subprocess.Popen(
                [sys.executable, "-I", "-S", __file__, str(watched), *words],
                pass_fds=(watched,),
                start_new_session=True,
                **options,
            )
        except OSError:
            os.close(lifeline)
            raise
        finally:
            os.close(watched)
        self.end = weakref.finalize(self, _stop, self.process, lifeline)


def _stop(guard: subprocess.Popen[bytes], lifeline: int) -> None:
    """End the program, its descendants, and its guard."""
    os.close(lifeline)
    for pipe in filter(None, (guard.stdin, guard.stdout)):
        with suppress(OSError):
            pipe.close()
    try:
        guard.wait(_PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        guard.kill()
        guard.wait()


def _guard(lifeline: int, words: list[str]) -> None:
    """Run a program until it or ``lifeline`` ends, then end its remaining processes."""
    prctl = getattr(ctypes.CDLL(None), "prctl", lambda *_: None)
    prctl(_INHERIT_ORPHANS, 1, 0, 0, 0)
    os.set_inheritable(lifeline, False)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    program = os.fork()
    if not program:
        try:
            os.setsid()
            prctl(_DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
            os.execvp(words[0], words)
        finally:
            os._exit(127)
    for pipe in (0, 1):  # so that a reader of the program sees its end
        os.close(pipe)
    with suppress(ChildProcessError):
        while lifeline not in select.select([lifeline, woken], [], [])[0]:
            os.read(woken, 64)
            if program in _reap():
                break
    with suppress(OSError):
        os.killpg(program, signal.SIGKILL)
    with suppress(ChildProcessError):  # no process is left
        for _ in range(300):  # each round finds the orphans of the last one
            for child in _find_children():
                with suppress(OSError):
                    os.kill(child, signal.SIGKILL)
            _reap()
            time.sleep(0.01)


def _reap() -> list[int]:
    """Return the children that ended; ChildProcessError if there are none."""
    return list(iter(lambda: os.waitpid(-1, os.WNOHANG)[0], 0))


def _find_children() -> list[int]:
    """Return our children, inherited orphans included; empty without /proc."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(path.read_bytes().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(path.parent.name))
    return found


if __name__ == "__main__":
    _guard(int(sys.argv[1]), sys.argv[2:])

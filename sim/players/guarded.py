"""A program that ends when we do, however we go, with all that it has started.

It runs below a guard, a process that waits for the end of a pipe of ours or of the program.  Under
Linux the guard inherits every orphan below it, so that it also finds a process that has left the
program's group and session; elsewhere it ends the group.
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
"""Of Linux' ``prctl``: PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG."""

_PATIENCE_SECONDS = 10.0


class Guarded:
    """A program and its guard; ``process`` has the program's pipes and lasts as long as it does.

    ``words``: the program and its arguments; ``options``: of `subprocess.Popen`.  Raises OSError if
    it cannot be started.
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
    """End the program, all that it has started, and its guard."""
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
    """Run a program until it ends or ``lifeline`` does, then end what is left of it."""
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
    with suppress(ChildProcessError):  # nothing is left
        for _ in range(300):  # each time those are found that the last one has made orphans
            for child in _find_children():
                with suppress(OSError):
                    os.kill(child, signal.SIGKILL)
            _reap()
            time.sleep(0.01)


def _reap() -> list[int]:
    """Return which children have ended; ChildProcessError if there is none."""
    return list(iter(lambda: os.waitpid(-1, os.WNOHANG)[0], 0))


def _find_children() -> list[int]:
    """Return our children, orphans that we inherited among them; none where there is no /proc."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            if int(path.read_bytes().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(path.parent.name))
    return found


if __name__ == "__main__":
    _guard(int(sys.argv[1]), sys.argv[2:])

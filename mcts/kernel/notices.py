"""Lines for a user who waits at Python's prompt; commands show how far they are themselves."""

from __future__ import annotations

import sys
import time
from functools import cache

SILENT = 2.0
"""Seconds that a call may take before a line says what it does."""

_ours = True


def leave_to_caller() -> None:
    """Say nothing of compiling or progress from now on: a command shows it."""
    global _ours
    _ours = False


def say_compiling(since: float) -> None:
    """Say once a process that code is compiled, if it is waited for since ``since``."""
    if _ours and time.monotonic() - since > SILENT:
        say("compiling, a minute or two the first time")


@cache
def say(line: str) -> None:
    """Print ``line`` on the error stream, once a process."""
    print(f"sleuth: {line}", file=sys.stderr, flush=True)


class Progress:
    """The progress of a long call: one line in a terminal, written again each second.

    ``what``: the plural of what is counted; ``total``: how many there will be, if that is known.
    """

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what = what if total is None else f"of {total:,} {what}"
        self._next = time.monotonic() + SILENT
        self._shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            print(file=sys.stderr, flush=True)

    def show(self, done: int) -> None:
        """Show that ``done`` are done, to be called several times a second."""
        now = time.monotonic()
        if now < self._next or not _ours or not sys.stderr.isatty():
            return
        self._next, self._shown = now + 1.0, True
        print(f"\rsleuth: {done:,} {self._what}", end="", file=sys.stderr, flush=True)

"""Lines for a user who waits, and Ctrl-C while native code runs.

Python handles Ctrl-C in the main thread alone, between its own instructions.  So native code that
takes seconds runs in another thread (`call_aside`) or in portions (`call_in_portions`).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from threading import Thread, current_thread, main_thread
from typing import Any

SILENT = 2.0
"""Seconds that a call may take before a line reports it."""

_LOOK_SECONDS = 0.1
_PORTION_SECONDS = 0.2

_ours = True


def leave_to_caller() -> None:
    """Stop reporting compiling and progress: a command shows them."""
    global _ours
    _ours = False


def say_compiling(since: float) -> None:
    """Say once per process that code is compiled, if the user has waited since ``since``."""
    if _ours and time.monotonic() - since > SILENT:
        say("compiling, a minute or two the first time")


@cache
def say(line: str) -> None:
    """Print ``line`` on the error stream, once per process."""
    print(f"sleuth: {line}", file=sys.stderr, flush=True)


class Progress:
    """Progress of a long call: one line in a terminal, rewritten every second.

    ``what``: plural of the counted items; ``total``: the final count, if known.
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
        """Show that ``done`` are done; to be called several times a second."""
        now = time.monotonic()
        if now < self._next or not _ours or not sys.stderr.isatty():
            return
        self._next, self._shown = now + 1.0, True
        print(f"\rsleuth: {done:,} {self._what}", end="", file=sys.stderr, flush=True)


def call_aside(job: Callable[..., Any], *arguments: Any) -> Any:
    """Return ``job(*arguments)``, or raise what it raises; Ctrl-C is handled meanwhile.

    After KeyboardInterrupt the job runs to its end: the arrays it writes must not be used again.
    """
    if current_thread() is not main_thread():
        return job(*arguments)
    done: Future = Future()

    def work() -> None:
        try:
            done.set_result(job(*arguments))
        except BaseException as fault:
            done.set_exception(fault)

    Thread(target=work, daemon=True).start()
    while True:  # the system may deliver Ctrl-C to any thread: the main one must wake to handle it
        try:
            return done.result(_LOOK_SECONDS)
        except TimeoutError:
            if done.done():
                raise


def call_in_portions(
    call: Callable[[int, int], int], total: int, what: str, portion: int = 1
) -> None:
    """Have ``call(first, last)`` process all below ``total``; it returns where it stopped.

    A call takes a fraction of a second, the first at most ``portion`` items.  ``what``: the plural
    of the items, for the progress line.
    """
    done, began = 0, time.perf_counter()
    with Progress(what, total) as progress:
        while done < total:
            done = call(done, min(done + portion, total))
            progress.show(done)
            ended = time.perf_counter()
            portion, began = _next_portion(portion, ended - began), ended


def _next_portion(portion: int, seconds: float) -> int:
    """Return the size of the next portion, if ``portion`` took ``seconds``."""
    if seconds > 2 * _PORTION_SECONDS:
        return max(1, portion // 2)
    return 2 * portion if seconds < _PORTION_SECONDS / 2 else portion

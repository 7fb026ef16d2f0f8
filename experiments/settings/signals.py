"""Requests to end: Ctrl-C, SIGTERM or SIGUSR1 of a scheduler, SIGHUP of a lost terminal.

All are treated alike: results are saved, one line names the folder, and the exit code is 128
plus the signal's number, as in shells.  While a command runs (`handle`) a request raises
`KeyboardInterrupt` in the main thread; where that could interrupt a write (`defer`) it sets an
event.  A second signal, sent after a pause, ends the process at once.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP)

ONE_REQUEST_SECONDS = 1.0
"""Time after the first signal in which further ones belong to the same request: ``timeout``
signals the process and its group, and a closing terminal sends SIGHUP itself and by its shell."""


@dataclass
class Requests:
    """The requests to end received by a command.

    Attributes
    ----------
    before : previous handlers, by signal
    first : the signal of the first request, or None
    since : its time
    event : set by a request instead of raising `KeyboardInterrupt`, if not None
    """

    before: dict[int, Any]
    first: int | None = None
    since: float = 0.0
    event: threading.Event | None = None

    @property
    def code(self) -> int:
        """Exit code of a command that ends on request; that of Ctrl-C without a signal."""
        return 128 + (self.first or signal.SIGINT)

    def receive(self, number: int, _: Any) -> None:
        """Handle the signal ``number``."""
        now = time.monotonic()
        if self.first is None:
            self.first, self.since = number, now
            if self.event is None:
                raise KeyboardInterrupt
            self.event.set()
        elif now - self.since > ONE_REQUEST_SECONDS:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)


_requests: Requests | None = None
"""Requests to the command running in this process."""


def _in_main_thread() -> bool:
    """Return whether this is the main thread; only it may set handlers."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def handle() -> Iterator[Requests]:
    """Handle the signals until the block ends, then restore the previous handlers.

    A signal ignored from the start (nohup, background of a script) remains ignored.
    """
    global _requests
    if _requests is not None:  # a command inside a command
        yield _requests
        return
    found = {number: signal.getsignal(number) for number in HANDLED if _in_main_thread()}
    _requests = Requests({n: old for n, old in found.items() if old is not signal.SIG_IGN})
    try:
        listen()
        yield _requests
    finally:
        for number, before in _requests.before.items():
            signal.signal(number, before or signal.SIG_DFL)
        _requests = None


@contextmanager
def defer() -> Iterator[threading.Event]:
    """Turn a request into an event until the block ends, so that it interrupts no write."""
    with handle() as requests:
        outer, requests.event = requests.event, threading.Event()
        try:
            yield requests.event
        finally:
            requests.event = outer


def listen() -> None:
    """Install the handlers; again after Ray has replaced one to print its own stack."""
    if _requests is not None and _in_main_thread():
        for number in _requests.before:
            signal.signal(number, _requests.receive)


def was_requested() -> bool:
    """Return whether an end was requested, handled or not."""
    return _requests is not None and _requests.first is not None


def raise_request() -> None:
    """Reinstall the handlers, and raise `KeyboardInterrupt` if a request is deferred."""
    listen()
    if _requests is not None and _requests.event is not None and _requests.event.is_set():
        raise KeyboardInterrupt

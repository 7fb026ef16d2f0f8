"""Requests to end: Ctrl-C, SIGTERM of a scheduler, SIGHUP of a lost terminal.

All three are the same request.  What was done is kept, one line says where, and the exit code is
128 plus the number of the signal, as shells have it.  While a command runs (`handle`) a request is
a `KeyboardInterrupt` of the main thread; where that could interrupt a write (`defer`) it is an
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

HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

ONE_REQUEST_SECONDS = 1.0
"""Signals this soon after the first belong to it: ``timeout`` sends its own to the process and to
the group, and a terminal that closes sends SIGHUP itself and by its shell."""


@dataclass
class Requests:
    """The requests to end that a command has had.

    Attributes
    ----------
    before : handlers that were there before, by signal
    first : the signal that was the first request; None: there was none
    since : its time
    event : set by a request in place of a `KeyboardInterrupt`, if there is one
    """

    before: dict[int, Any]
    first: int | None = None
    since: float = 0.0
    event: threading.Event | None = None

    @property
    def code(self) -> int:
        """Exit code of a command that ends on request; after Ctrl-C if there was no signal."""
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
"""Of the command that runs in this process."""


def _in_main_thread() -> bool:
    """Return whether this is the main thread, which alone may set handlers."""
    return threading.current_thread() is threading.main_thread()


@contextmanager
def handle() -> Iterator[Requests]:
    """Handle the signals until the block ends; restore the previous handlers after it.

    By nohup, or in the background of a script, a signal is ignored from the start, and stays so.
    """
    global _requests
    if _requests is not None:  # a command in a command
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
    """Turn the request into an event until the block ends, so that it interrupts no write."""
    with handle() as requests:
        outer, requests.event = requests.event, threading.Event()
        try:
            yield requests.event
        finally:
            requests.event = outer


def listen() -> None:
    """Install the handlers, again where Ray has taken a signal to print its own stack."""
    if _requests is not None and _in_main_thread():
        for number in _requests.before:
            signal.signal(number, _requests.receive)


def was_requested() -> bool:
    """Return whether there was a request to end, served or not."""
    return _requests is not None and _requests.first is not None


def raise_request() -> None:
    """Install the handlers again, and raise `KeyboardInterrupt` if a request is deferred."""
    listen()
    if _requests is not None and _requests.event is not None and _requests.event.is_set():
        raise KeyboardInterrupt

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
from typing import Any

HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

ONE_REQUEST_SECONDS = 1.0
"""Signals this soon after the first belong to it: ``timeout`` sends its own to the process and to
the group, and a terminal that closes sends SIGHUP itself and by its shell."""


class Handler:
    """Handler of the signals of a process.

    Attributes
    ----------
    first : the signal that was the request to end; None: there was none
    """

    def __init__(self) -> None:
        # By nohup, or in the background of a script, a signal is ignored from the start.
        self._before = {
            number: signal.getsignal(number)
            for number in HANDLED
            if signal.getsignal(number) is not signal.SIG_IGN and _in_main_thread()
        }
        self.first: int | None = None
        self._since = 0.0
        self._deferred: threading.Event | None = None

    @property
    def code(self) -> int:
        """Exit code of a command that ends on request; after Ctrl-C if there was no signal."""
        return 128 + (self.first or signal.SIGINT)

    def install(self) -> None:
        """Install the handlers, again where Ray has taken a signal to print its own stack."""
        if _in_main_thread():
            for number in self._before:
                signal.signal(number, self._receive)

    def close(self) -> None:
        """Restore the previous handlers."""
        if _in_main_thread():
            for number, before in self._before.items():
                signal.signal(number, before or signal.SIG_DFL)

    @contextmanager
    def defer(self) -> Iterator[threading.Event]:
        """Set an event in place of raising `KeyboardInterrupt` until the block ends."""
        outer, self._deferred = self._deferred, threading.Event()
        try:
            yield self._deferred
        finally:
            self._deferred = outer

    def raise_request(self) -> None:
        """Raise `KeyboardInterrupt` for a deferred request, if there is one."""
        if self._deferred is not None and self._deferred.is_set():
            raise KeyboardInterrupt

    def _receive(self, number: int, _: Any) -> None:
        now = time.monotonic()
        if self.first is None:
            self.first, self._since = number, now
            if self._deferred is None:
                raise KeyboardInterrupt
            self._deferred.set()
        elif now - self._since > ONE_REQUEST_SECONDS:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)


def _in_main_thread() -> bool:
    """Return whether this is the main thread, which alone may set handlers."""
    return threading.current_thread() is threading.main_thread()


_handler: Handler | None = None
"""Of this process, while a command runs."""


@contextmanager
def handle() -> Iterator[Handler]:
    """Handle the signals until the block ends; restore the previous handlers after it."""
    global _handler
    if _handler is not None:  # a command in a command
        yield _handler
        return
    _handler = Handler()
    try:
        listen()
        yield _handler
    finally:
        _handler.close()
        _handler = None


@contextmanager
def defer() -> Iterator[threading.Event]:
    """Turn the request into an event until the block ends, so that it interrupts no write."""
    with handle() as handler, handler.defer() as requested:
        yield requested


def listen() -> None:
    """Install the handlers again, after Ray may have taken SIGTERM."""
    if _handler is not None:
        _handler.install()


def was_requested() -> bool:
    """Return whether there was a request to end, served or not."""
    return _handler is not None and _handler.first is not None


def raise_request() -> None:
    """Install the handlers again, and raise `KeyboardInterrupt` if a request is deferred."""
    listen()
    if _handler is not None:
        _handler.raise_request()

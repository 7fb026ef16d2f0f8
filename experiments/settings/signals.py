"""How a command hears that it is to end: Ctrl-C, SIGTERM of a scheduler, SIGHUP of a lost terminal.

All three are the same wish.  What was done is kept, one line says where, and the exit code is 128
and the number of the signal, as shells have it.  While a command runs (`heard`) the wish is a
`KeyboardInterrupt` of the main thread; where that could hit something half done (`deferred`) it is
an event to be looked at.  Whoever has waited for the end and sends another signal gets it at once.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

HEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

ONE_WISH_SECONDS = 1.0
"""Signals this soon after the first belong to it: ``timeout`` sends its own to the process and to
the group, and a terminal that closes sends SIGHUP itself and by its shell."""


class Ear:
    """What a process was told by signals.

    Attributes
    ----------
    first : the signal that was the wish to end; None: there was none
    """

    def __init__(self) -> None:
        # By nohup, or in the background of a script, a signal is ignored from the start.
        self._before = {
            number: signal.getsignal(number)
            for number in HEARD
            if signal.getsignal(number) is not signal.SIG_IGN and _may_choose()
        }
        self.first: int | None = None
        self._since = 0.0
        self._deferred: threading.Event | None = None

    @property
    def code(self) -> int:
        """Exit code of a command that ends by the wish; after Ctrl-C if there was no signal."""
        return 128 + (self.first or signal.SIGINT)

    def listen(self) -> None:
        """Listen, again where Ray has taken a signal for itself: it would print its own stack."""
        if _may_choose():
            for number in self._before:
                signal.signal(number, self._hear)

    def close(self) -> None:
        """Leave the signals to whom they were left before."""
        if _may_choose():
            for number, before in self._before.items():
                signal.signal(number, before or signal.SIG_DFL)

    @contextmanager
    def deferred(self) -> Iterator[threading.Event]:
        outer, self._deferred = self._deferred, threading.Event()
        try:
            yield self._deferred
        finally:
            self._deferred = outer

    def look(self) -> None:
        """Raise the wish that is deferred, if there is one."""
        if self._deferred is not None and self._deferred.is_set():
            raise KeyboardInterrupt

    def _hear(self, number: int, _: Any) -> None:
        now = time.monotonic()
        if self.first is None:
            self.first, self._since = number, now
            if self._deferred is None:
                raise KeyboardInterrupt
            self._deferred.set()
        elif now - self._since > ONE_WISH_SECONDS:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)


def _may_choose() -> bool:
    """Tell whether this thread may say who hears the signals: Python lets the main one alone."""
    return threading.current_thread() is threading.main_thread()


_ear: Ear | None = None
"""Of this process, while a command runs."""


@contextmanager
def heard() -> Iterator[Ear]:
    """Hear the signals until the block ends; they are as they were after it."""
    global _ear
    if _ear is not None:  # a command in a command
        yield _ear
        return
    _ear = Ear()
    try:
        listen()
        yield _ear
    finally:
        _ear.close()
        _ear = None


@contextmanager
def deferred() -> Iterator[threading.Event]:
    """Turn the wish into an event until the block ends, so that it hits nothing half done."""
    with heard() as ear, ear.deferred() as wished:
        yield wished


def listen() -> None:
    """Listen again; to be called after what may have taken the signals: Ray takes SIGTERM."""
    if _ear is not None:
        _ear.listen()


def wished() -> bool:
    """Tell whether there was a wish to end, heeded or not."""
    return _ear is not None and _ear.first is not None


def look() -> None:
    """Listen again, and raise `KeyboardInterrupt` if the wish is deferred; nothing is half done."""
    listen()
    if _ear is not None:
        _ear.look()

"""Slow jobs in background threads."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

from experiments.settings import signals

_LOOK_SECONDS = 0.1


class Background(Thread):
    """A job in a thread; `result` returns its result or raises its exception.

    The thread is a daemon, so that an interrupt need not wait for a compiler.  ``stays``: whether
    the thread outlives the job: processes started by Ray end with the thread that started them.
    Attribute ``done``: set when there is a result or an exception.
    """

    def __init__(self, job: Callable[..., Any], *arguments: Any, stays: bool = True) -> None:
        super().__init__(daemon=True)
        self._stays = stays
        self.done = Event()
        self._job, self._arguments = job, arguments
        self._value: Any = None
        self._fault: BaseException | None = None
        self.start()

    def run(self) -> None:
        """Run the job; called by the thread."""
        try:
            self._value = self._job(*self._arguments)
        except BaseException as fault:
            self._fault = fault
        self.done.set()
        if self._stays:
            Event().wait()

    def result(self) -> Any:
        """Wait for the job; return what it returned, or raise what it raised.

        Raises KeyboardInterrupt if the user asks to end meanwhile, even where that is deferred:
        nothing is left half done.
        """
        while not self.done.wait(_LOOK_SECONDS):
            signals.raise_request()
        signals.listen()
        if self._fault is not None:
            raise self._fault
        return self._value

"""Slow jobs in threads beside the main one."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any

from experiments.settings import signals

_LOOK_SECONDS = 0.1


class Background(Thread):
    """A job in a thread, whose result or exception `result` hands over.

    A daemon, because nobody who wants an end waits for a compiler.  ``stays``: whether the thread
    stays when the job is done: the processes that Ray starts end with the thread that started them.
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
        """Do the job; called by the thread."""
        try:
            self._value = self._job(*self._arguments)
        except BaseException as fault:
            self._fault = fault
        self.done.set()
        if self._stays:
            Event().wait()

    def result(self) -> Any:
        """Wait for the job; return what it returned, or raise what it raised.

        Raises KeyboardInterrupt if the user wishes an end meanwhile, also where that is deferred:
        nothing is half done.
        """
        while not self.done.wait(_LOOK_SECONDS):
            signals.raise_request()
        signals.listen()
        if self._fault is not None:
            raise self._fault
        return self._value

"""Slow jobs in threads beside the main one."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from typing import Any


class Background(Thread):
    """A job in a thread, whose result or exception `result` hands over.

    A daemon, because Ctrl-C must not wait for a compiler; and it stays when the job is done,
    because the processes that Ray starts end with the thread that started them.

    Attributes
    ----------
    done : set when there is a result or an exception
    """

    def __init__(self, job: Callable[..., Any], *arguments: Any) -> None:
        super().__init__(daemon=True)
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
        Event().wait()

    def result(self) -> Any:
        """Wait for the job; return what it returned, or raise what it raised."""
        self.done.wait()
        if self._fault is not None:
            raise self._fault
        return self._value

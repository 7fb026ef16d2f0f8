"""One run at a time: what holds the state of a search refuses another while one is under way."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


class Turn:
    """Held by the run that is under way; copies and what is unpickled begin without one."""

    def __init__(self, what: str) -> None:
        self.what, self.lock = what, threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return Turn, (self.what,)


def alone(method: Method) -> Method:
    """Return ``method`` of an object with a `Turn` as ``_turn``, which it holds while it runs.

    It raises RuntimeError if the turn is taken, by another thread or this one.
    """

    @wraps(method)
    def run(self: Any, *given: Any, **named: Any) -> Any:
        turn = self._turn
        if not turn.lock.acquire(blocking=False):
            raise RuntimeError(f"this {turn.what} is running: make one for each thread")
        try:
            return method(self, *given, **named)
        finally:
            turn.lock.release()

    return run  # type: ignore[return-value]

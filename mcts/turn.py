"""One run at a time: what holds the state of a search refuses another while one is under way."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


def alone(method: Method) -> Method:
    """Return ``method``, which raises RuntimeError while its object is in a method of this kind."""

    @wraps(method)
    def run(self: Any, *given: Any, **named: Any) -> Any:
        turn = object()
        if self.__dict__.setdefault("_turn", turn) is not turn:  # one step for all threads
            raise RuntimeError("this search is running: make one for each thread")
        try:
            return method(self, *given, **named)
        finally:
            del self._turn

    return run  # type: ignore[return-value]

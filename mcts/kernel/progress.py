"""Progress of compiling, for the user who waits: functions compiled by this process.

None is compiled when all kernels are on the disk.
"""

from __future__ import annotations

import time
from typing import Any

from numba.core import event

from mcts.kernel import notices

SEARCHING, PLAYING = 450, 230
"""Functions that a start compiles at most, with a search and without; the first, on an empty disk,
about 40 fewer."""


class _Counter(event.Listener):
    """Counts functions as Numba compiles them; what comes from the disk is not counted."""

    def __init__(self) -> None:
        self.functions = self._depth = 0
        self._began = 0.0

    def on_start(self, event: Any) -> None:
        """Say that code is compiled, once that takes long."""
        if not self._depth:
            self._began = time.monotonic()
        self._depth += 1
        notices.say_compiling(self._began)

    def on_end(self, event: Any) -> None:
        """Count one function."""
        self.functions += 1
        self._depth -= 1


_COUNTER = _Counter()


def start_counting() -> None:
    """Count from now on; `mcts.kernel.compile` does this when it is imported."""
    event.register("numba:compile", _COUNTER)


def count_functions() -> int:
    """Return how many functions this process has compiled."""
    return _COUNTER.functions

"""Progress of compiling, for the user who waits: functions compiled by this process.

None is compiled when all kernels are on the disk.
"""

from __future__ import annotations

from typing import Any

from numba.core import event

SEARCHING, PLAYING = 450, 230
"""Functions that a start compiles at most, with a search and without; the first, on an empty disk,
about 40 fewer."""


class _Counter(event.Listener):
    """Counts functions as Numba compiles them; what comes from the disk is not counted."""

    def __init__(self) -> None:
        self.functions = 0

    def on_start(self, event: Any) -> None:
        """Part of Numba's interface."""

    def on_end(self, event: Any) -> None:
        """Count one function."""
        self.functions += 1


_COUNTER = _Counter()


def start_counting() -> None:
    """Count from now on; `mcts.kernel.compile` does this when it is imported."""
    event.register("numba:compile", _COUNTER)


def count_functions() -> int:
    """Return how many functions this process has compiled."""
    return _COUNTER.functions

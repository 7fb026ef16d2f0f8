"""Long calls of kernels cut into portions, between which Python hears of Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable

from mcts.kernel.notices import Progress

_PORTION_SECONDS = 0.2


def call_in_portions(
    call: Callable[[int, int], int], total: int, what: str, portion: int = 1
) -> None:
    """Have ``call(first, last)`` do all below ``total``; it returns before which it stopped.

    A call takes a fraction of a second, the first with at most ``portion``.  ``what``: the plural
    of what is done, for the line that shows how far it is.
    """
    done, began = 0, time.perf_counter()
    with Progress(what, total) as progress:
        while done < total:
            done = call(done, min(done + portion, total))
            progress.show(done)
            ended = time.perf_counter()
            portion, began = _next_portion(portion, ended - began), ended


def _next_portion(portion: int, seconds: float) -> int:
    """Return how many to do at a time, if ``portion`` took ``seconds``."""
    if seconds > 2 * _PORTION_SECONDS:
        return max(1, portion // 2)
    return 2 * portion if seconds < _PORTION_SECONDS / 2 else portion

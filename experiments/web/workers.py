"""One pool of threads for work that would block the event loop, with limits by kind."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from experiments.web.shares import Turns

Result = TypeVar("Result")

_SHORT, _LONG = 6, 2
"""Threads for short work, and for work of up to a minute; one more compiles."""

_NICENESS = 10


class Workers:
    """Threads of the server; waiting addresses take turns (`Turns`).

    ``searches``: maximum number of concurrent searches; ``threads``: a pool to use instead of a new
    one.
    """

    def __init__(self, searches: int = 1, threads: Executor | None = None) -> None:
        threads_needed = searches + _SHORT + _LONG + 1
        self._threads = threads or ThreadPoolExecutor(threads_needed, "worker", yield_to_others)
        self._searches, self._compiling = Turns(searches), Turns(1)
        self._short, self._long = Turns(_SHORT), Turns(_LONG)

    async def run(self, work: Callable[..., Result], *given: object) -> Result:
        """Return the result of short ``work`` on ``given``."""
        return await self._do(self._short, work, *given)

    async def run_long(self, work: Callable[..., Result], *given: object) -> Result:
        """Return the result of ``work`` of up to a minute, without delaying shorter work."""
        return await self._do(self._long, work, *given)

    async def compile(self, work: Callable[..., Result], *given: object) -> Result:
        """Return the result of ``work`` that may compile for minutes, one at a time."""
        return await self._do(self._compiling, work, *given)

    async def search(self, work: Callable[..., Result], *given: object) -> Result:
        """Return the result of ``work`` that searches, within the limit of searches."""
        return await self._do(self._searches, work, *given)

    async def _do(self, turns: Turns, work: Callable[..., Result], *given: object) -> Result:
        async with turns.take():
            return await asyncio.get_running_loop().run_in_executor(self._threads, work, *given)

    def close(self) -> None:
        """Drop pending work, without waiting for the rest."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def yield_to_others() -> None:
    """Lower this thread's priority below the event loop's; threads started by it inherit that."""
    if sys.platform == "linux":  # threads have priorities of their own there
        with suppress(OSError):
            thread = threading.get_native_id()
            nice = max(_NICENESS, os.getpriority(os.PRIO_PROCESS, thread))
            os.setpriority(os.PRIO_PROCESS, thread, nice)

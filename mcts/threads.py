"""Tree parallelization: nogil worker threads on one tree, budgets, cancelling.

Kernels always run in worker threads, even a single one: the main thread then waits where Ctrl-C
reaches it at once, signals the workers to stop (they check before each simulation), and waits for
them.  Workers share a budget of simulations through a counter in the `control` array.  For a budget
of seconds each worker calls the kernel for about half a millisecond at a time.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import wraps
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

NEXT, STOP, TICKET, ANSWERED, ENDED, CHANCE = 0, 8, 16, 24, 32, 40
"""Places in the control array, a cache line apart: the next simulation's number; stop if not 0;
leaves shared by the first thread, how many others have rolled out from the latest, whether it was
the last, and the key of the latest leaf's chance (its 64 bits)."""

Method = TypeVar("Method", bound=Callable[..., Any])

UNLIMITED = 2**62
"""In place of a number of simulations: no limit."""

_CHUNK_SECONDS = 0.0005
_LOOK_SECONDS = 0.1
_LINE_BYTES = 128  # two lines of 64: processors fetch them in pairs
_MOST_THREADS = 1024


def _make_pool() -> None:
    """Make the pool, which starts threads on demand; a forked child has none of its parent's."""
    global _pool
    _pool = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="search")


_make_pool()
os.register_at_fork(after_in_child=_make_pool)


def give_way() -> None:
    """Yield this core to a waiting thread."""
    time.sleep(0)


@intrinsic
def _give_way(typing_context):
    def emit(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.IntType(32), [])
        function = cgutils.get_or_insert_function(builder.module, kind, "sched_yield")
        builder.call(function, [])
        return context.get_dummy_value()

    return types.void(), emit


@overload(give_way)
def _overload_give_way():
    return lambda: _give_way()


def new_control() -> np.ndarray:
    """Return the int64 array (48,) through which the threads of a search share work and stop."""
    return private(48, np.int64)


def private(length: int, dtype: type = np.float64) -> np.ndarray:
    """Return zeros that share no cache line with another array.

    For data that one thread writes constantly: false sharing would slow both threads.
    """
    line = -(-_LINE_BYTES // np.dtype(dtype).itemsize)
    return np.zeros(length + 2 * line, dtype)[line : line + length]


def run(
    call: Callable[[int, int], int],
    workers: int,
    control: np.ndarray,
    simulations: int,
    seconds: float | None,
    together: bool = False,
) -> None:
    """Run one search to the end of its budget.

    Raises what ``call`` raised in a worker, or KeyboardInterrupt, once all workers have stopped.

    Parameters
    ----------
    call : ``call(worker, most)`` runs up to ``most`` simulations on behalf of a worker and returns
        the number it ran: fewer only when the search is to end
    workers : number of threads
    control : from `new_control`; reset here, and STOP may be set from any thread
    simulations : limit of the search, which ``call`` observes
    seconds : wall time from now, or None
    together : whether the first worker needs the others (leaf parallelization)
    """
    control[:] = 0
    deadline = None if seconds is None else time.perf_counter() + seconds

    def work(worker: int) -> None:
        try:
            if deadline is None:
                call(worker, simulations)
            else:
                _until(deadline, worker, call)
        except BaseException:
            control[STOP] = 1
            raise
        finally:
            if worker == 0:
                control[ENDED] = 1

    if workers > 1 and not together:  # lists the root's actions before another thread needs them
        _wait((_pool.submit(call, 0, 1) for _ in range(1)), control)
    _wait((_pool.submit(work, worker) for worker in range(workers)), control)


def _until(deadline: float, worker: int, call: Callable[[int, int], int]) -> None:
    """Call in chunks of about `_CHUNK_SECONDS` until ``deadline`` or the budget's end."""
    chunk = 1
    now = time.perf_counter()
    while True:
        before = now
        if call(worker, chunk) < chunk:
            return
        now = time.perf_counter()
        if now >= deadline:
            return
        fitting = chunk * min(_CHUNK_SECONDS, deadline - now) / (now - before)
        chunk = int(max(1, min(fitting, 4 * chunk)))


def _wait(begun: Iterator[Future], control: np.ndarray) -> None:
    """Start all and wait for them; on any exception stop them all first."""
    futures: list[Future] = []
    try:
        futures.extend(begun)  # Ctrl-C may arrive while they start
        raised = [_error(future) for future in futures]  # 10 times faster than `wait`
    except BaseException:
        control[STOP] = 1
        for future in futures:
            future.exception()
        raise
    for error in raised:
        if error is not None:
            raise error


def _error(future: Future) -> BaseException | None:
    """Wait for one, and return its exception; wakes periodically, so that Ctrl-C is handled."""
    while True:
        try:
            return future.exception(_LOOK_SECONDS)
        except TimeoutError:
            continue


def alone(method: Method) -> Method:
    """Return ``method`` with a guard: RuntimeError while its object runs such a method."""

    @wraps(method)
    def run(self: Any, *given: Any, **named: Any) -> Any:
        turn = object()
        if self.__dict__.setdefault("_turn", turn) is not turn:  # one step for all threads
            raise RuntimeError("this search is running: make one per thread")
        try:
            return method(self, *given, **named)
        finally:
            del self._turn

    return run  # type: ignore[return-value]

"""Root parallelization: independent searches of one position in several processes, over Ray.

Each worker is a Ray actor that keeps one `Search`, tree included, between decisions; it receives a
position and returns the table of its root [Chaslot, Winands & van den Herik 2008].  Inside a worker
``options.threads`` threads share the tree.

Randomness: worker i searches with `worker_key` (key, i), in any process.  With a budget of
simulations and one thread per tree the result depends only on the key and the number of workers:
the share of a dead worker is searched again by its replacement.

Limits: a position must be picklable, and its type live in a module that the workers can import.
``options.nodes`` is the budget of each tree.  A repeated share starts when all others have ended; a
budget of seconds does not count that time.
"""

from __future__ import annotations

import math
import os
import pickle
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from ray.exceptions import (
    GetTimeoutError,
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    RayActorError,
    RayTaskError,
    WorkerCrashedError,
)

from mcts.distributed import local_ray
from mcts.distributed.code import check, digest
from mcts.distributed.local_ray import ray
from mcts.kernel.errors import SleuthError
from mcts.kernel.rng import fold
from mcts.merge import merge
from mcts.options import KEYS, MERGES, Budget, Options, check_count, check_integer, cores
from mcts.search import Search, SearchResult, check_types
from mcts.threads import alone

DEATHS_SURVIVED = 3
"""Maximum repetitions of a share in one decision because its worker died."""
START_SECONDS = 120.0
"""Maximum wait for Ray to start the workers' processes."""
_STOP_SECONDS = 0.1

_DEATHS = (RayActorError, WorkerCrashedError, OutOfMemoryError, NodeDiedError, ObjectLostError)


class SearchersLost(SleuthError):
    """No worker returned its share."""


class Place(NamedTuple):
    """Host of a worker: Ray's name of the machine, and the process number there."""

    node: str
    process: int


@dataclass(frozen=True, eq=False, repr=False)
class RootResult(SearchResult):
    """The merged table, and the state of the workers; ``seconds`` is wall time."""

    workers: int = 0
    """Workers that received a share."""
    replaced: int = 0
    """Workers started during this search to replace dead ones."""


def worker_key(key: int, worker: int) -> int:
    """Return the key of ``worker``, counted from 0, in the search ``key``."""
    return int(fold(np.uint64(check_integer("key", key, KEYS)), worker))


def shares(budget: Budget, workers: int) -> list[Budget]:
    """Split a budget: simulations as equally as possible, the first get more; seconds for each.

    There are fewer shares than workers if there are fewer simulations.
    """
    if budget.simulations is None:
        return [budget] * workers
    least, more = divmod(int(budget.simulations), workers)
    simulations = [least + (worker < more) for worker in range(workers)]
    return [replace(budget, simulations=share) for share in simulations if share]


class RootSearch:
    """Workers for repeated searches of positions of one domain; same interface as `Search`.

    Close it, or use it as a context manager: the processes otherwise live as long as the program.
    Raises ValueError if an option is out of range, or the nodes of Ray do not hold the workers;
    TimeoutError if the workers' processes have not started in ``start_seconds``; RayFault if Ray
    does not start; OtherCode if a host of the workers has other code.  One thread at a time may run
    it: a second one gets a RuntimeError.

    Parameters
    ----------
    p : the domain's parameters: the position to search, unless `run` is given another
    options : options of each worker's search, by default `Options`.  With ``oversubscribe`` workers
        reserve the fraction of a CPU with which all fit
    workers : number of trees
    merge : one of `mcts.options.MERGES`
    cpus_per_worker : CPUs that a worker reserves of Ray's; None: one per thread
    start_seconds : maximum wait for Ray to start the workers' processes
    search : the class of each worker's search, which takes ``p`` and ``options``

    Attributes
    ----------
    places : list[Place] Host of each worker, current or last.
    """

    def __init__(
        self,
        p: Any,
        options: Any = None,
        workers: int = 2,
        merge: str = "visits",
        cpus_per_worker: float | None = None,
        start_seconds: float = START_SECONDS,
        search: Callable[..., Any] = Search,
    ) -> None:
        if merge not in MERGES:
            raise ValueError(f"merge must be {' or '.join(MERGES)}, not {merge!r}")
        check_count("workers", workers)
        if cpus_per_worker is not None and cpus_per_worker <= 0:
            raise ValueError(f"cpus_per_worker must be above 0, not {cpus_per_worker!r}")
        # Options of each worker, which has no workers of its own.
        self.options = replace(options or Options(), mode="tree", workers=1)
        self._run, self._cancelled = 0, False
        self.workers, self.merge, self.start_seconds = workers, merge, start_seconds
        self._actors: list[Any] = [None] * workers
        self.places: list[Place | None] = [None] * workers
        local_ray.start(cores())  # unless the program has started or joined a Ray
        if cpus_per_worker is None:
            cpus_per_worker = _cpus_each(self.options, workers)
        self._cpus = cpus_per_worker
        if workers > (held := _count_room(self._cpus)):
            raise ValueError(
                f"{workers} workers of {self._cpus:g} CPUs each are more than the {held} that "
                "Ray's nodes hold; set oversubscribe to run them anyway"
            )
        self._kind, self._packed = type(p), _pack(p)
        # Compiled once, here, for the types that arrive: the workers load it from the cache.
        arriving = type(p)(*map(pickle.loads, self._packed))
        search(arriving, replace(self.options, threads=1, nodes=1))
        self._p = ray.put((search, type(p), self._packed))
        try:
            started = self._start(range(workers))
            if started < workers:
                raise TimeoutError(
                    f"Ray started {started} of {workers} workers in {start_seconds:g} seconds: "
                    "its CPUs may be busy"
                )
        except BaseException:
            self.close()
            raise

    @alone
    def run(self, budget: Budget, key: int, p: Any = None) -> RootResult:
        """Search from empty trees and merge their roots.

        Parameters
        ----------
        budget : when to end: its simulations are split (`shares`), its seconds are for each
        key : names all randomness of this search: an integer from 0 to below 2**64
        p : the position to search, as for `Search.run`

        Raises
        ------
        ValueError
            As `Search.run`, or if this is closed.
        SearchersLost
            If no share was returned.
        RuntimeError
            If this search is running.
        Exception
            Any other exception of the domain in a worker.
        """
        self._run += 1  # before `_cancelled` is read: see `cancel`
        began = time.perf_counter()
        found: dict[int, SearchResult] = {}
        replaced = 0
        try:
            if not self._actors:
                raise ValueError("the search is closed")
            check_types(budget, p, self._kind)
            packed = self._packed if p is None else _pack(p)
            changed = {i: each for i, each in enumerate(packed) if each != self._packed[i]}
            parts = shares(Budget(1) if self._cancelled else budget, self.workers)
            keys = [worker_key(key, worker) for worker in range(len(parts))]
            tasks = {i: (changed, parts[i], keys[i], self._run) for i in range(len(parts))}
            for _ in range(1 + DEATHS_SURVIVED):
                missing = [worker for worker in tasks if worker not in found]
                replaced += self._start([i for i in missing if self._actors[i] is None])
                found |= self._search({worker: tasks[worker] for worker in missing})
        finally:
            self._cancelled = False
        if not found:
            raise SearchersLost(f"none of the {len(tasks)} workers returned its share")
        # By worker, not by order of arrival: sums are rounded in the same order every time.
        merged = merge([found[worker] for worker in sorted(found)], self.merge, self.options.final)
        return RootResult(
            **vars(merged)
            | {"seconds": time.perf_counter() - began, "lost": len(tasks) - len(found)},
            workers=len(tasks),
            replaced=replaced,
        )

    def cancel(self) -> None:
        """End the running search after the current simulations; callable from any thread.

        If none is running, this ends the next one.  A search cancelled before its first simulation
        still runs that one.
        """
        self._cancelled = True
        run = self._run
        cancelled = [actor.cancel.remote(run) for actor in self._actors if actor is not None]
        if cancelled:
            ray.wait(cancelled, num_returns=len(cancelled), timeout=_STOP_SECONDS)

    def close(self) -> None:
        """End the workers; no search is possible afterwards."""
        for worker in range(len(self._actors)):
            self._end(worker)
        self._actors = []

    def __enter__(self) -> RootSearch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _search(self, tasks: dict[int, tuple]) -> dict[int, SearchResult]:
        """Return the results of ``tasks`` by worker, without those of dead or dying workers."""
        found = {}
        actors = {worker: self._actors[worker] for worker in tasks}
        under_way = {i: actor.run.remote(*tasks[i]) for i, actor in actors.items() if actor}
        try:
            for worker, reference in under_way.items():
                try:
                    found[worker] = _get(reference)
                except _DEATHS:
                    self._end(worker)
        except BaseException:
            self._stop(list(under_way.values()))
            raise
        return found

    def _stop(self, running: list[ray.ObjectRef]) -> None:
        """Wait until the searches ``running``, which were cancelled, have ended."""
        while running:
            self.cancel()
            _, running = ray.wait(running, num_returns=len(running), timeout=_STOP_SECONDS)

    def _start(self, workers: Sequence[int]) -> int:
        """Start a process for each of ``workers``; return how many started in time."""
        if workers:  # a node may have left
            alive = sum(actor is not None for actor in self._actors)
            workers = workers[: max(0, _count_room(self._cpus) - alive)]
        if not workers:
            return 0
        fresh = {worker: _Actor.options(num_cpus=self._cpus).remote() for worker in workers}
        prepared = {}
        try:
            placed = {worker: actor.place.remote() for worker, actor in fresh.items()}
            ray.wait(list(placed.values()), num_returns=len(placed), timeout=self.start_seconds)
            for worker, reference in placed.items():
                with suppress(GetTimeoutError, *_DEATHS):
                    self.places[worker] = _get(reference, 0)
                    prepared[worker] = fresh[worker].prepare.remote(self._p, self.options, digest())
            for worker, reference in prepared.items():
                with suppress(*_DEATHS):
                    _get(reference)
                    self._actors[worker] = fresh[worker]
        finally:
            for worker, actor in fresh.items():
                if self._actors[worker] is not actor:
                    ray.kill(actor)
        return sum(self._actors[worker] is not None for worker in workers)

    def _end(self, worker: int) -> None:
        """Kill the process of ``worker``, if there is one."""
        actor, self._actors[worker] = self._actors[worker], None
        if actor is not None and ray.is_initialized():
            ray.kill(actor)


class _Worker:
    """Searcher in a worker's process."""

    def place(self) -> Place:
        return Place(ray.get_runtime_context().get_node_id(), os.getpid())

    def prepare(
        self, packed: tuple[Callable[..., Any], type, list[bytes]], options: Any, code: str
    ) -> None:
        check(code)
        # Ray's own way would make arrays read-only, another type for Numba.
        search, kind, fields = packed
        self._p = kind(*map(pickle.loads, fields))
        self._search = search(self._p, options)
        self._lock = threading.Lock()
        self._running = self._cancelled = 0

    def run(self, changed: dict[int, bytes], budget: Budget, key: int, run: int) -> SearchResult:
        fields = list(self._p)
        for place, packed in changed.items():
            fields[place] = pickle.loads(packed)
        with self._lock:
            self._running = run
            self._search.cancelled = self._cancelled == run
        return self._search.run(budget, key, type(self._p)(*fields))

    @ray.method(concurrency_group="control")
    def cancel(self, run: int) -> None:
        """End the search ``run``, which may be over or in the future."""
        with self._lock:
            self._cancelled = run
            if self._running == run:
                self._search.cancel()


_Actor = ray.remote(concurrency_groups={"control": 1}, max_restarts=0)(_Worker)


def _pack(p: Any) -> list[bytes]:
    """Return the fields of ``p``, pickled one by one: unchanged ones are sent once."""
    return [pickle.dumps(field, pickle.HIGHEST_PROTOCOL) for field in p]


def _node_cpus() -> list[float]:
    """Return the CPUs of each live node of Ray that has any."""
    alive = [node["Resources"].get("CPU", 0.0) for node in ray.nodes() if node["Alive"]]
    return [*filter(None, alive)]


def _count_room(cpus: float) -> int:
    """Return how many workers of ``cpus`` CPUs the nodes hold when idle."""
    return sum(int(cpus_there / cpus + 1e-6) for cpus_there in _node_cpus())


def _cpus_each(options: Options, workers: int) -> float:
    """Return the CPUs that a worker reserves: one per thread, or less if allowed and needed."""
    nodes = _node_cpus()
    if not options.oversubscribe or not nodes:
        return options.threads
    fitting = min(nodes) / -(-workers // len(nodes))  # spread evenly
    # Ray counts whole CPUs, or ten-thousandths of one.
    fitting = math.floor(fitting) if fitting >= 1 else math.floor(1e4 * fitting) / 1e4
    return min(options.threads, fitting)


def _get(reference: ray.ObjectRef, timeout: float | None = None) -> Any:
    """Return a worker's result, or raise its exception."""
    try:
        return ray.get(reference, timeout=timeout)
    except RayTaskError as fault:
        raise fault.cause from None

"""Games over Ray: portions as stateless tasks, tried again when a worker dies.

As many tasks are under way as a run has workers, so that ``match.workers`` means the same on
a laptop and on a cluster; Ray itself is started once a process with all cores, and serves every
run of a sweep.
"""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Sequence

import numpy as np
import ray

from experiments.matches.failures import GameRaised, WorkersLost, name_games
from experiments.matches.results import Played
from experiments.matches.schedule import POLL_SECONDS, Match, Schedule
from experiments.settings.commandline import Refusal
from mcts.distributed import cluster, local_ray

DEATHS_SURVIVED = 5
"""Times that a portion is played again because its worker died, before the run gives up."""


def start(address: str | None, cores: int) -> int:
    """Connect to the cluster at ``address``, or start Ray here; return the cores it has.

    Raises Refusal if there is no cluster at ``address``, or Ray does not start here.
    """
    try:
        if address is None:
            local_ray.start(cores)
        else:
            cluster.connect(address)
    except local_ray.RayFault as fault:
        raise Refusal(str(fault)) from None
    return int(ray.cluster_resources().get("CPU", 1))


def is_started() -> bool:
    """Return whether Ray runs; one that was ours may be gone."""
    return ray.is_initialized()


def stop() -> None:
    """End this process's connection, and Ray itself if it was started here."""
    local_ray.stop()


@ray.remote(max_retries=DEATHS_SURVIVED)
def _play(match: Match, games: np.ndarray) -> tuple[Played, float]:
    """Play ``games`` in a worker; return what they came to and the seconds they took."""
    from experiments.matches import play  # compiled code, for which the driver need not wait

    started = time.perf_counter()
    played = play.portion(match, games)
    return played, time.perf_counter() - started


def play_games(
    matches: Sequence[Match], schedule: Schedule, workers: int, cpus: Sequence[float]
) -> Generator[list[tuple[int, Played]]]:
    """Play what ``schedule`` hands out, and yield whole games with their match as they come.

    Yields an empty list when nothing has ended for `POLL_SECONDS`.  Closing the iterator gives up
    the games under way.  ``workers``: tasks under way at the same time; ``cpus``: by match, cores
    that a task reserves.  Raises WorkersLost if a portion's worker died more than `DEATHS_SURVIVED`
    times.  Raises GameRaised if a game raised an exception.
    """
    under_way: dict[ray.ObjectRef, tuple[int, np.ndarray]] = {}
    tasks = [_play.options(num_cpus=reserved) for reserved in cpus]
    shared = [ray.put(match) for match in matches]
    try:
        while True:
            while len(under_way) < workers and (portion := schedule.take()) is not None:
                match, games = portion
                under_way[tasks[match].remote(shared[match], games)] = portion
            if not under_way:
                return
            ended, others = ray.wait(list(under_way), timeout=POLL_SECONDS)
            if ended and others:  # each call looks at all tasks under way
                ended += ray.wait(others, num_returns=len(others), timeout=0)[0]
            done = []
            for reference in ended:
                match, games = under_way.pop(reference)
                played, seconds = _result(reference, games)
                schedule.took(match, len(games), seconds)
                done.append((match, played))
            yield done
    finally:
        for reference in under_way:
            ray.cancel(reference, force=True)


_LOST = (
    ray.exceptions.WorkerCrashedError,
    ray.exceptions.NodeDiedError,
    ray.exceptions.ObjectLostError,
    ray.exceptions.OutOfMemoryError,
    ray.exceptions.OutOfDiskError,
)


def _result(reference: ray.ObjectRef, games: np.ndarray) -> tuple[Played, float]:
    try:
        return ray.get(reference)
    except _LOST as fault:
        raise WorkersLost(
            f"{name_games(games)} ended the worker {DEATHS_SURVIVED + 1} times "
            f"({type(fault).__name__})"
        ) from None
    except ray.exceptions.RayTaskError as fault:
        traceback = re.sub(r"\x1b\[\d+m", "", str(fault))  # Ray colours it
        raise GameRaised(games, fault.cause, traceback) from None

"""Games over Ray: portions as stateless tasks, retried when a worker dies.

There are as many running tasks as workers, so that ``match.workers`` means the same on a laptop and
on a cluster.  Ray is started once per process with all cores, and serves every run of a sweep.
"""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
import ray

from experiments.matches.failures import GameRaised, GamesFailed, WorkersLost, name_games
from experiments.matches.results import Played
from experiments.matches.schedule import POLL_SECONDS, Match, Schedule
from experiments.settings.commandline import Refusal
from mcts.distributed import cluster, code, local_ray

DEATHS_SURVIVED = 5
"""Maximum number of worker deaths of one portion before the run gives up."""


_watch: cluster.Watch | None = None
"""Watch over the head of the cluster joined; None without a cluster."""


def start(address: str | None, cores: int) -> int:
    """Connect to the cluster at ``address``, or start Ray here; return its number of cores.

    Raises Refusal if there is no cluster at ``address``, or Ray does not start here.
    """
    global _watch
    try:
        if address is None:
            local_ray.start(cores)
            _watch = None
        else:
            cluster.connect(address)
            _watch = cluster.Watch()
    except local_ray.RayFault as fault:
        raise Refusal(str(fault)) from None
    return int(ray.cluster_resources().get("CPU", 1))


def is_started() -> bool:
    """Return whether Ray is running; a local Ray may have died."""
    return ray.is_initialized()


def stop() -> None:
    """Close this process's connection, and end Ray itself if it was started here."""
    local_ray.stop()


@ray.remote(max_retries=DEATHS_SURVIVED)
def _play(match: Match, games: np.ndarray, wanted: str) -> tuple[Played, float]:
    """Return the outcome of ``games`` and its seconds; OtherCode unless the digest fits."""
    code.check(wanted)
    from experiments.matches import play  # compiled code, not needed by the driver

    started = time.perf_counter()
    played = play.portion(match, games)
    return played, time.perf_counter() - started


def play_games(
    matches: Sequence[Match], schedule: Schedule, workers: int, cpus: Sequence[float]
) -> Generator[list[tuple[int, Played]]]:
    """Play what ``schedule`` hands out; yield finished games with their match as they come.

    Yields an empty list when nothing has ended for `POLL_SECONDS`.  Closing the iterator abandons
    the running games.  ``workers``: tasks running at the same time; ``cpus``: by match, cores that
    a task reserves.  Raises WorkersLost if a portion's worker died more than `DEATHS_SURVIVED`
    times or runs other code, or Ray itself or the head of the cluster is gone.  Raises GameRaised
    if a game raised an exception.
    """
    under_way: dict[ray.ObjectRef, tuple[int, np.ndarray]] = {}
    tasks = [_play.options(num_cpus=reserved) for reserved in cpus]
    losses = 0
    shared = [ray.put(match) for match in matches]
    ours = code.digest()

    def send(portion: tuple[int, np.ndarray]) -> ray.ObjectRef:
        match, games = portion
        return tasks[match].remote(shared[match], games, ours)

    try:
        while True:
            while len(under_way) < workers and (portion := schedule.take()) is not None:
                under_way[send(portion)] = portion
            if not under_way:
                return
            if lost_hosts():
                losses += 1
                tasks = [_play.options(**queue(reserved, losses)) for reserved in cpus]
                # Another process would need cores for its search that the first one holds.
                for portion in [one for one in under_way.values() if cpus[one[0]]]:
                    under_way[send(portion)] = portion
            ended, others = ray.wait(list(under_way), timeout=POLL_SECONDS)
            if ended and others:  # each call checks all running tasks
                ended += ray.wait(others, num_returns=len(others), timeout=0)[0]
            done = []
            for reference in ended:
                portion = under_way.pop(reference, None)
                if portion is None:
                    continue  # sent again, and both have ended
                match, games = portion
                try:
                    played, seconds = _result(reference, games)
                except GamesFailed:
                    if any(same is portion for same in under_way.values()):
                        continue  # sent twice, and the other may still end
                    raise
                if losses:
                    cancel_twins(under_way, portion)
                schedule.took(match, len(games), seconds)
                done.append((match, played))
            yield done
    finally:
        for reference in under_way:
            ray.cancel(reference, force=True)


def queue(cpus: float, losses: int) -> dict[str, Any]:
    """Return task options that make Ray queue tasks apart from those before the last of ``losses``.

    Ray requests workers by kind of task, and a request sent to a lost host blocks later tasks of
    its kind.  Tasks without ``cpus`` stay where they are: they search in actors, which hold cores
    for their process.
    """
    if not cpus:
        return {"num_cpus": 0}
    reserved = cpus - 1e-4 * (losses % 1000) if 0.2 < cpus <= 1 else cpus
    return {"num_cpus": reserved, "scheduling_strategy": "SPREAD" if losses % 2 else "DEFAULT"}


def cancel_twins(under_way: dict[ray.ObjectRef, Any], portion: Any) -> None:
    """Cancel the other tasks sent for ``portion``, which has ended."""
    for twin in [other for other, same in under_way.items() if same is portion]:
        ray.cancel(twin, force=True)
        del under_way[twin]


def lost_hosts() -> bool:
    """Return whether a host is gone, so that running tasks are to be sent again.

    Raises WorkersLost if the head of the cluster is gone.
    """
    if _watch is None:
        return False
    try:
        return _watch.check()
    except local_ray.RayFault as fault:
        raise WorkersLost(str(fault)) from None


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
        if isinstance(fault.cause, code.OtherCode):
            raise WorkersLost(str(fault.cause)) from None
        traceback = re.sub(r"\x1b\[\d+m", "", str(fault))  # Ray colours it
        raise GameRaised(games, fault.cause, traceback) from None
    except ray.exceptions.RayError as fault:
        raise WorkersLost(
            f"Ray ended on this machine during {name_games(games)} ({type(fault).__name__})"
        ) from None

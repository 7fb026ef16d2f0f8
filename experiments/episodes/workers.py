"""Episodes in this process or over Ray, with the same rows for any number of workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from experiments.episodes import problems
from experiments.episodes.problems import Setup
from experiments.matches.background import Background
from experiments.settings.commandline import Refusal
from mcts.distributed import code

_DEATHS_SURVIVED = 5
_POLL_SECONDS = 0.1
_MOST_OF_A_PORTION = 50
_PORTION_SECONDS = 1.0
"""Approximate duration of a portion, whose results are lost on Ctrl-C."""

Row = dict[str, Any]


def play(
    setup: Setup, episodes: Sequence[int], workers: int, address: str | None = None
) -> Iterator[tuple[int, list[Row]]]:
    """Yield each of ``episodes`` with its row as soon as it ends, in any order.

    Closing the iterator abandons episodes under way without waiting: a user's own problem may never
    end.  ``address``: of the Ray cluster; None for this machine.  Raises Refusal if the problem
    cannot be loaded or raises, if Ray does not start, or if a host has other code.
    """
    workers = min(workers, len(episodes))
    alone = workers == 1 and address is None
    if not alone:
        yield from _over_ray(setup, episodes, workers, address)
        return
    for number in episodes:
        yield number, Background(_portion, setup, [number], stays=False).result()


def _portion_elsewhere(setup: Setup, episodes: Sequence[int], wanted: str) -> list[Row]:
    code.check(wanted)
    return _portion(setup, episodes)


def _portion(setup: Setup, episodes: Sequence[int]) -> list[Row]:
    return [problems.player(setup)(number) for number in episodes]


def _over_ray(
    setup: Setup, episodes: Sequence[int], workers: int, address: str | None
) -> Iterator[tuple[int, list[Row]]]:
    import ray  # takes seconds

    from experiments.matches import runner
    from mcts.kernel.allocation import cores

    Background(runner.start, address, max(workers, cores())).result()  # Ray takes SIGTERM
    remote = ray.remote(max_retries=_DEATHS_SURVIVED)(_portion_elsewhere)
    task, losses = remote, 0
    waiting, size = deque(episodes), 1
    playing: dict[Any, list[int]] = {}
    try:
        while waiting or playing:
            while waiting and len(playing) < workers:
                numbers = [waiting.popleft() for _ in range(min(size, len(waiting)))]
                playing[task.remote(setup, numbers, code.digest())] = numbers
            if _lost_hosts():
                losses += 1
                task = remote.options(**runner.queue(1, losses))
                for numbers in list(playing.values()):
                    playing[task.remote(setup, numbers, code.digest())] = numbers
            done, _ = ray.wait(list(playing), timeout=_POLL_SECONDS)
            for portion in done:
                if portion not in playing:
                    continue  # sent twice, and both have ended
                rows = _result(portion)
                runner.cancel_twins(playing, playing.pop(portion))
                for row in rows:
                    yield row["episode"], [row]
                fitting = _PORTION_SECONDS * len(rows) / max(1e-6, sum(r["seconds"] for r in rows))
                size = int(max(1, min(fitting, 2 * size, _MOST_OF_A_PORTION)))
    finally:
        for reference in playing:
            ray.cancel(reference, force=True)


def _lost_hosts() -> bool:
    from experiments.matches import runner
    from experiments.matches.failures import WorkersLost

    try:
        return runner.lost_hosts()
    except WorkersLost as fault:
        raise Refusal(f"{fault}; the same command continues") from None


def _result(portion: Any) -> list[Row]:
    import ray

    try:
        return ray.get(portion)
    except ray.exceptions.RayTaskError as fault:
        if isinstance(fault.cause, Refusal):
            raise fault.cause from None
        if isinstance(fault.cause, code.OtherCode):
            raise Refusal(str(fault.cause)) from None
        raise
    except ray.exceptions.RayError as fault:
        raise Refusal(
            f"a worker was lost: {type(fault).__name__}; the same command continues"
        ) from None

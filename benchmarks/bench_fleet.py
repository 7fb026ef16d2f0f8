"""Maximum number of workers per driver, with simulated workers on real Ray, and its memory.

    python -m benchmarks.bench_fleet [--seconds 1] [--games 2000]
    python -m benchmarks.bench_fleet --memory 10000000

A simulated worker answers after the duration of a game with rows of the right size and plays
nothing; all share one actor, so that only the driver is real: its schedule, Ray's calls, the tally,
part files.  The driver's cost is the CPU time of its process; a fleet is too large if games take
longer to arrive than to play.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import ray

from benchmarks.bench_experiments import match as match_of
from experiments.matches import match_loop, play, results, runner
from experiments.matches.match_loop import Resources
from experiments.matches.results import Played, Results
from experiments.matches.schedule import Match
from experiments.runs import runfolder
from experiments.stats.stopping import Stop

WORKERS = (16, 64, 256, 1024, 4096)
WARM = 64
"""Games before the clock starts."""
_AT_ONCE = 10_000


@ray.remote(num_cpus=0, max_concurrency=_AT_ONCE)
class Fleet:
    """Workers that answer after ``seconds`` per portion with the rows of one game, repeated."""

    def __init__(self, match: Match, seconds: float) -> None:
        self._one = play.portion(match, np.arange(1)).rows
        self._seconds = seconds

    async def play(self, games: np.ndarray) -> tuple[Played, float]:
        """Return the rows of ``games`` and the seconds that they took."""
        await asyncio.sleep(self._seconds)
        seats = self._one.num_rows
        rows = self._one.take(pa.array(np.tile(np.arange(seats), len(games))))
        at = rows.column_names.index("game")
        rows = rows.set_column(at, "game", pa.array(np.repeat(games, seats)))
        return Played(rows), self._seconds


class _Task:
    """Replacement for Ray's remote function that plays a portion."""

    def __init__(self, fleet: Any) -> None:
        self._fleet = fleet

    def options(self, **_: Any) -> _Task:
        """Return itself: simulated workers reserve nothing."""
        return self

    def remote(self, _: Any, games: np.ndarray, code: str) -> ray.ObjectRef:
        """Send a portion."""
        return self._fleet.play.remote(games)


@contextmanager
def simulate(match: Match, seconds: float) -> Iterator[None]:
    """Have a `Fleet` answer portions."""
    real = runner._play
    runner._play = _Task(Fleet.remote(match, seconds))
    try:
        yield
    finally:
        runner._play = real


def feed(match: Match, workers: int, seconds: float, games: int, folder: Path) -> dict[str, float]:
    """Drive ``workers`` through ``games``; return wall and CPU seconds of the driver."""
    alike = Resources((workers,), (0.0,), None, cores=10**9)  # no second portion per worker
    runfolder.claim(folder, [match], "games", resume=False)
    played = Results(folder, [match])
    with simulate(match, seconds):
        match_loop.play(played, WARM, Stop(), alike, lambda: True)
        wall, cpu = time.perf_counter(), time.process_time()
        ended = match_loop.play(played, WARM + games, Stop(), alike, lambda: True)
        spent = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    assert ended.fault is None and played.games == WARM + games
    return spent


def fleets(seconds: float, games: int) -> None:
    """Print a line for each number of workers."""
    match = match_of("planner")
    play.warm(match)
    print(f"games of {seconds:g} s; the driver's CPU limits a fleet")
    print(
        f"{'workers':>8}{'games':>8}{'games/s':>10}{'of ideal':>10}{'CPU ms a game':>15}{'fed':>8}"
    )
    for workers in WORKERS:
        count = max(games, 3 * workers)
        with tempfile.TemporaryDirectory() as place:
            spent = feed(match, workers, seconds, count, Path(place))
        ideal = -(-count // workers) * seconds
        each = spent["cpu"] / count
        print(
            f"{workers:>15,}{count:>15,}{count / spent['wall']:>15,.0f}"
            f"{ideal / spent['wall']:>15.0%}{1000 * each:>15.2f}{seconds / each:>15,.0f}"
        )


def memory(games: int) -> None:
    """Print the driver's memory while it collects ``games`` of compiled policies."""
    match = replace(match_of("cheap"), records=0)
    play.warm(match)
    print(f"{'games':>12}{'games/s':>10}{'rows/s':>12}{'peak MB':>9}{'MB on disk':>12}")
    with tempfile.TemporaryDirectory() as place, simulate(match, 0.0):
        folder = Path(place)
        runfolder.claim(folder, [match], "games", resume=False)
        played = results.Results(folder, [match])
        few = Resources((8,), (0.0,), None, cores=10**9)
        done, started = 0, time.perf_counter()
        for upto in (games // 100, games // 10, games // 4, games // 2, games):
            match_loop.play(played, upto, Stop(), few, lambda: True)
            now = time.perf_counter()
            rate = (upto - done) / (now - started)
            done, started = upto, now
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            disk = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
            print(f"{upto:>12,}{rate:>10,.0f}{4 * rate:>12,.0f}{peak:>9,.0f}{disk:>12,.0f}")


def main() -> None:
    """Start Ray, and print the requested tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="duration of a game")
    parser.add_argument("--games", type=int, default=2000, help="minimum for each fleet")
    parser.add_argument("--memory", type=int, metavar="GAMES", help="instead, collect this many")
    asked = parser.parse_args()
    runner.start(None, 2)
    try:
        if asked.memory:
            memory(asked.memory)
        else:
            fleets(asked.seconds, asked.games)
    finally:
        runner.stop()


if __name__ == "__main__":
    main()

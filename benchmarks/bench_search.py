"""Simulations a second on Tiger: one thread, two on one tree, and what two cores could give.

    python -m benchmarks.bench_search [--seconds 1.0] [--repeats 5]

CPU time says nothing about parallelism, so everything is wall time, and the control is two
*independent* single-threaded searches side by side: what it gains over one is all that the machine
has to give (busy neighbours and shared caches included).  The medians of the repeats are shown;
the three ways are measured in turn, so that a change in the machine's load meets them all.
"""

from __future__ import annotations

import argparse
import statistics
import threading
from collections.abc import Callable

from mcts.options import Budget, Options
from mcts.problems.tiger import RANDOM, TigerParameters
from mcts.search import Search

CASES = {
    "3 steps (under 1 us)": TigerParameters(steps=3),
    "60 steps": TigerParameters(steps=60, rollout=RANDOM),
    "1000 steps": TigerParameters(steps=1000, rollout=RANDOM),
}


def one(p: TigerParameters, threads: int, seconds: float) -> Callable[[int], float]:
    """Return what measures simulations a second of a search on ``threads`` threads."""
    options = Options(threads=threads, exploration=0.1, nodes=1_000_000, oversubscribe=True)
    search = Search(p, options)

    def measure(key: int) -> float:
        result = search.run(Budget(seconds=seconds), key)
        return result.simulations / result.seconds

    return measure


def side_by_side(p: TigerParameters, copies: int, seconds: float) -> Callable[[int], float]:
    """Return what measures the sum over ``copies`` independent searches at the same time."""
    measures = [one(p, 1, seconds) for _ in range(copies)]

    def measure(key: int) -> float:
        rates = [0.0] * copies

        def fill(i: int) -> None:
            rates[i] = measures[i](key + i)

        workers = [threading.Thread(target=fill, args=(i,)) for i in range(copies)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return sum(rates)

    return measure


def main() -> None:
    """Measure and print one line a case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="wall time of one search")
    parser.add_argument("--repeats", type=int, default=5)
    asked = parser.parse_args()
    print(f"{'case':24}{'1 thread /s':>14}{'2 threads':>12}{'control: 2 searches':>22}")
    for name, p in CASES.items():
        ways = [
            one(p, 1, asked.seconds),
            one(p, 2, asked.seconds),
            side_by_side(p, 2, asked.seconds),
        ]
        rounds = [[way(key) for way in ways] for key in range(asked.repeats)]
        single, double, control = (
            statistics.median(column) for column in zip(*rounds, strict=True)
        )
        print(f"{name:24}{single:14,.0f}{double / single:11.2f}x{control / single:21.2f}x")


if __name__ == "__main__":
    main()

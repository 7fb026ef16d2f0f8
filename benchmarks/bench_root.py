"""Root parallelization: the gain of two workers, and the cost of each part of a decision.

    python -m benchmarks.bench_root [--only gain,overhead,parts] [--repeats 30]

* gain: simulations per second of wall time, decisions of 0.1 s at some 50 microseconds a
  simulation.  Control: two independent processes that search concurrently without merging; their
  gain over one is the machine's limit.  The three ways take turns.
* overhead: a decision of one simulation per worker against one simulation here.
* parts: inputs of a model of many workers: packing a position, passing it to Ray, unpacking it; a
  round trip; the driver's cost per worker (its call, its table); the merge.

Ray runs its processes at low priority (nice 15): on a busy machine they yield to other users,
including the control.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pickle
import statistics
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from benchmarks.timing import measure, show, show_load
from mcts.merge import merge
from mcts.options import Budget, Options
from mcts.problems.tiger import RANDOM, TigerParameters
from mcts.root import RootSearch, ray
from mcts.search import Search, SearchResult

TIGER = TigerParameters(steps=1500, rollout=RANDOM)
"""A problem of some 50 microseconds per simulation."""
OPTIONS = Options(exploration=0.1, nodes=20_000)
DECISION = Budget(seconds=0.1)
ACTIONS = 42
"""Length of a root table as in Cluedo: 36 suggestions, and some more."""
WORKERS = (16, 64, 256, 1024)


def rate(search: Search | RootSearch, key: int) -> tuple[float, float]:
    """Return simulations per second of wall time in one decision, and its wall time."""
    began = time.perf_counter()
    result = search.run(DECISION, key)
    seconds = time.perf_counter() - began
    return result.simulations / seconds, seconds


_own: list[Search] = []


def _independent(key: int) -> float:
    if not _own:
        _own.append(Search(TIGER, OPTIONS))
    return rate(_own[0], key)[0]


def gain(repeats: int) -> None:
    """Measure one search, two workers and two independent processes in turn."""
    single, spawn = Search(TIGER, OPTIONS), multiprocessing.get_context("spawn")
    cost = 1e6 * measure(lambda: single.run(Budget(simulations=2_000), 1), 5)[1] / 2_000
    show("a simulation", f"{cost:.1f} us")
    with (
        RootSearch(TIGER, OPTIONS, 2) as root,
        ProcessPoolExecutor(1, spawn) as one,
        ProcessPoolExecutor(1, spawn) as other,
    ):

        def control(key: int) -> float:
            running = [pool.submit(_independent, key) for pool in (one, other)]
            return sum(each.result() for each in running)

        rounds = [(rate(single, k), rate(root, k), control(k)) for k in range(-2, repeats)][2:]
    rates = [statistics.median(each[way][0] for each in rounds) for way in (0, 1)]
    walls = [1e3 * statistics.median(each[way][1] for each in rounds) for way in (0, 1)]
    both = statistics.median(each[2] for each in rounds)
    show("one search", f"{rates[0]:,.0f} /s, {walls[0]:.1f} ms")
    show(
        "two workers",
        f"{rates[1] / rates[0]:.2f}x, {walls[1]:.1f} ms",
        f"control, two processes: {both / rates[0]:.2f}x",
    )


def overhead(repeats: int) -> None:
    """Measure a decision with almost nothing to search."""
    single = Search(TIGER, OPTIONS)
    here = 1e3 * measure(lambda: single.run(Budget(simulations=1), 1), repeats)[1]
    for workers in (1, 2):
        with RootSearch(TIGER, OPTIONS, workers) as root:
            budget = Budget(simulations=workers)
            there = 1e3 * measure(lambda: root.run(budget, 1, TIGER), repeats)[1]  # noqa: B023
        show(f"a decision of {workers} worker(s)", f"{there:.2f} ms", f"here: {here:.2f} ms")


class _Echo:
    """A worker that returns a prepared table."""

    def __init__(self, table: SearchResult) -> None:
        self.table = table

    def run(self, packed: bytes) -> SearchResult:
        return self.table


def a_table() -> SearchResult:
    """Return a root table as long as those of Cluedo."""
    visits = np.arange(1, ACTIONS + 1)
    return SearchResult(
        actions=np.arange(ACTIONS),
        edge_data=np.zeros(ACTIONS),
        visits=visits,
        values=visits / ACTIONS,
        errors=visits / ACTIONS,
        best=1,
        simulations=int(visits.sum()),
        seconds=0.1,
        nodes=1_000,
        full=False,
    )


def positions() -> dict[str, object]:
    """Return positions to send, as a planner sends them."""
    from belief.exact.workspace import compact
    from benchmarks.bench_game import opening

    cluedo = opening()
    return {"Tiger": TIGER, "Cluedo": cluedo._replace(posterior=compact(cluedo.posterior))}


def milliseconds(work: Callable[[], object], repeats: int) -> float:
    """Return the median wall time of ``work``."""
    return 1e3 * measure(work, repeats)[1]


def parts(repeats: int) -> None:
    """Measure the parts of a decision one by one."""
    with RootSearch(TIGER, OPTIONS, 1):  # starts Ray
        pass
    for name, p in positions().items():
        packed = pickle.dumps(p, pickle.HIGHEST_PROTOCOL)
        stored = ray.put(packed)
        ways = {
            "packing": lambda p=p: pickle.dumps(p, pickle.HIGHEST_PROTOCOL),
            "into Ray's store": lambda packed=packed: ray.put(packed),
            "out of it": lambda stored=stored: ray.get(stored),
            "unpacking": lambda packed=packed: pickle.loads(packed),
        }
        for what, work in ways.items():
            size = f"{len(packed):,} bytes" if what == "packing" else ""
            show(f"{name}: {what}", f"{milliseconds(work, repeats):.3f} ms", size)
    table = a_table()
    echo = ray.remote(_Echo).options(num_cpus=1).remote(table)
    small = ray.put(b"")
    there = milliseconds(lambda: ray.get(echo.run.remote(small)), 10 * repeats)
    show("a call there and back", f"{there:.2f} ms")
    for workers in WORKERS:
        cost = milliseconds(lambda: merge([table] * workers, "visits"), repeats)  # noqa: B023
        show(f"merging {workers} tables", f"{cost:.2f} ms")
    calls = WORKERS[-1]
    sent, got = [], []
    for _ in range(repeats // 3 + 1):
        began = time.perf_counter()
        running = [echo.run.remote(small) for _ in range(calls)]
        sent.append(time.perf_counter() - began)
        ray.wait(running, num_returns=calls)
        began = time.perf_counter()
        for each in running:
            ray.get(each)
        got.append(time.perf_counter() - began)
    show("sending one more call", f"{1e3 * statistics.median(sent) / calls:.3f} ms")
    show("reading one more table", f"{1e3 * statistics.median(got) / calls:.3f} ms")
    ray.kill(echo)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="gain,overhead,parts")
    parser.add_argument("--repeats", type=int, default=30)
    asked = parser.parse_args()
    show_load()
    for name in asked.only.split(","):
        {"gain": gain, "overhead": overhead, "parts": parts}[name](asked.repeats)


if __name__ == "__main__":
    main()

"""Simulations per second: of threads on small problems, and of planners against another checkout.

    python -m benchmarks.bench_search [--seconds 1.0] [--repeats 5]
    python -m benchmarks.bench_search --against FOLDER [--simulations 400] [--only bmcts]
    python -m benchmarks.bench_search --against FOLDER --simulations 2000 --only games rollouts

The first measures one thread, two on one tree, and the limit of two cores, on Tiger and on Kuhn
poker, where the tree takes most of the time and the game hardly any.

CPU time does not measure parallelism, so everything is wall time, and the control is two concurrent
*independent* single-threaded searches: their gain over one is the machine's limit (busy neighbours
and shared caches included).  The medians of the repeats are shown; the three ways are measured in
turn, so that load affects all alike.

The second searches the opening of a game with every searching preset, here and in another checkout
(one process each, called in turn, in alternating order), and shows the CPU time of both, the median
ratio of a round, and whether the trees were equal bit by bit.  The control is this checkout against
itself (``--against .``): the deviation of its ratios from 1 is noise.  A checkout with other module
names needs its own worker (``--worker FILE``); one older than the parts below needs the worker of
this checkout.  Instead of presets, the parts ``games``, ``rollouts`` and ``search`` measure games
of four of a kind, roll-outs of `best`, which knows that the others are swift that accuses from
0.35, from rounds 1 and 4, and its search in rounds 1, 3 and 6.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.games.kuhn_poker import KuhnParameters
from mcts.options import Budget, Options
from mcts.problems.tiger import RANDOM, TigerParameters
from mcts.search import Search

CASES: dict[str, NamedTuple] = {
    "3 steps (under 1 us)": TigerParameters(steps=3),
    "60 steps": TigerParameters(steps=60, rollout=RANDOM),
    "1000 steps": TigerParameters(steps=1000, rollout=RANDOM),
    "Kuhn poker": KuhnParameters(),
}


def one(p: NamedTuple, threads: int, seconds: float) -> Callable[[int], float]:
    """Return a function that measures simulations per second of a search on ``threads`` threads."""
    options = Options(threads=threads, exploration=0.1, nodes=1_000_000, oversubscribe=True)
    search = Search(p, options)

    def measure(key: int) -> float:
        result = search.run(Budget(seconds=seconds), key)
        return result.simulations / result.seconds

    return measure


def side_by_side(p: NamedTuple, copies: int, seconds: float) -> Callable[[int], float]:
    """Return a function that measures the sum over ``copies`` concurrent independent searches."""
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


PRESETS = (
    *("bmcts", "best", "ld_bmcts", "bmcts_or", "pomcp", "so_ismcts", "mo_ismcts", "flat", "pimc"),
    *("bmcts_faithful", "ld_bmcts_faithful", "bmcts_or_faithful", "pomcp_faithful"),
    *("so_ismcts_faithful", "mo_ismcts_faithful", "bmcts_released", "ld_bmcts_released"),
)
"""The planners to compare with another checkout."""

PARTS = {
    "games": ["games:swift(0.35)", "games:swift", "games:hide(0.35)", "games:heuristic"],
    "rollouts": [f"rollouts:{own}:{start}" for own in ("swift", "hide") for start in (1, 4)],
    "search": [f"search:{own}:{start}" for own in ("swift", "hide") for start in (1, 3, 6)],
}
"""Other parts to compare with another checkout, as tasks of the worker."""

WORKER = Path(__file__).with_name("search_worker.py")


class Checkout:
    """A process that searches with the code of ``folder`` on request."""

    def __init__(self, folder: Path, worker: Path) -> None:
        command = [folder / ".venv/bin/python", worker.resolve()]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, text=True)

    def search(self, preset: str, simulations: int, key: int) -> dict[str, Any]:
        """Return the worker's answer; see `benchmarks.search_worker`."""
        print(preset, simulations, key, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"the worker ended with code {self._process.wait()}")
        return json.loads(answer)


def compare(folder: Path, worker: Path, presets: list[str], simulations: int, repeats: int) -> None:
    """Measure every preset or part here and in ``folder``, and print one line each."""
    checkouts = [Checkout(Path.cwd(), WORKER), Checkout(folder, worker)]
    print(f"{'preset':22}{'us here':>10}{'us there':>10}{'speed, here/there':>18}   trees")
    for preset in [task for asked in presets for task in PARTS.get(asked, [asked])]:
        for checkout in checkouts:
            checkout.search(preset, simulations, 0)  # compiles
        rounds = []
        for key in range(1, repeats + 1):
            order = (0, 1) if key % 2 else (1, 0)
            found = {which: checkouts[which].search(preset, simulations, key) for which in order}
            rounds.append((found[0], found[1]))
        here, there = (
            [1e6 * answer["seconds"] / max(answer["simulations"], 1) for answer in column]
            for column in zip(*rounds, strict=True)
        )
        ratio = statistics.median(b / a for a, b in zip(here, there, strict=True))
        same = sum(a["tree"] == b["tree"] for a, b in rounds)
        times = f"{statistics.median(here):10.1f}{statistics.median(there):10.1f}"
        print(f"{preset:22}{times}{ratio:18.2f}   {same} of {repeats} the same", flush=True)


def main() -> None:
    """Measure the requested parts and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="wall time of one search")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--against", type=Path, help="another checkout, with its .venv")
    parser.add_argument("--worker", type=Path, default=WORKER, help="its worker, if not this one's")
    parser.add_argument("--simulations", type=int, default=400, help="of a decision")
    parser.add_argument(
        "--only", choices=(*PRESETS, *PARTS), nargs="+", default=PRESETS, metavar="PRESET"
    )
    asked = parser.parse_args()
    if asked.against:
        compare(asked.against, asked.worker, asked.only, asked.simulations, asked.repeats)
    else:
        threads_on_tiger(asked.seconds, asked.repeats)


def threads_on_tiger(seconds: float, repeats: int) -> None:
    """Measure threads and print one line per case."""
    print(f"{'case':24}{'1 thread /s':>14}{'2 threads':>12}{'control: 2 searches':>22}")
    for name, p in CASES.items():
        ways = [one(p, 1, seconds), one(p, 2, seconds), side_by_side(p, 2, seconds)]
        rounds = [[way(key) for way in ways] for key in range(repeats)]
        single, double, control = (
            statistics.median(column) for column in zip(*rounds, strict=True)
        )
        print(f"{name:24}{single:14,.0f}{double / single:11.2f}x{control / single:21.2f}x")


if __name__ == "__main__":
    main()

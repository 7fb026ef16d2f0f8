"""Parallel search: play-outs per second next to a control, and regret at equal simulations.

    python -m benchmarks.bench_parallel [--positions 40] [--seeds 5] [--simulations 1000]

The control is as many independent searches in as many threads.  Regret is that of the first
decision in late positions with exact values (`sim.endgame`): it shows the cost of virtual loss,
WU-UCT and the merge rules at equal numbers of play-outs.  Threads and workers beyond the cores
share them.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice

import numpy as np
from scipy.stats import bootstrap

from benchmarks.bench_game import SWIFT, opening
from benchmarks.timing import show_load
from mcts.options import Budget, Options
from mcts.search import Search
from mcts.searcher import searcher
from sim.endgame.positions import Endgame
from sim.endgame.random_positions import endgames
from sim.planning.cluedo import Cluedo
from sim.planning.config import PlannerConfig
from sim.planning.planner import Planner

COUNTS = (1, 2, 4, 8)
TREATMENTS = ("none", "virtual_loss", "wu_uct")
MERGES = ("visits", "value", "vote")
_REPEATS = 3


def modes() -> Iterator[tuple[str, Options]]:
    """Yield every way to search in parallel."""
    base = Options(
        exploration=0.15,
        root_exploration=1.0,
        widening_base=2.0,
        widening_exponent=0.35,
        nodes=20_001,
        oversubscribe=True,
    )
    yield "one thread", base
    for treatment in TREATMENTS:
        for n in COUNTS[1:]:
            yield f"tree, {treatment}, {n}", replace(base, in_flight=treatment, threads=n)
    for n in COUNTS[1:]:
        yield f"leaf, {n}", replace(base, mode="leaf", threads=n)
    for merge in MERGES:
        for n in COUNTS[1:]:
            yield f"root, {merge}, {n}", replace(base, mode="root", workers=n, merge=merge)


def rate(p: Cluedo, options: Options, simulations: int) -> float:
    """Return play-outs a second of wall time."""
    search = searcher(p, options)
    search.run(Budget(simulations=64), 0, p)
    seconds = []
    for key in range(_REPEATS):
        began = time.perf_counter()
        search.run(Budget(simulations=simulations), key, p)
        seconds.append(time.perf_counter() - began)
    if hasattr(search, "close"):
        search.close()
    return simulations / statistics.median(seconds)


def control(p: Cluedo, n: int, simulations: int) -> float:
    """Return play-outs per second of ``n`` concurrent independent searches."""
    searches = [Search(p, Options(exploration=0.2, nodes=simulations + 1)) for _ in range(n)]
    each = Budget(simulations=simulations // n)
    seconds = []
    with ThreadPoolExecutor(n) as pool:
        for _ in range(_REPEATS):
            began = time.perf_counter()
            list(pool.map(lambda search: search.run(each, 1), searches))
            seconds.append(time.perf_counter() - began)
    return simulations / statistics.median(seconds)


def regret(found: list[Endgame], options: Options, simulations: int, seeds: int) -> np.ndarray:
    """Return the mean regret of the first decision at each position."""
    config = PlannerConfig(
        opponents="uniform",
        candidates=36,
        accusations=8,
        options=options,
        budget=Budget(simulations=simulations),
    )
    planner = Planner(config)
    losses = np.zeros((len(found), seeds))
    for i, endgame in enumerate(found):
        for seed in range(seeds):
            endgame.sit(planner, 100 * i + seed)
            losses[i, seed] = endgame.regret(endgame.choice(planner, 100 * i + seed))
    if hasattr(planner.search, "close"):
        planner.search.close()
    return losses.mean(axis=1)


def main() -> None:
    """Measure every mode and print one line each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--positions", type=int, default=40)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--simulations", type=int, default=1000, help="of the regret")
    parser.add_argument("--playouts", type=int, default=8000, help="of the rate")
    arguments = parser.parse_args()
    show_load()
    p = opening(PlannerConfig(opponents=SWIFT))
    found = list(islice(endgames(0), arguments.positions))
    alone = control(p, 1, arguments.playouts)
    for n in COUNTS[1:]:
        gain = control(p, n, arguments.playouts) / alone
        print(f"control, {n} independent searches: {gain:.2f} of one", flush=True)
    print(f"{'mode':26}{'play-outs/s':>12}{'of one':>8}   regret, points (95 %)", flush=True)
    first = None
    for name, options in modes():
        if "value" in name or "vote" in name:
            speed = "", ""  # merging differs, searching does not
        else:
            measured = rate(p, options, arguments.playouts)
            first = first or measured
            speed = f"{measured:,.0f}", f"{measured / first:.2f}"
        lost = 100 * regret(found, options, arguments.simulations, arguments.seeds)
        interval = bootstrap((lost,), np.mean, rng=0, method="percentile").confidence_interval
        text = f"{lost.mean():.1f} ({interval.low:.1f} to {interval.high:.1f})"
        print(f"{name:26}{speed[0]:>12}{speed[1]:>8}   {text}", flush=True)


if __name__ == "__main__":
    main()

"""Time and count what finds ways in a treasure hunt: ``python -m benchmarks.bench_hunt [PART]``.

table_1   531 cells, 686 arcs, 270 observation cells, d_M 10 (published: 79 s), 20 graphs
table_2   20 cells, 45 arcs, 12 observation cells: labels, all simple paths and printed pruning
printed   how often the printed pruning misses the optimum, and what it loses
growth    cost by nodes, targets and d_M
many      270 targets without d_M: what heuristics find, and how far the optimum can be
turn      one decision of a player with 7 rooms

All parts without an argument.  Seconds are CPU seconds of this process, after compiling.  Graphs
are of `sim.hunt.paths.generated`, lengths in mean arcs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.timing import show_load, timed
from experiments.stats.intervals import win_rate
from sim.hunt.benefit import Partition
from sim.hunt.paths.closure import held_karp
from sim.hunt.paths.controls import exhaustive, printed
from sim.hunt.paths.generated import random_graph
from sim.hunt.paths.growth import PUBLISHED, cost, growth
from sim.hunt.paths.labels import best, routes
from sim.hunt.paths.many import beam, insertion
from sim.hunt.reward import Weights

WEIGHTS = [Weights(12, 1, distance) for distance in (0, 0.1, 0.3, 1, 3, 6)]
"""Of the printed pruning's cases: from ways for nothing to ways that cost more than they tell."""


def table_1(graphs: int = 20) -> None:
    """Print what exact pruning takes at the size of Table I, by the distance of the goal."""
    cost(PUBLISHED)
    for far in (8.0, 12.0, 20.0, 40.0):
        costs = [cost(PUBLISHED._replace(seed=seed, far=far)) for seed in range(graphs)]
        done = [found for found in costs if found.ways >= 0]
        seconds = np.array([found.seconds if found.ways >= 0 else np.inf for found in costs])
        ways = [found.ways for found in done]
        print(
            f"goal {far:4.0f} away: median {np.median(seconds):.4f} s, "
            f"{(seconds <= 0.08).sum()} of {graphs} within 0.08 s, {graphs - len(done)} given up; "
            f"ways {min(ways)} to {max(ways)}, median {np.median(ways):.0f}; "
            f"slowest of those done {max(found.seconds for found in done):.3f} s"
        )


def table_2(graphs: int = 8) -> None:
    """Print labels beside all simple paths, in turns, on the same graphs."""
    for within in (None, 10.0, 5.0):
        for seed in range(graphs):
            graph = random_graph(20, 45, 12, seed)
            figures = []
            for search in (routes, exhaustive, printed):
                found = search(graph, 0, 19, within)
                cpu, _ = timed(lambda search=search: search(graph, 0, 19, within), 3)  # noqa: B023
                figures.append((len(found), cpu))
            (sets, labels), (paths, simple), (branches, pruned) = figures
            print(
                f"d_M {within} seed {seed}: labels {sets} ways {1e3 * labels:.2f} ms; exhaustive "
                f"{paths} paths {1e3 * simple:.1f} ms, {simple / labels:.1f} times; printed "
                f"{branches} branches {1e3 * pruned:.1f} ms"
            )


def printed_misses(graphs: int = 200) -> None:
    """Print how often the printed pruning misses the optimum, with Wilson intervals."""
    lost, share = np.zeros((graphs, len(WEIGHTS))), np.zeros((graphs, len(WEIGHTS)))
    for seed in range(graphs):
        graph = random_graph(20, 45, 12, seed)
        benefit = Partition(np.random.default_rng([9, seed]).dirichlet(np.full(12, 3.0)))
        tree, ways = printed(graph, 0, 19), routes(graph, 0, 19)
        for place, weights in enumerate(WEIGHTS):
            exact, kept = best(ways, benefit, weights), best(tree, benefit, weights)
            straight = -weights.distance * float(ways.lengths.min())
            lost[seed, place] = exact.value - kept.value
            if lost[seed, place] > 1e-9:
                share[seed, place] = lost[seed, place] / (exact.value - straight)
    missed = lost > 1e-9
    for place, weights in enumerate(WEIGHTS):
        some = share[missed[:, place], place]
        print(
            f"w_D {weights.distance}: missed {win_rate(len(some), graphs)} of {graphs}; lost "
            "there, of what measuring adds to the shortest way: median "
            f"{np.median(some) if len(some) else 0:.1%}, most {some.max(initial=0):.1%}"
        )
    print(f"all cases: missed {win_rate(int(missed.sum()), missed.size)} of {missed.size}")
    print(f"graphs with a miss: {win_rate(int(missed.any(axis=1).sum()), graphs)} of {graphs}")


def grows() -> None:
    """Print costs by nodes, targets and d_M."""
    for kind in ("nodes", "targets", "within"):
        for found in growth(kind):
            case = found.case
            print(
                f"{kind}: {case.cells} cells, {case.observation_cells} targets, d_M {case.within}, "
                f"seed {case.seed}: {found.ways} ways, {found.labels} labels, {found.seconds:.4f} s"
            )


def many() -> None:
    """Print values and bounds with 270 targets."""
    benefit = Partition(np.full(270, 1 / 270))
    for weights in (Weights(12, 0.01, 0.05), Weights(100, 0.1, 0.1), Weights(1000, 0.1, 0.1)):
        for within in (20.0, None):
            for search in (insertion, beam):
                graph = random_graph(531, 686, 270, 1)
                began = time.process_time()
                found = search(graph, benefit, weights, 0, 530, within)
                print(
                    f"{search.__name__} {tuple(weights)} d_M {within}: "
                    f"{len(found.route.measured)} targets, value {found.route.value:.2f}, at most "
                    f"{found.upper:.2f}, {time.process_time() - began:.2f} s"
                )


def turn() -> None:
    """Print what the decision of a player costs."""
    rng = np.random.default_rng(7)
    arguments = rng.random(7), rng.random((7, 7)), rng.random(7), np.empty(128)
    cpu, _ = timed(lambda: [held_karp(*arguments) for _ in range(1000)], 5)
    print(f"held_karp, 7 rooms: {1e3 * cpu:.1f} microseconds")


PARTS: dict[str, Callable[[], None]] = {
    "table_1": table_1,
    "table_2": table_2,
    "printed": printed_misses,
    "growth": grows,
    "many": many,
    "turn": turn,
}


if __name__ == "__main__":
    show_load()
    for name in sys.argv[1:] or PARTS:
        print(f"-- {name}")
        PARTS[name]()

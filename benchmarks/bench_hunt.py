"""Time and count path searches in a treasure hunt: ``python -m benchmarks.bench_hunt [PART]``.

table_1   531 cells, 686 arcs, 270 observation cells, d_M 10 (published: 79 s), 20 graphs
table_2   20 cells, 45 arcs, 12 observation cells: labels and all simple paths
turn      one decision of a player with 7 rooms

Without an argument, all parts.  Seconds are CPU seconds of this process, after compiling.  Graphs
are of `sim.hunt.paths.random_graphs`, lengths in mean arcs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.timing import measure, show_load
from sim.hunt.paths.held_karp import fill
from sim.hunt.paths.labels import routes
from sim.hunt.paths.random_graphs import cell_at_distance, random_graph
from sim.hunt.paths.simple_paths import exhaustive

MOST = 300_000
"""Maximum number of labels per case."""


class Case(NamedTuple):
    """A random hunt from cell 0 to the cell whose distance is nearest to ``far``."""

    cells: int = 531
    arcs: int = 686
    observation_cells: int = 270
    within: float | None = 10.0
    far: float = 12.0
    seed: int = 0


class Cost(NamedTuple):
    """Undominated paths and labels made, -1 if given up, and CPU seconds."""

    case: Case
    ways: int
    labels: int
    seconds: float


PUBLISHED = Case()
"""The counts of Table I of [Ferrari & Cai 2009], which does not give d_M and ends."""


def cost(case: Case) -> Cost:
    """Return the cost of labels in one case, including the graph's translation for kernels."""
    graph = random_graph(case.cells, case.arcs, case.observation_cells, case.seed)
    goal = cell_at_distance(graph, 0, case.far)
    began = time.process_time()
    try:
        ways = routes(graph, 0, goal, case.within, max_labels=MOST)
    except ValueError:
        return Cost(case, -1, -1, time.process_time() - began)
    return Cost(case, len(ways), ways.made, time.process_time() - began)


def table_1(graphs: int = 20) -> None:
    """Print the cost of exact pruning at the size of Table I, by the distance of the goal."""
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
    """Print labels next to all simple paths, in turns, on the same graphs."""
    for within in (None, 10.0, 5.0):
        for seed in range(graphs):
            graph = random_graph(20, 45, 12, seed)
            figures = []
            for search in (routes, exhaustive):
                found = search(graph, 0, 19, within)
                cpu, _ = measure(lambda search=search: search(graph, 0, 19, within), 3)  # noqa: B023
                figures.append((len(found), cpu))
            (sets, labels), (paths, simple) = figures
            print(
                f"d_M {within} seed {seed}: labels {sets} ways {1e3 * labels:.2f} ms; exhaustive "
                f"{paths} paths {1e3 * simple:.1f} ms, {simple / labels:.1f} times"
            )


def turn() -> None:
    """Print the cost of a player's decision."""
    rng = np.random.default_rng(7)
    from_start, between, to_goal = rng.random(7), rng.random((7, 7)), rng.random(7)
    seen, table = 1 << np.arange(7), np.empty((128, 7))

    def decide() -> None:
        fill(from_start, between, seen, table)
        (table + to_goal).min(axis=1)

    cpu, _ = measure(lambda: [decide() for _ in range(1000)], 5)
    print(f"Held-Karp, 7 rooms: {1e3 * cpu:.1f} microseconds")


PARTS: dict[str, Callable[[], None]] = {"table_1": table_1, "table_2": table_2, "turn": turn}


if __name__ == "__main__":
    show_load()
    for name in sys.argv[1:] or PARTS:
        print(f"-- {name}")
        PARTS[name]()

"""Time and count path searches in a treasure hunt: ``python -m benchmarks.bench_hunt [PART]``.

table_1   531 cells, 686 arcs, 270 observation cells, d_M 10 (published: 79 s), 20 graphs
table_2   20 cells, 45 arcs, 12 observation cells: labels, all simple paths and printed pruning
maze      a maze in which the printed pruning loses
turn      one decision of a player with 7 rooms

Without an argument, all parts.  Seconds are CPU seconds of this process, after compiling.  Graphs
are of `sim.hunt.paths.random_graphs`, lengths in mean arcs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import networkx as nx
import numpy as np

from benchmarks.timing import measure, show_load
from experiments.tables.printed_pruning import prune_as_printed
from sim.hunt.measurements import Partition
from sim.hunt.paths.held_karp import fill
from sim.hunt.paths.labels import best, routes
from sim.hunt.paths.random_graphs import cell_at_distance, random_graph
from sim.hunt.paths.simple_paths import exhaustive
from sim.hunt.reward import Weights

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
            for search in (routes, exhaustive, prune_as_printed):
                found = search(graph, 0, 19, within)
                cpu, _ = measure(lambda search=search: search(graph, 0, 19, within), 3)  # noqa: B023
                figures.append((len(found), cpu))
            (sets, labels), (paths, simple), (branches, pruned) = figures
            print(
                f"d_M {within} seed {seed}: labels {sets} ways {1e3 * labels:.2f} ms; exhaustive "
                f"{paths} paths {1e3 * simple:.1f} ms, {simple / labels:.1f} times; printed "
                f"{branches} branches {1e3 * pruned:.1f} ms"
            )


def maze(seed: int = 2) -> None:
    """Print the value of the best path through a maze, by labels, printed pruning, simple paths.

    8 x 8 squares, 10 passages in addition to a spanning tree, 7 targets, from corner to corner; the
    treasure is in one of the targets or in none, all equally likely.
    """
    made = random_maze(8, 10, 7, seed)
    benefit, weights = Partition(np.full(7, 1 / 8)), Weights(12, 1, 0.25)
    for search in (routes, prune_as_printed, exhaustive):
        found = best(search(made, (0, 0), (7, 7)), benefit, weights)
        print(f"{search.__name__}: value {found.value:.2f}, {len(found.measured)} measured")


def random_maze(side: int, loops: int, targets: int, seed: int) -> nx.Graph:
    """Return a maze of ``side`` x ``side`` squares: a spanning tree and ``loops`` more passages.

    A target is seen from its own square only.
    """
    full = nx.grid_2d_graph(side, side)
    rng = np.random.default_rng(seed)
    chance = dict(zip(full.edges, rng.random(full.number_of_edges()).tolist(), strict=True))
    nx.set_edge_attributes(full, chance, "chance")
    tree = nx.minimum_spanning_tree(full, weight="chance")
    closed = [edge for edge in full.edges if not tree.has_edge(*edge)]
    opened = rng.permutation(len(closed))[:loops].tolist()
    free = sorted(set(full) - {(0, 0), (side - 1, side - 1)})
    drawn = np.random.default_rng([seed, 1]).permutation(len(free))[:targets].tolist()
    target = {free[place]: (number,) for number, place in enumerate(drawn)}
    made = nx.Graph()
    for square in sorted(full, key=lambda at: at[::-1]):
        made.add_node(square, targets=target.get(square, ()))
    arcs = [*tree.edges, *(closed[number] for number in opened)]
    rows = [tuple(sorted(arc, key=lambda at: at[::-1])) for arc in arcs]
    made.add_edges_from(sorted(rows, key=lambda arc: (arc[0][::-1], arc[1][::-1])), length=1.0)
    return made


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


PARTS: dict[str, Callable[[], None]] = {
    "table_1": table_1,
    "table_2": table_2,
    "maze": maze,
    "turn": turn,
}


if __name__ == "__main__":
    show_load()
    for name in sys.argv[1:] or PARTS:
        print(f"-- {name}")
        PARTS[name]()

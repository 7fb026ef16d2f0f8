"""Time and count what finds ways in a treasure hunt: ``python -m benchmarks.bench_hunt [PART]``.

table_1   531 cells, 686 arcs, 270 observation cells, d_M 10 (published: 79 s), 20 graphs
table_2   20 cells, 45 arcs, 12 observation cells: labels, all simple paths and printed pruning
growth    cost by nodes, targets and d_M
sizes     labels and all simple paths by cells, targets and d_M, between two cells at random
maze      a maze in which the printed pruning loses
many      270 targets: the way by insertion, and an upper bound on the optimum
turn      one decision of a player with 7 rooms

All parts without an argument.  Seconds are CPU seconds of this process, after compiling.  Graphs
are of `sim.hunt.paths.random_graphs`, lengths in mean arcs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import networkx as nx
import numpy as np
import shapely

from benchmarks.timing import measure, show_load
from experiments.tables.printed_pruning import prune_as_printed
from sim.hunt.benefit import Partition
from sim.hunt.geometry import connectivity
from sim.hunt.geometry.workspace import Workspace
from sim.hunt.paths.held_karp import fill, finish
from sim.hunt.paths.insertion import insertion
from sim.hunt.paths.labels import best, routes
from sim.hunt.paths.random_graphs import cell_at_distance, random_graph
from sim.hunt.paths.simple_paths import exhaustive
from sim.hunt.reward import Weights

MOST = 300_000
"""Labels after which a case is given up."""


class Case(NamedTuple):
    """A random hunt from cell 0 to the cell whose distance is nearest to ``far``."""

    cells: int = 531
    arcs: int = 686
    observation_cells: int = 270
    within: float | None = 10.0
    far: float = 12.0
    seed: int = 0


class Cost(NamedTuple):
    """Ways that no other dominates and labels made, -1 if given up, and CPU seconds."""

    case: Case
    ways: int
    labels: int
    seconds: float


PUBLISHED = Case()
"""Table I of [Ferrari & Cai 2009] in its counts; d_M and ends are not given there."""


def cost(case: Case) -> Cost:
    """Return the cost of labels in one case, the graph's translation for kernels included."""
    graph = random_graph(case.cells, case.arcs, case.observation_cells, case.seed)
    goal = cell_at_distance(graph, 0, case.far)
    began = time.process_time()
    try:
        ways = routes(graph, 0, goal, case.within, most=MOST)
    except ValueError:
        return Cost(case, -1, -1, time.process_time() - began)
    return Cost(case, len(ways), ways.made, time.process_time() - began)


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


def grows(graphs: int = 5) -> None:
    """Print costs by nodes, targets and d_M."""
    cases = {
        "nodes": [
            PUBLISHED._replace(cells=n, arcs=n * 686 // 531, observation_cells=n * 270 // 531)
            for n in (100, 250, 531, 1000, 2500, 5000)
        ],
        "targets": [
            PUBLISHED._replace(observation_cells=n) for n in (10, 30, 90, 180, 270, 400, 531)
        ],
        "within": [PUBLISHED._replace(within=float(d)) for d in (0, 2, 4, 6, 8, 10, 12, 14, 16)],
    }
    for kind, some in cases.items():
        for case in some:
            for seed in range(graphs):
                found = cost(case._replace(seed=seed))
                print(
                    f"{kind}: {case.cells} cells, {case.observation_cells} targets, d_M "
                    f"{case.within}, seed {seed}: {found.ways} ways, {found.labels} labels, "
                    f"{found.seconds:.4f} s"
                )


def sizes(graphs: int = 3) -> None:
    """Print labels beside all simple paths by cells, targets and d_M, from cell 0 to cell 1.

    A search is given up after a million labels, or five million paths; larger ones as well.
    """
    base = {"cells": 1000, "targets": 100, "within": 2.0}
    grid = {
        "cells": (20, 50, 100, 200, 500, 1000, 2000, 5000),
        "targets": (5, 10, 20, 50, 100, 200, 400),
        "within": (0, 0.5, 1, 2, 3, 4),
    }
    solvers = {"labels": partial(routes, most=1_000_000), "all simple paths": exhaustive}
    for varied, steps in grid.items():
        for name, solver in solvers.items():
            for at in steps:
                size = {**base, varied: at}
                cells = int(size["cells"])
                observed = min(cells, max(round(270 / 531 * cells), int(size["targets"])))
                counts = cells, max(cells - 1, round(686 / 531 * cells)), observed
                targets = min(observed, int(size["targets"]))
                seconds = []
                for seed in range(graphs):
                    graph = random_graph(*counts, seed, targets)
                    began = time.process_time()
                    try:
                        solver(graph, 0, 1, size["within"])
                    except ValueError:
                        break
                    seconds.append(time.process_time() - began)
                if len(seconds) < graphs:
                    print(f"{varied} {at:g}: {name} given up")
                    break
                low, middle, high = min(seconds), np.median(seconds), max(seconds)
                print(f"{varied} {at:g}: {name} {middle:.4f} s ({low:.4f} to {high:.4f})")


def maze(seed: int = 2) -> None:
    """Print the value of the best way through a maze, by labels, printed pruning, simple paths.

    8 x 8 squares, 10 passages beside those of a spanning tree, 7 targets, from corner to corner;
    the treasure is in one of the targets or in none, each as likely.
    """
    made = connectivity.make_graph(
        random_maze(8, 10, 7, seed), "rectangles", "taxicab", by="grid", step=1.0
    )
    start, goal = (connectivity.cell_at(made, place, place) for place in (0.5, 7.5))
    benefit, weights = Partition(np.full(7, 1 / 8)), Weights(12, 1, 0.25)
    for search in (routes, prune_as_printed, exhaustive):
        found = best(search(made, start, goal), benefit, weights)
        print(f"{search.__name__}: value {found.value:.2f}, {len(found.measured)} measured")


def random_maze(side: int, loops: int, targets: int, seed: int) -> Workspace:
    """Return a maze of ``side`` x ``side`` squares: a spanning tree and ``loops`` passages more.

    Walls have no thickness; a target is seen from its own square alone.
    """
    full = nx.grid_2d_graph(side, side)
    rng = np.random.default_rng(seed)
    chance = dict(zip(full.edges, rng.random(full.number_of_edges()).tolist(), strict=True))
    nx.set_edge_attributes(full, chance, "chance")
    tree = nx.minimum_spanning_tree(full, weight="chance")
    closed = [edge for edge in full.edges if not tree.has_edge(*edge)]
    opened = set(rng.permutation(len(closed))[:loops].tolist())
    free = sorted(set(full) - {(0, 0), (side - 1, side - 1)})
    drawn = np.random.default_rng([seed, 1]).permutation(len(free))[:targets]
    walls = []
    for number, ((x, y), (right, _)) in enumerate(closed):
        if number not in opened:
            corner = (x + 1, y) if right > x else (x, y + 1)
            walls.append(shapely.LineString([corner, (x + 1, y + 1)]))
    return Workspace(
        shapely.box(0, 0, side, side),
        obstacles=walls,
        targets=[shapely.Point(free[place][0] + 0.5, free[place][1] + 0.5) for place in drawn],
        sensor=shapely.box(-0.5, -0.5, 0.5, 0.5),
    )


def many() -> None:
    """Print values and bounds of insertion with 270 targets."""
    benefit = Partition(np.full(270, 1 / 270))
    for weights in (Weights(12, 0.01, 0.05), Weights(100, 0.1, 0.1), Weights(1000, 0.1, 0.1)):
        for within in (20.0, None):
            graph = random_graph(531, 686, 270, 1)
            began = time.process_time()
            found = insertion(graph, benefit, weights, 0, 530, within)
            print(
                f"{tuple(weights)} d_M {within}: {len(found.route.measured)} targets, value "
                f"{found.route.value:.2f}, at most {found.upper:.2f}, "
                f"{time.process_time() - began:.2f} s"
            )


def turn() -> None:
    """Print what the decision of a player costs."""
    rng = np.random.default_rng(7)
    from_start, between, to_goal = rng.random(7), rng.random((7, 7)), rng.random(7)
    seen, table, shortest = 1 << np.arange(7), np.empty((128, 7)), np.empty(128)

    def decide() -> None:
        fill(from_start, between, seen, table)
        finish(table, to_goal, shortest)

    cpu, _ = measure(lambda: [decide() for _ in range(1000)], 5)
    print(f"Held-Karp, 7 rooms: {1e3 * cpu:.1f} microseconds")


PARTS: dict[str, Callable[[], None]] = {
    "table_1": table_1,
    "table_2": table_2,
    "growth": grows,
    "sizes": sizes,
    "maze": maze,
    "many": many,
    "turn": turn,
}


if __name__ == "__main__":
    show_load()
    for name in sys.argv[1:] or PARTS:
        print(f"-- {name}")
        PARTS[name]()

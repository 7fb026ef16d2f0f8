"""Computations on trees of paths: Tables I to III of [Ferrari & Cai 2009], and its App. III.

Each public function takes a seed and the number of timings.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any

import networkx as nx
import numpy as np

from experiments.tables.figure import Figure
from experiments.tables.printed_pruning import prune_as_printed
from sim.hunt.measurements import Partition
from sim.hunt.paths import labels
from sim.hunt.paths.random_graphs import cell_at_distance, random_graph
from sim.hunt.paths.simple_paths import exhaustive
from sim.hunt.reward import Weights

Figures = dict[tuple[str, str], Figure]
"""Figures by line and column."""

Solver = Callable[[nx.Graph, int, int, float | None], Any]

LABELS, SIMPLE, PRINTED = "labels", "simple", "printed"
SOLVERS: Mapping[str, Solver] = {LABELS: partial(labels.routes, every=True), SIMPLE: exhaustive}
"""Solvers that build the tree of paths between two cells: ours, and all simple paths."""

GRAPHS = 7
"""Number of random graphs per size, with seeds seed, seed + 1, ..."""

LARGE, SMALL, TWENTY = (531, 686, 270), (51, 106, 43), (20, 45, 12)
"""Nodes, arcs and observation cells."""

WITHIN_LARGE, WITHIN_SMALL = 10.0, 1.0
"""d_M of Table I, which the paper does not state."""

SHORTEST = 10.5
"""Mean arcs between start and goal in Table I: as many as the shortest paths of Table III."""


def measure_by_size(seed: int, repeats: int) -> Figures:
    """Return branches and seconds for Table I over `GRAPHS` graphs of each size.

    The goal is the cell whose distance is nearest to `SHORTEST`.
    """
    found: Figures = {}
    for name, size, within, columns in (
        ("large", LARGE, WITHIN_LARGE, (LABELS,)),
        ("small", SMALL, WITHIN_SMALL, (LABELS, SIMPLE)),
    ):
        graphs = [random_graph(*size, seed + number) for number in range(GRAPHS)]
        hunts = [(graph, 0, cell_at_distance(graph, 0, SHORTEST)) for graph in graphs]
        found |= _measure_trees(name, hunts, within, columns, repeats)
    return found


def measure_by_distance(seed: int, repeats: int) -> Figures:
    """Return branches, slices and seconds for Table II, by d_M, between two random cells."""
    hunts = [(random_graph(*TWENTY, seed + number), 0, 1) for number in range(GRAPHS)]
    found: Figures = {}
    for within in (None, 10.0, 5.0):
        found |= _measure_trees(f"{within}", hunts, within, tuple(SOLVERS), repeats)
    return found


def _measure_trees(
    name: str,
    hunts: Sequence[tuple[nx.Graph, int, int]],
    within: float | None,
    columns: tuple[str, ...],
    repeats: int,
) -> Figures:
    """Return median, minimum and maximum over the trees of hunts of one size, by column."""
    values: dict[tuple[str, str], list[float]] = {}
    for graph, start, goal in hunts:
        seconds = {}
        for column in columns:
            solve = partial(SOLVERS[column], graph, start, goal, within)
            solve()  # compiles before the timing
            tree, seconds[column] = _time(solve, repeats)
            measured: dict[str, float] = {"branches": len(tree), "seconds": seconds[column]}
            if len(graph) == TWENTY[0]:
                measured["slices"] = max(len(tree.cells(path)) for path in range(len(tree)))
            for quantity, value in measured.items():
                values.setdefault((f"{name} {quantity}", column), []).append(value)
        if {LABELS, SIMPLE} <= set(seconds):
            ratio = seconds[SIMPLE] / seconds[LABELS]
            values.setdefault((f"{name} ratio", SIMPLE), []).append(ratio)
    return {
        cell: Figure(float(median(found)), min(found), max(found)) for cell, found in values.items()
    }


def _time(solve: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """Return a tree and its median CPU seconds."""
    seconds = []
    for _ in range(repeats):
        began = time.process_time()
        tree = solve()
        seconds.append(time.process_time() - began)
    return tree, median(seconds)


CASES = 200
"""Number of random graphs of size `TWENTY` pruned as printed."""

DISTANCE_WEIGHTS = (0, 0.1, 0.3, 1, 3, 6)
"""w_D: from free paths to paths that cost more than they reveal."""

LEAST = 1e-9
"""Tolerance in value: a smaller deficit is no miss."""


def count_misses(seed: int, repeats: int = 1) -> Figures:
    """Return how often the printed pruning misses the optimum, and its loss there, by w_D.

    Over `CASES` graphs of 20 cells, from cell 0 to cell 19.
    """
    share = np.zeros((CASES, len(DISTANCE_WEIGHTS)))
    missed = np.zeros(share.shape, bool)
    for case in range(CASES):
        graph = random_graph(*TWENTY, seed + case)
        places = np.random.default_rng([9, seed + case]).dirichlet(np.full(TWENTY[2], 3.0))
        benefit, last = Partition(places), TWENTY[0] - 1
        tree, ways = prune_as_printed(graph, 0, last), labels.routes(graph, 0, last)
        for at, distance in enumerate(DISTANCE_WEIGHTS):
            weights = Weights(12, 1, distance)
            exact, kept = (
                labels.best(found, benefit, weights).value  # type: ignore[arg-type]
                for found in (ways, tree)
            )
            if exact - kept > LEAST:
                missed[case, at] = True
                share[case, at] = (exact - kept) / (exact + distance * float(ways.lengths.min()))
    found = {
        ("all", PRINTED): Figure.from_wins(int(missed.sum()), missed.size),
        ("any", PRINTED): Figure.from_wins(int(missed.any(axis=1).sum()), CASES),
    }
    for at, distance in enumerate(DISTANCE_WEIGHTS):
        name, there = f"w_D {distance}", share[missed[:, at], at]
        found[name, PRINTED] = Figure.from_wins(len(there), CASES)
        if len(there):
            least, middle, most = np.quantile(there, (0, 0.5, 1)).tolist()
            found[f"lost at {name}", PRINTED] = Figure(middle, least, most)
    return found


ROOMS = 7
"""Nine rooms minus the two in the hand of Table III's player."""

PATHS = ((0, 0), (0, 0), (12, 2), (0, 0), (0, 0), (10, 2), (0, 0), (0, 0), (12, 3))
"""Weight w_B and rooms with a suggestion on each path of Table III.

Rooms are the letters of the printed path, minus one where it uses a secret passage, which the text
allows without a suggestion.
"""


def compute_benefits(seed: int = 0, repeats: int = 1) -> Figures:
    """Return B_tot of each of `PATHS`, in nats and, as a control, in bits."""
    rooms = Partition(np.full(ROOMS, 1 / ROOMS))
    found: Figures = {}
    for number, (weight, measured) in enumerate(PATHS, 1):
        nats = weight * rooms.value(range(measured))
        found[f"path {number}", "nats"] = Figure(nats)
        found[f"path {number}", "bits"] = Figure(nats / math.log(2))
    return found

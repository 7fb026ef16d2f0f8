"""Computations on trees of paths: Tables I to III of [Ferrari & Cai 2009].

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
from sim.hunt.measurements import Partition
from sim.hunt.paths import labels
from sim.hunt.paths.random_graphs import cell_at_distance, random_graph
from sim.hunt.paths.simple_paths import exhaustive

Figures = dict[tuple[str, str], Figure]
"""Figures by line and column."""

Solver = Callable[[nx.Graph, int, int, float | None], Any]

LABELS, SIMPLE = "labels", "simple"
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

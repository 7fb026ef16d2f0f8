"""Tables I to III of [Ferrari & Cai 2009]: the treasure hunt, which plays no games."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import median
from typing import Any

import networkx as nx
import numpy as np

from experiments.tables.computed import figure
from experiments.tables.figures import Figure, Quantity
from experiments.tables.printed_pruning import prune_as_printed
from experiments.tables.rows import Cause, Paper, Row
from sim.hunt.benefit import Partition
from sim.hunt.paths import labels
from sim.hunt.paths.random_graphs import cell_at_distance, random_graph
from sim.hunt.paths.simple_paths import exhaustive

PUBLISHED = "paper"

B_TOT = Quantity("B_tot", figure, digits=3)
D_TOT = Quantity("D_tot, bins", figure)

BRANCHES = Quantity("branches", figure, digits=0)
SLICES = Quantity("time slices, of the longest branch", figure, digits=0)
SECONDS = Quantity("seconds", figure, digits=5)
RATIO = Quantity("seconds of all simple paths, by those of labels", figure)

LABELS, PRINTED, SIMPLE = "ours, labels", "ours, as printed", "ours, all simple paths"
"""Columns of Tables I and II; the second is the printed algorithm, mended so that it ends."""

GRAPHS = 7
"""Random graphs of each size; seed, seed + 1, ..."""

LARGE, SMALL, TWENTY = (531, 686, 270), (51, 106, 43), (20, 45, 12)
"""Nodes, arcs and observation cells."""

WITHIN_LARGE, WITHIN_SMALL = 10.0, 1.0
"""d_M of Table I, which does not state it."""

Solver = Callable[[nx.Graph, int, int, float | None], Any]
SOLVERS: Mapping[str, Solver] = {
    LABELS: lambda graph, start, goal, within: labels.routes(
        graph, start, goal, within, every=True
    ),
    PRINTED: prune_as_printed,
    SIMPLE: exhaustive,
}
"""What makes the tree of ways from one cell to another."""

SHORTEST = 10.5
"""Mean arcs between the ends of Table I's graphs: as the shortest ways of Table III have it."""


def table_one(seed: int, repeats: int) -> Mapping[tuple[str, str], Figure]:
    """Return branches and seconds for Table I, over `GRAPHS` graphs of each size.

    The goal is the cell whose distance is nearest to `SHORTEST`.
    """
    found: dict[tuple[str, str], Figure] = {}
    for name, size, within, columns in (
        ("large", LARGE, WITHIN_LARGE, (LABELS, PRINTED)),
        ("small", SMALL, WITHIN_SMALL, (LABELS, SIMPLE)),
    ):
        graphs = [random_graph(*size, seed + number) for number in range(GRAPHS)]
        hunts = [(graph, 0, cell_at_distance(graph, 0, SHORTEST)) for graph in graphs]
        found |= _trees(name, hunts, within, columns, repeats)
    return found


def table_two(seed: int, repeats: int) -> Mapping[tuple[str, str], Figure]:
    """Return branches, slices and seconds for Table II, by d_M, between two cells at random."""
    hunts = [(random_graph(*TWENTY, seed + number), 0, 1) for number in range(GRAPHS)]
    found: dict[tuple[str, str], Figure] = {}
    for within in (None, 10.0, 5.0):
        found |= _trees(f"{within}", hunts, within, tuple(SOLVERS), repeats)
    return found


def _trees(
    name: str,
    hunts: Sequence[tuple[nx.Graph, int, int]],
    within: float | None,
    columns: tuple[str, ...],
    repeats: int,
) -> dict[tuple[str, str], Figure]:
    """Return what trees of hunts of one size are like: median, least and most, by column."""
    kept: dict[tuple[str, str], list[float]] = {}
    for graph, start, goal in hunts:
        seconds = {}
        for column in columns:
            SOLVERS[column](graph, start, goal, within)  # compiled
            solver = partial(SOLVERS[column], graph, start, goal, within)
            tree, seconds[column] = _timed(solver, repeats)
            told = {"branches": len(tree), "seconds": seconds[column]}
            if len(graph) == TWENTY[0]:
                told["slices"] = max(len(tree.cells(way)) for way in range(len(tree)))
            for what, value in told.items():
                kept.setdefault((f"{name} {what}", column), []).append(value)
        if {LABELS, SIMPLE} <= set(seconds):
            ratio = seconds[SIMPLE] / seconds[LABELS]
            kept.setdefault((f"{name} ratio", SIMPLE), []).append(ratio)
    return {
        cell: Figure(float(median(values)), min(values), max(values))
        for cell, values in kept.items()
    }


def _timed(solver: Callable[[], Any], repeats: int) -> tuple[Any, float]:
    """Return a tree and the median of the CPU seconds that it takes."""
    taken = []
    for _ in range(repeats):
        began = time.process_time()
        tree = solver()
        taken.append(time.process_time() - began)
    return tree, median(taken)


PRUNED = {None: (16, 17, 7), 10.0: (8, 15, 3), 5.0: (4, 9, 1)}
EXHAUSTED = {None: (34835, 19, 1570), 10.0: (27452, 19, 1064), 5.0: (13693, 17, 378)}
"""Of Table II, by d_M: branches, time slices, seconds."""

CAUSES_OF = {
    "branches": {"graph": 0},
    "slices": {"graph": 0},
    "seconds": {"machine": -1},
}
"""Causes of a difference, by what is told."""


def _one() -> list[Row]:
    pruned, exhausted = (
        f"{method}: {nodes} nodes, {arcs} arcs, {cells} observation cells"
        for method, (nodes, arcs, cells) in (("pruning", LARGE), ("exhaustive", SMALL))
    )
    ours = (LABELS, SIMPLE)
    return [
        _row(pruned, BRANCHES, "large branches", (LABELS, PRINTED), 48, ("graph",)),
        _row(pruned, SECONDS, "large seconds", (LABELS, PRINTED), 79),
        _row(exhausted, BRANCHES, "small branches", ours, 51, ("tree",)),
        _row(exhausted, SECONDS, "small seconds", ours, 87),
        Row(exhausted, RATIO, {SIMPLE: ("small ratio", SIMPLE)}),
    ]


def _two() -> list[Row]:
    rows = []
    for within, (branches, slices, seconds) in PRUNED.items():
        name, both = f"pruning, d_M {_told(within)}", (LABELS, PRINTED)
        rows += [
            _row(name, BRANCHES, f"{within} branches", both, branches),
            _row(name, SLICES, f"{within} slices", both, slices),
            _row(name, SECONDS, f"{within} seconds", both, seconds),
        ]
    for within, (branches, slices, seconds) in EXHAUSTED.items():
        name, notes = f"exhaustive, d_M {_told(within)}", () if within else ("paths",)
        rows += [
            _row(name, BRANCHES, f"{within} branches", (SIMPLE,), branches, notes),
            _row(name, SLICES, f"{within} slices", (SIMPLE,), slices),
            _row(name, SECONDS, f"{within} seconds", (SIMPLE,), seconds),
            Row(name, RATIO, {SIMPLE: (f"{within} ratio", SIMPLE)}),
        ]
    return rows


def _told(within: float | None) -> str:
    return "none" if within is None else f"{within:g}"


def _row(
    name: str,
    quantity: Quantity,
    line: str,
    columns: tuple[str, ...],
    printed: float,
    notes: tuple[str, ...] = (),
) -> Row:
    """Return a line with a printed figure and ours in some columns."""
    cells = {column: (line, column) for column in columns}
    causes = dict.fromkeys(columns, CAUSES_OF[line.split()[1]])
    if quantity is BRANCHES and LABELS in columns:
        causes[LABELS] = {"graph": 0, "kept": 1}
    return Row(name, quantity, cells, {PUBLISHED: Figure(printed)}, causes, notes)


ROOMS = 7
"""Nine less the two that the player of the table holds itself."""

NATS, BITS = "ours, nats", "ours, bits"

PATHS = (
    ("1 to 18", (0, 0), 0, 0, 10.5),
    ("1 to 18", (0, 12), 0, 0, 11.5),
    ("1 to 18", (12, 0), 2, 9.55, 14.5),
    ("1 to 51", (0, 0), 0, 0, 10.5),
    ("1 to 51", (0, 6), 0, 0, 21.5),
    ("1 to 51", (10, 6), 2, 7.96, 10.5),
    ("100 to 22", (0, 0), 0, 0, 7),
    ("100 to 22", (0, 6), 0, 0, 18),
    ("100 to 22", (12, 0), 3, 13.84, 11),
)
"""Of Table III: cells, w_B and w_D, rooms in which something is suggested, B_tot, D_tot.

The rooms are the letters of the printed path, less one where it goes through a secret passage: as
the text has it, a pawn may use one without a suggestion.
"""


def benefits(seed: int = 0, repeats: int = 1) -> Mapping[tuple[str, str], Figure]:
    """Return B_tot of each path of `PATHS`, in nats and as the control in bits."""
    rooms = Partition(np.full(ROOMS, 1 / ROOMS))
    found = {}
    for number, (_, (weight, _), measured, _, _) in enumerate(PATHS):
        nats = weight * rooms.value(range(measured))
        found[_line(number), NATS] = Figure(nats)
        found[_line(number), BITS] = Figure(nats / math.log(2))
    return found


def _line(number: int) -> str:
    return f"path {number + 1}"


def _printed(value: float) -> Figure:
    """Return a figure of which two decimals are printed, whether cut off or rounded."""
    return Figure(value, value - 0.005, value + 0.01) if value else Figure(value)


def _three() -> list[Row]:
    rows = []
    for number, (ends, (benefit, distance), rooms, worth, length) in enumerate(PATHS):
        name = f"{ends}, w_B {benefit}, w_D {distance}"
        told = f"{name}, {rooms} rooms" if rooms else name
        cells = {column: (_line(number), column) for column in (NATS, BITS)}
        swapped = ("swapped",) if not benefit else ()
        notes = ("passage",) if ends == "1 to 51" and benefit else swapped
        published = {PUBLISHED: _printed(worth)}
        rows.append(Row(told, B_TOT, cells, published, {BITS: {"bits": 1}}, notes))
        rows.append(Row(name, D_TOT, {}, {PUBLISHED: Figure(length)}, notes=("figure",)))
    return rows


CAUSES = {
    "graph": Cause(
        "The graphs of the paper are not published. Ours are random, planar and of the same counts "
        "(`sim.hunt.paths.random_graphs`), with the mean arc as the unit of d_M; the two ends are "
        "not given either: in Table I those of ours are 10.5 mean arcs apart, as the shortest "
        "ways of Table III are, in Table II two cells at random. Table I does not state its d_M; "
        "here it is 10 for the large graphs and 1 for the small ones."
    ),
    "kept": Cause(
        "*Labels* keep each set of targets that can be measured within d_M, with its shortest way, "
        "as the text promises. The printed algorithm drops most of them, the optimum among them in "
        "part of the cases."
    ),
    "machine": Cause(
        "A Pentium 4 of 3.06 GHz with MATLAB, and compiled code on a core of today. The ratio of "
        "methods is within one run.",
        tested=False,
    ),
    "tree": Cause(
        "All simple paths of a graph with 51 nodes and 106 arcs are far more than 51, unless d_M "
        "is small: here it is 1, and with 4 they are thousands. The paper does not say."
    ),
    "paths": Cause(
        "34,835 branches of at most 19 cells are all simple paths of a graph of 20 nodes: ours "
        "have as many."
    ),
    "bits": Cause(
        "The control: in bits, as eq. 3 defines entropy, B_tot is larger by 1 / ln 2. The table is "
        "in nats, w_B included."
    ),
    "swapped": Cause(
        "Nothing is measured, as w_B is 0. The weights of the first two lines of each block are "
        "exchanged in the print: with w_D > 0 and no benefit the shortest path wins, and without "
        "any weight all paths are worth the same."
    ),
    "passage": Cause(
        "By the letters the path meets three rooms, and B_tot is that of two. A third would be "
        "worth 3.57 and cost 1, so that the optimum measures it, unless it is one of the player's "
        "own."
    ),
    "figure": Cause(
        "Not reproduced: the cells of the mansion are numbered in a figure that is not at hand. "
        "`python -m experiments.hunt mansion` has our cells and routes."
    ),
}
"""By key, in no order: a table numbers those that it has."""

ABOUT = (
    "Tables I and II: CPU seconds, compiled; ours are the median of seven random graphs, with the "
    "least and the most in brackets. *Labels*: one way for each set of targets that can be "
    "measured. *As printed*: Appendix III, mended so that it ends.",
    "Table III: *published* B_tot has two decimals, whether cut off or rounded, and so an interval "
    "of their width. Ours: w_B I(y; z) for a room card that is any of seven, after suggestions in "
    "the rooms of the path (`sim.hunt.benefit.Partition`).",
)

PAPER = Paper(
    sources={PUBLISHED: "published"},
    about=ABOUT,
    causes=CAUSES,
    rows={"ferrari_1": _one(), "ferrari_2": _two(), "ferrari_3": _three()},
    computed={"ferrari_1": table_one, "ferrari_2": table_two, "ferrari_3": benefits},
)

"""The best way by shortest distances between cells, and Held-Karp over sets of targets.

Only the cells that show something matter: the way between two of them is a shortest one, and what
is passed on it may be left unmeasured.  So a way is an order of such cells, and with L(S, c) the
shortest length that ends in c and has seen the set S of targets [Held & Karp 1962],

    L(S + seen(c), c) = min over c' of L(S, c') + d(c', c).

Exact for up to `MOST_TARGETS` targets, whatever the size of the graph: 2^targets x cells that show
some.  Several cells may show one target, and a cell may show several.  Beyond, see
`sim.hunt.paths.labels` (few detours) and `sim.hunt.paths.many` (bounds).
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import pairwise
from typing import NamedTuple

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from mcts.kernel.compile import jit, jit_owning
from sim.hunt.benefit import Benefit
from sim.hunt.graph import Connectivity, compiled
from sim.hunt.paths.worth import Worth, cell_number
from sim.hunt.reward import Route, Weights

MOST_TARGETS = 20
MOST_ENTRIES = 1 << 26
"""Entries of the table, (sets, cells) of 8 bytes: half a gigabyte."""


class Distances(NamedTuple):
    """Shortest ways from some cells to all."""

    length: np.ndarray
    """float64 (sources, cells), infinite where there is no way."""
    before: np.ndarray
    """int32 (sources, cells): the cell before the last one; negative at the source."""


def distances(net: Connectivity, sources: np.ndarray) -> Distances:
    """Return the shortest ways from the cells of number ``sources`` to all cells [Dijkstra]."""
    cells = len(net.first) - 1
    arcs = csr_array((net.length, net.neighbour, net.first), shape=(cells, cells))
    return Distances(*dijkstra(arcs, indices=sources, return_predecessors=True))


def walked(before: np.ndarray, end: int) -> list[int]:
    """Return the cells of the shortest way to ``end``, by one row of `Distances.before`."""
    way = [end]
    while before[way[-1]] >= 0:
        way.append(int(before[way[-1]]))
    return way[::-1]


@jit
def fill(from_start: np.ndarray, between: np.ndarray, seen: np.ndarray, table: np.ndarray) -> None:
    """Fill ``table``, float64 (2**targets, cells): shortest length by set seen and last cell.

    Parameters
    ----------
    from_start : float64 (cells,)
    between : float64 (cells, cells), from row to column
    seen : int64 (cells,): the set that each cell shows, not empty, bit i for target i
    """
    cells = len(from_start)
    table[:] = np.inf
    for cell in range(cells):
        table[seen[cell], cell] = from_start[cell]
    for chosen in range(len(table)):
        for last in range(cells):
            length = table[chosen, last]
            if length == np.inf:
                continue
            for cell in range(cells):
                more = chosen | seen[cell]
                if more != chosen and length + between[last, cell] < table[more, cell]:
                    table[more, cell] = length + between[last, cell]


@jit
def finish(table: np.ndarray, to_goal: np.ndarray, out: np.ndarray) -> None:
    """Set ``out``, float64 (2**targets,), to the shortest length of each set; 0 for none."""
    out[0] = 0.0
    for chosen in range(1, len(table)):
        shortest = np.inf
        for last in range(len(to_goal)):
            shortest = min(shortest, table[chosen, last] + to_goal[last])
        out[chosen] = shortest


@jit_owning
def held_karp(
    from_start: np.ndarray, between: np.ndarray, to_goal: np.ndarray, out: np.ndarray
) -> None:
    """Set ``out`` to the shortest length through every subset of r places, each seen there alone.

    Parameters
    ----------
    from_start : float64 (r,): from the start to each place
    between : float64 (r, r): from the place of the row to that of the column; need not be symmetric
    to_goal : float64 (r,): from each place to the goal; zeros if a way may end anywhere
    out : float64 (2**r,), filled: place i is bit i of the index; 0 for the empty set, for which the
        caller knows the length from start to goal
    """
    places = len(from_start)
    seen = np.empty(places, np.int64)
    for place in range(places):
        seen[place] = 1 << place
    table = np.empty((1 << places, places), np.float64)
    fill(from_start, between, seen, table)
    finish(table, to_goal, out)


def best(
    graph: nx.Graph,
    benefit: Benefit,
    weights: Weights,
    start: Hashable,
    goal: Hashable | None = None,
    cost: np.ndarray | None = None,
) -> Route:
    """Return the best way from ``start`` to ``goal``, exactly.

    Parameters
    ----------
    goal : where the way must end; anywhere if None
    cost : J of each target's test, float64 (targets,); 1 each if None

    Raises
    ------
    ValueError
        If start or goal are no cells, there is no way between them, there are more than
        `MOST_TARGETS` targets, or the table would not fit.
    """
    net = compiled(graph)
    first = cell_number(graph, start, "start")
    last = None if goal is None else cell_number(graph, goal, "goal")
    if net.targets > MOST_TARGETS:
        raise ValueError(
            f"{net.targets} targets are too many for all their sets (at most {MOST_TARGETS}): use "
            "sim.hunt.paths.labels with a small `within`, or sim.hunt.paths.many"
        )
    observed = np.flatnonzero(net.seen[:, 0])
    if len(observed) << net.targets > MOST_ENTRIES:
        raise ValueError(
            f"{len(observed)} cells and {net.targets} targets need a table of more than "
            f"{MOST_ENTRIES} entries: use sim.hunt.paths.labels with a small `within`"
        )
    stops = np.concatenate([[first], observed])
    ways = distances(net, stops)
    straight = 0.0 if last is None else float(ways.length[0, last])
    if straight == np.inf:
        raise ValueError(f"there is no way from {start!r} to {goal!r}")
    to_goal = np.zeros(len(observed)) if last is None else ways.length[1:, last].copy()
    seen = net.seen[observed, 0].astype(np.int64)
    between = np.ascontiguousarray(ways.length[1:, observed])
    table, shortest = np.empty((1 << net.targets, len(observed))), np.empty(1 << net.targets)
    fill(ways.length[0, observed], between, seen, table)
    finish(table, to_goal, shortest)
    _decline(shortest, net.targets)
    shortest[0] = straight
    sets = np.flatnonzero(shortest < np.inf)
    choice = Worth(benefit, weights, net.targets, cost).best(
        sets.astype(np.uint64)[:, None], shortest[sets]
    )
    length, wanted = float(shortest[sets[choice.row]]), int(sets[choice.row])
    order = [0]
    if wanted:
        order += _order(table, to_goal, between, seen, wanted, length)
    cells = [first]
    for one, other in pairwise(order):
        cells += walked(ways.before[one], int(stops[other]))[1:]
    if last is not None:
        cells += walked(ways.before[order[-1]], last)[1:]
    nodes = list(graph)
    return choice.route(tuple(nodes[cell] for cell in cells), length)


def _decline(shortest: np.ndarray, targets: int) -> None:
    """Let every set be as short as the shortest that holds it: measurements may be declined."""
    for target in range(targets):
        halves = shortest.reshape(-1, 2, 1 << target)
        np.minimum(halves[:, 0], halves[:, 1], out=halves[:, 0])


def _order(
    table: np.ndarray,
    to_goal: np.ndarray,
    between: np.ndarray,
    seen: np.ndarray,
    wanted: int,
    length: float,
) -> list[int]:
    """Return the stops of a way of that ``length`` that sees ``wanted``, places from 1 on."""
    ending = np.argwhere(table + to_goal == length)
    chosen, last = next((s, c) for s, c in ending.tolist() if s & wanted == wanted)
    order = [last]
    while True:
        before = _before(table, between, seen, chosen, last)
        if before is None:
            return [place + 1 for place in reversed(order)]
        chosen, last = before
        order.append(last)


def _before(
    table: np.ndarray, between: np.ndarray, seen: np.ndarray, chosen: int, last: int
) -> tuple[int, int] | None:
    """Return the entry that (``chosen``, ``last``) was filled from; None if from the start."""
    new = int(seen[last])
    while new:  # all that the last cell may have added, [Warren 2003]'s walk over subsets
        earlier = chosen & ~new
        found = np.flatnonzero(table[earlier] + between[:, last] == table[chosen, last])
        if len(found):
            return earlier, int(found[0])
        new = (new - 1) & int(seen[last])
    return None

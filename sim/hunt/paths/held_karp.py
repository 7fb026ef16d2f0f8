"""The best path by shortest distances between cells, and Held-Karp over sets of targets.

Only observation cells matter: the path between two of them is a shortest one, and targets passed on
it may be left unmeasured.  So a path is an order of such cells, and with L(S, c) the shortest
length that ends in c and has seen the set S of targets [Held & Karp 1962],

    L(S + seen(c), c) = min over c' of L(S, c') + d(c', c).

Exact for up to `MOST_TARGETS` targets, whatever the size of the graph: 2^targets x observation
cells.  Several cells may show one target, and a cell may show several.  For more targets with few
detours, see `sim.hunt.paths.labels`.
"""

from __future__ import annotations

from collections.abc import Hashable

import networkx as nx
import numpy as np

from mcts.kernel.compile import jit
from sim.hunt.graph import unpack
from sim.hunt.measurements import Benefit
from sim.hunt.paths.distances import distances, find_ends, trace_path
from sim.hunt.paths.objective import Objective
from sim.hunt.reward import Route, Weights

MOST_TARGETS = 20
MOST_ENTRIES = 1 << 26
"""Maximum entries of the table, (sets, cells) of 8 bytes: half a gigabyte."""


@jit
def fill(from_start: np.ndarray, between: np.ndarray, seen: np.ndarray, table: np.ndarray) -> None:
    """Fill ``table``, float64 (2**targets, cells): shortest length by set seen and last cell.

    Parameters
    ----------
    from_start : float64 (cells,)
    between : float64 (cells, cells), from row to column
    seen : int64 (cells,): the non-empty set that each cell shows, bit i for target i
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


def best(
    graph: nx.Graph,
    benefit: Benefit,
    weights: Weights,
    start: Hashable,
    goal: Hashable | None = None,
    cost: np.ndarray | None = None,
) -> Route:
    """Return the best path from ``start`` to ``goal``, exactly.

    ValueError as `find_ends`, or for more than `MOST_TARGETS` targets or `MOST_ENTRIES` entries of
    the table.  ``goal``: the last cell; any if None; ``cost``: J of each target's test, float64
    (targets,); 1 each if None.
    """
    net, first, last, out, home, _ = find_ends(graph, start, goal, None)
    cells = np.flatnonzero((net.seen != 0).any(axis=1) & (out < np.inf))
    if net.targets > MOST_TARGETS or len(cells) << net.targets > MOST_ENTRIES:
        raise ValueError(
            f"{net.targets} targets shown by {len(cells)} cells are too many for all their sets "
            f"(at most {MOST_TARGETS}, and a table of {MOST_ENTRIES:,} entries): use "
            "sim.hunt.paths.labels with a small `within`"
        )
    length, before = distances(net, np.append(cells, first))
    between, to_goal = length[:-1, cells].copy(), home[cells]
    seen = unpack(net.seen[cells], net.targets) @ (1 << np.arange(net.targets))
    table = np.empty((1 << net.targets, len(cells)))
    fill(out[cells], between, seen, table)
    shortest = (table + to_goal).min(axis=1, initial=np.inf)
    for target in range(net.targets):  # a target may be left out
        halves = shortest.reshape(-1, 2, 1 << target)
        np.minimum(halves[:, 0], halves[:, 1], out=halves[:, 0])
    shortest[0] = home[first]
    sets = np.flatnonzero(shortest < np.inf)
    choice = Objective(benefit, weights, net.targets, cost).best(
        sets.astype(np.uint64)[:, None], shortest[sets]
    )
    wanted, far = int(sets[choice.row]), float(shortest[sets[choice.row]])
    order = _order(table, between, to_goal, seen, wanted, far) if wanted else []
    way, here = [first], -1
    for stop in order:
        way += trace_path(before[here], int(cells[stop]))[1:]
        here = stop
    if last is not None:
        way += trace_path(before[here], last)[1:]
    nodes = list(graph)
    return Route(tuple(nodes[cell] for cell in way), far, *choice[1:])


def _order(
    table: np.ndarray,
    between: np.ndarray,
    to_goal: np.ndarray,
    seen: np.ndarray,
    wanted: int,
    length: float,
) -> list[int]:
    """Return the cells, by index in ``seen``, of a path of ``length`` that sees ``wanted``."""
    ending = np.argwhere(table + to_goal == length)
    before = next(((s, c) for s, c in ending.tolist() if s & wanted == wanted), None)
    order = []
    while before is not None:
        order.append(before[1])
        before = _before(table, between, seen, *before)
    return order[::-1]


def _before(
    table: np.ndarray, between: np.ndarray, seen: np.ndarray, chosen: int, last: int
) -> tuple[int, int] | None:
    """Return the predecessor entry of (``chosen``, ``last``); None if that is the start."""
    new = int(seen[last])
    while new:  # all subsets that the last cell may have added [Warren 2003]
        earlier = chosen & ~new
        found = np.flatnonzero(table[earlier] + between[:, last] == table[chosen, last])
        if len(found):
            return earlier, int(found[0])
        new = (new - 1) & int(seen[last])
    return None

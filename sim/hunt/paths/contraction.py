"""A hunt's graph without void cells: what is worth passing is where something can be seen.

Between two cells that show something (or are start or goal) a way goes over void cells only, or it
is two such ways.  So an arc for the shortest way over void cells stands for all of them.  What is
too far from start and goal together is left out, and with it targets that cannot be seen.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from sim.hunt.graph import Connectivity, unpack
from sim.hunt.paths.distances import Ends
from sim.hunt.paths.frontier import Network
from sim.hunt.paths.objective import pack

VOID, OUT = -1, -2
"""Roles of cells that do not matter: on the way to others, and out of bounds."""


class Contraction(NamedTuple):
    """A hunt's graph with the cells alone that matter."""

    network: Network
    start: int
    goal: int
    limit: float
    """Longest length of a way."""
    kept: np.ndarray
    """int64 (cells that matter,): their numbers in the graph."""
    role: np.ndarray
    """int64 (all cells,): the reverse; `VOID` or `OUT`."""
    seen_from: np.ndarray
    """int64 (targets left,): their numbers in the graph."""
    net: Connectivity
    targets: int

    def masks(self, seen: np.ndarray) -> np.ndarray:
        """Return masks of all targets, uint64 (k, words), of masks of those that are left."""
        found = np.zeros((len(seen), self.targets), bool)
        found[:, self.seen_from] = unpack(seen, len(self.seen_from))
        return pack(found)

    def trace_path(self, stops: list[int]) -> list[int]:
        """Return all cells of the way over ``stops``, cells of the network."""
        if stops[-1] == len(self.kept):  # the end of ways without a goal
            stops = stops[:-1]
        scratch = _scratch(self.net)
        way = [int(self.kept[stops[0]])]
        for one, other in pairwise(stops):
            far, before, reached = scratch
            source, cell = int(self.kept[one]), int(self.kept[other])
            known = passages(*self.net[:3], self.role, source, far, before, reached)
            leg = [cell]
            while before[leg[-1]] != source:
                leg.append(int(before[leg[-1]]))
            way += leg[::-1]
            far[reached[:known]] = np.inf
        return way


def contract_graph(ends: Ends) -> Contraction:
    """Return what matters for ways between ``ends``.

    Without a goal, the network has one more cell, to which every cell has an arc of length 0.
    """
    net, start, goal, out, home, limit = ends
    role = np.where(out + home <= limit, VOID, OUT)
    role[out == np.inf] = OUT
    matters = (net.seen != 0).any(axis=1)
    matters[start] = True
    if goal is not None:
        matters[goal] = True
    kept = np.flatnonzero(matters & (role == VOID))
    role[kept] = np.arange(len(kept))
    begins, after, lengths = _arcs(net, role, kept)
    home = home[kept]
    seen_from = np.flatnonzero(unpack(net.seen[kept], net.targets).any(axis=0))
    shows = pack(unpack(net.seen[kept], net.targets)[:, seen_from])
    if goal is None:
        begins, after, lengths = _with_end(begins, after, lengths, len(kept))
        shows = np.concatenate([shows, np.zeros_like(shows[:1])])
        home = np.append(home, 0.0)
    return Contraction(
        Network(begins, after, lengths, shows, home),
        int(role[start]),
        len(kept) if goal is None else int(role[goal]),
        limit,
        kept,
        role,
        seen_from,
        net,
        net.targets,
    )


def _scratch(net: Connectivity) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ``far``, ``before`` and ``reached`` for `passages`."""
    cells = len(net.first) - 1
    return np.full(cells, np.inf), np.empty(cells, np.int64), np.empty(cells, np.int64)


def _arcs(
    net: Connectivity, role: np.ndarray, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the arcs between the cells ``kept``, as in `Network`."""
    begins, room = np.empty(len(kept) + 1, np.int64), len(net.length) + 1
    while True:
        ends, lengths = np.empty(room, np.int64), np.empty(room)
        arcs = contract(*net[:3], role, kept, *_scratch(net), begins, ends, lengths)
        if arcs >= 0:
            return begins, ends[:arcs], lengths[:arcs]
        room *= 2


def _with_end(
    begins: np.ndarray, ends: np.ndarray, lengths: np.ndarray, cells: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the arcs with one more from each cell, of length 0, to a cell without arcs."""
    after = begins[1:]
    return (
        np.append(begins + np.arange(cells + 1), begins[-1] + cells),
        np.insert(ends, after, cells),
        np.insert(lengths, after, 0.0),
    )


@jit
def passages(
    first: np.ndarray,
    neighbour: np.ndarray,
    length: np.ndarray,
    role: np.ndarray,
    source: int,
    far: np.ndarray,
    before: np.ndarray,
    reached: np.ndarray,
) -> int:
    """Find the shortest ways from ``source`` over void cells alone [Dijkstra].

    Returns how many cells are reached; ``far`` must be made infinite there before the next call.

    Parameters
    ----------
    first, neighbour, length : as `sim.hunt.graph.Connectivity`
    role : int64 (cells,): number of the cell among those that matter; `VOID`, or `OUT` of bounds
    far, before : float64 and int64 (cells,), infinite at first; filled for what is reached
    reached : int64 (cells,): filled with the cells reached, the source first
    """
    far[source], before[source], reached[0] = 0.0, source, source
    known, done = 1, 0
    while done < known:
        nearest = done
        for place in range(done + 1, known):
            if far[reached[place]] < far[reached[nearest]]:
                nearest = place
        here = reached[nearest]
        reached[nearest], reached[done] = reached[done], here
        done += 1
        if here != source and role[here] != VOID:
            continue
        for arc in range(first[here], first[here + 1]):
            there = neighbour[arc]
            if role[there] == OUT or far[here] + length[arc] >= far[there]:
                continue
            if far[there] == np.inf:
                reached[known] = there
                known += 1
            far[there], before[there] = far[here] + length[arc], here
    return known


@jit
def contract(
    first: np.ndarray,
    neighbour: np.ndarray,
    length: np.ndarray,
    role: np.ndarray,
    kept: np.ndarray,
    far: np.ndarray,
    before: np.ndarray,
    reached: np.ndarray,
    begins: np.ndarray,
    ends: np.ndarray,
    lengths: np.ndarray,
) -> int:
    """Fill the arcs between the cells ``kept``, row by row; return how many, or -1 if too many.

    Parameters
    ----------
    kept : int64 (kept,): cells by their number among those that matter
    begins : int64 (kept + 1,): as `sim.hunt.graph.Connectivity.first`
    ends, lengths : int64 and float64 (room for arcs,)
    """
    arcs = 0
    for number in range(len(kept)):
        begins[number] = arcs
        known = passages(first, neighbour, length, role, kept[number], far, before, reached)
        for place in range(known):
            cell = reached[place]
            if place and role[cell] >= 0:
                if arcs == len(ends):
                    return -1
                ends[arcs], lengths[arcs] = role[cell], far[cell]
                arcs += 1
            far[cell] = np.inf
    begins[len(kept)] = arcs
    return arcs

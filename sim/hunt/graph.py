"""The connectivity graph with observations [Ferrari & Cai 2009, Def. 3.1].

Cells of free space are nodes; an arc joins two cells between which the robot can move, and has a
length.  From an *observation cell* one or more targets can be measured, from a void one none.  In
Python a hunt is a `networkx.Graph`: node attribute ``targets``, a tuple of target numbers from 0
on (empty or missing: a void cell), edge attribute ``length`` >= 0.  Other attributes of a node (its
polygon, a place to draw it) are ignored here.  Kernels take the same as arrays, `Connectivity`,
made by `compile_graph`.

Sets of targets are bit masks in words of 64: target i is bit i % 64 of word i // 64.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from typing import NamedTuple

import networkx as nx
import numpy as np

WORD = 64
"""Targets per word of a mask."""


class Connectivity(NamedTuple):
    """A hunt's graph as arrays; cells are numbered in the order of the graph's nodes.

    Cell c's neighbours are ``neighbour[first[c] : first[c + 1]]``; each arc is listed twice.
    """

    first: np.ndarray
    """int64 (cells + 1,)."""
    neighbour: np.ndarray
    """int64 (2 arcs,)."""
    length: np.ndarray
    """float64 (2 arcs,): length of the arc to that neighbour."""
    seen: np.ndarray
    """uint64 (cells, words): mask of the targets that can be measured from a cell."""
    targets: int
    """Number of targets."""


def words(targets: int) -> int:
    """Return the number of words of a mask of ``targets`` targets, at least 1."""
    return max(1, -(-targets // WORD))


def mask(targets: Iterable[int], size: int) -> np.ndarray:
    """Return the mask of some of ``size`` targets, uint64 (`words` (size),)."""
    found = np.zeros(words(size), np.uint64)
    for target in targets:
        found[target // WORD] |= np.uint64(1) << np.uint64(target % WORD)
    return found


def members(bits: np.ndarray) -> tuple[int, ...]:
    """Return the targets of a mask, in order."""
    whole = sum(int(word) << (WORD * place) for place, word in enumerate(bits))
    return tuple(i for i in range(whole.bit_length()) if whole >> i & 1)


def unpack(masks: np.ndarray, targets: int) -> np.ndarray:
    """Return the members of ``targets`` in each of the masks (k, words), bool (k, targets)."""
    number = np.arange(targets)
    held = np.asarray(masks, np.uint64)[:, number // WORD]
    bits = held >> (number % WORD).astype(np.uint64) & np.uint64(1)
    return np.ascontiguousarray(bits, bool)


def number_of_targets(graph: nx.Graph) -> int:
    """Return one more than the largest target number of ``graph``, 0 if it has no targets."""
    return max((max(cell) + 1 for _, cell in graph.nodes("targets", ()) if cell), default=0)


def compile_graph(graph: nx.Graph) -> Connectivity:
    """Return ``graph`` for kernels.

    ValueError if it is directed or empty, the length of an arc is not finite and non-negative, or
    targets are not numbered from 0 on.
    """
    if graph.is_directed() or graph.is_multigraph() or not len(graph):
        raise ValueError("a hunt needs an undirected graph with at least one cell")
    number = {cell: i for i, cell in enumerate(graph)}
    size = number_of_targets(graph)
    seen = np.zeros((len(graph), words(size)), np.uint64)
    first, neighbour, length = [0], [], []
    for cell, i in number.items():
        targets = graph.nodes[cell].get("targets") or ()
        if any(not isinstance(target, int | np.integer) or target < 0 for target in targets):
            raise ValueError(f"cell {cell!r}: targets are numbered from 0 on, not {targets!r}")
        seen[i] = mask(targets, size)
        for other, arc in graph.adj[cell].items():
            if other == cell:
                continue
            neighbour.append(number[other])
            length.append(_length(cell, other, arc.get("length")))
        first.append(len(neighbour))
    return Connectivity(
        np.array(first, np.int64),
        np.array(neighbour, np.int64),
        np.array(length, np.float64),
        seen,
        size,
    )


def _length(cell: Hashable, other: Hashable, length: object) -> float:
    """Return the length of an arc, checked."""
    if not isinstance(length, int | float | np.floating | np.integer) or not (
        math.isfinite(length) and length >= 0
    ):
        raise ValueError(
            f"the arc between {cell!r} and {other!r} needs a length of 0 or more, not {length!r}"
        )
    return float(length)

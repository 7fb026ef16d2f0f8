"""Labels over (cell, set of targets seen), set in the order of their length: the kernel.

A label is a way from the start: the cell where it ends, its length, and all targets that could be
measured on it.  It is dropped if a label that was set before at the same cell, and so is no longer,
has seen the same targets or more: a measurement may be declined, so whatever can follow it can
follow that one, with more to choose from.  Labels are taken from a heap by length [Dijkstra], hence
one that is set stays [Martins 1984, with sets in place of a second length].

The sets at a cell are kept together, in chunks linked from the newest to the oldest: looking
through them is what the search does with its time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.kernel.compile import jit

CHUNK = 32
"""Sets a chunk."""

NOBODY = -1
"""The parent of the first label, and the chunk before the first."""


class Network(NamedTuple):
    """What is searched: the cells that matter, `sim.hunt.paths.contraction`."""

    first: np.ndarray
    """int64 (cells + 1,)."""
    neighbour: np.ndarray
    """int64 (arcs,)."""
    length: np.ndarray
    """float64 (arcs,)."""
    shows: np.ndarray
    """uint64 (cells, words)."""
    home: np.ndarray
    """float64 (cells,): the shortest length to the goal."""


class Labels(NamedTuple):
    """Memory of the search, for at most ``len(length)`` labels."""

    length: np.ndarray
    """float64 (labels,)."""
    cell: np.ndarray
    """int32 (labels,)."""
    parent: np.ndarray
    """int32 (labels,): the label that it continues."""
    seen: np.ndarray
    """uint64 (labels, words)."""
    compared: np.ndarray
    """int32 (labels,): with how many sets of its cell it was compared already; `SET` when set."""
    heap: np.ndarray
    """int32 (labels,): a binary heap by length."""
    sets: np.ndarray
    """uint64 (chunks, `CHUNK`, words)."""
    before: np.ndarray
    """int32 (chunks,): the next older chunk of the same cell."""
    newest: np.ndarray
    """int32 (cells,): the newest chunk of each cell."""
    count: np.ndarray
    """int32 (cells,): sets of each cell."""


SET = -1
"""`Labels.compared` of a label that was set."""


def memory(cells: int, words: int, labels: int) -> Labels:
    """Return memory for so many labels; pages that are not used cost nothing."""
    chunks = labels // CHUNK + cells + 1
    return Labels(
        np.empty(labels, np.float64),
        np.empty(labels, np.int32),
        np.empty(labels, np.int32),
        np.empty((labels, words), np.uint64),
        np.empty(labels, np.int32),
        np.empty(labels, np.int32),
        np.empty((chunks, CHUNK, words), np.uint64),
        np.empty(chunks, np.int32),
        np.full(cells, NOBODY, np.int32),
        np.zeros(cells, np.int32),
    )


def searched(net: Network, start: int, limit: float, every: bool, most: int) -> tuple[Labels, int]:
    """Return all labels, and how many; -1 if they are more than ``most`` (parameters: `search`)."""
    labels = memory(*net.shows.shape, most)
    return labels, search(net, start, limit, every, labels)


def front(seen: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the rows that no other dominates, in order; the first of equal ones."""
    return np.flatnonzero(~_beaten(seen, lengths, np.zeros(len(seen), np.bool_)))


@jit
def _beaten(seen: np.ndarray, lengths: np.ndarray, beaten: np.ndarray) -> np.ndarray:
    """Fill in which rows another one beats; rows are ordered by length."""
    for row in range(len(seen)):
        for other in range(len(seen)):
            if other == row or beaten[other] or lengths[other] > lengths[row]:
                continue
            holds = True
            for word in range(seen.shape[1]):
                if seen[row, word] & ~seen[other, word]:
                    holds = False
                    break
            if holds:
                beaten[row] = True
                break
    return beaten


@jit
def search(net: Network, start: int, limit: float, every: bool, labels: Labels) -> int:
    """Set all labels of ways of which length and way home are at most ``limit`` together.

    Parameters
    ----------
    every : keep every set of targets, not those alone that no larger one dominates
    labels : fresh memory

    Returns
    -------
    How many labels there are, or -1 if they are more than the memory holds.
    """
    words = net.shows.shape[1]
    chunks, waiting, made = 0, 1, 1
    labels.length[0], labels.cell[0], labels.parent[0], labels.compared[0] = 0.0, start, NOBODY, 0
    for word in range(words):
        labels.seen[0, word] = net.shows[start, word]
    labels.heap[0] = 0
    while waiting:
        label = _pop(labels.heap, labels.length, waiting)
        waiting -= 1
        here = labels.cell[label]
        if _dominated(labels, here, labels.seen[label], labels.compared[label], every):
            continue
        chunks = _set(labels, here, label, chunks)
        came = NOBODY
        parent = labels.parent[label]
        if parent != NOBODY and _equal(labels.seen[parent], labels.seen[label]):
            came = labels.cell[parent]
        for arc in range(net.first[here], net.first[here + 1]):
            there = net.neighbour[arc]
            length = labels.length[label] + net.length[arc]
            if there == came or length + net.home[there] > limit:
                continue
            if made == len(labels.length):
                return -1
            seen = labels.seen[made]
            for word in range(words):
                seen[word] = labels.seen[label, word] | net.shows[there, word]
            if _dominated(labels, there, seen, 0, every):
                continue
            labels.length[made] = length
            labels.cell[made] = there
            labels.parent[made] = label
            labels.compared[made] = labels.count[there]
            _push(labels.heap, labels.length, waiting, made)
            waiting += 1
            made += 1
    return made


@jit
def _equal(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two masks are equal."""
    differs = np.uint64(0)
    for word in range(len(one)):
        differs |= one[word] ^ other[word]
    return not differs


@jit
def _dominated(labels: Labels, cell: int, seen: np.ndarray, compared: int, every: bool) -> bool:
    """Return whether a set of ``cell`` holds ``seen``; the oldest ``compared`` ones do not."""
    words = len(seen)
    left = labels.count[cell]
    chunk = labels.newest[cell]
    while left > compared:
        oldest = (left - 1) // CHUNK * CHUNK
        sets = labels.sets[chunk]
        for place in range(left - 1 - oldest, max(compared - oldest, 0) - 1, -1):
            holds = True
            for word in range(words):
                if every:
                    missing = seen[word] ^ sets[place, word]
                else:
                    missing = seen[word] & ~sets[place, word]
                if missing:
                    holds = False
                    break
            if holds:
                return True
        left = oldest
        chunk = labels.before[chunk]
    return False


@jit
def _set(labels: Labels, cell: int, label: int, chunks: int) -> int:
    """Add the set of ``label`` to those of ``cell``; return how many chunks are in use."""
    place = labels.count[cell] % CHUNK
    if place == 0:
        labels.before[chunks] = labels.newest[cell]
        labels.newest[cell] = chunks
        chunks += 1
    for word in range(labels.seen.shape[1]):
        labels.sets[labels.newest[cell], place, word] = labels.seen[label, word]
    labels.count[cell] += 1
    labels.compared[label] = SET
    return chunks


@jit
def _push(heap: np.ndarray, key: np.ndarray, size: int, item: int) -> None:
    """Put ``item`` into a heap of ``size`` items, ordered by ``key[item]``."""
    place = size
    while place:
        above = (place - 1) >> 1
        if key[heap[above]] <= key[item]:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


@jit
def _pop(heap: np.ndarray, key: np.ndarray, size: int) -> int:
    """Return the first of ``size`` items and close the gap."""
    top, item = heap[0], heap[size - 1]
    place, size = 0, size - 1
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and key[heap[below + 1]] < key[heap[below]]:
            below += 1
        if key[heap[below]] >= key[item]:
            break
        heap[place] = heap[below]
        place = below
    heap[place] = item
    return top

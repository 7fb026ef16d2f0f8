"""Labels over (cell, set of targets seen), set in the order of their length: the kernel.

A label is a way from the start: the cell where it ends, its length, and all targets that could be
measured on it.  It is dropped if a label that was set before at the same cell, and so is no longer,
has seen the same targets or more: a measurement may be declined, so whatever can follow it can
follow that one, with more to choose from.  Labels are taken from a heap by length [Dijkstra], hence
one that is set stays [Martins 1984, with sets in place of a second length].

Looking for a larger set is what the search does with its time.  Equal sets are found by a hash
table.  Larger ones have more members: the sets of a cell are kept by their number of members, in
chunks linked from the newest to the oldest, and a label that waited is compared with the newer
ones alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.kernel.compile import jit
from mcts.kernel.rng import mix

CHUNK = 64
"""Sets a chunk."""

SIZES = 128
"""Numbers of members that are told apart; sets with more are together with the largest."""

FIRST_MEMORY = 1 << 12
"""Labels at first; memory grows as they are made."""

NONE = -1
"""The parent of the first label, and the chunk before the first."""

SET, STALE = -1, -2
"""`Labels.compared` of a label that was set, and of one that a shorter one replaced."""

MADE, WAITING, NUMBER_SET, CHUNKS = range(4)
"""What `Labels.state` counts."""


class Network(NamedTuple):
    """The cells that matter, by `sim.hunt.paths.contraction`."""

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
    """int32 (labels,): how many labels were set when it was made; `SET` or `STALE`."""
    heap: np.ndarray
    """int32 (labels,): a binary heap by length."""
    sets: np.ndarray
    """uint64 (chunks, words, `CHUNK`); what is not used is empty."""
    when: np.ndarray
    """int32 (chunks, `CHUNK`): how many labels had been set before."""
    used: np.ndarray
    """int32 (chunks,): places taken."""
    before: np.ndarray
    """int32 (chunks,): the next older chunk of the same cell and number of members."""
    table: np.ndarray
    """int32 (slots,): 1 more than the label of a cell and set, 0 if free; twice the labels."""
    newest: np.ndarray
    """int32 (cells, `SIZES`): the newest chunk of each cell and number of members."""
    largest: np.ndarray
    """int32 (cells,): most members of a set of each cell."""
    state: np.ndarray
    """int64 (4,)."""


def memory(cells: int, words: int, labels: int) -> Labels:
    """Return fresh memory for so many labels."""
    chunks = labels // CHUNK + min(labels, cells * SIZES) + 1
    return Labels(
        np.empty(labels, np.float64),
        np.empty(labels, np.int32),
        np.empty(labels, np.int32),
        np.empty((labels, words), np.uint64),
        np.empty(labels, np.int32),
        np.empty(labels, np.int32),
        np.empty((chunks, words, CHUNK), np.uint64),
        np.empty((chunks, CHUNK), np.int32),
        np.empty(chunks, np.int32),
        np.empty(chunks, np.int32),
        np.zeros(2 << (labels - 1).bit_length(), np.int32),
        np.full((cells, SIZES), NONE, np.int32),
        np.zeros(cells, np.int32),
        np.zeros(4, np.int64),
    )


def search_labels(net: Network, start: int, limit: float, every: bool, most: int) -> Labels | None:
    """Return the labels of all ways of at most the length ``limit``.

    Parameters
    ----------
    start : cell of the network
    limit : of the length of a way and of its way home, together
    every : keep every set of targets, not those alone that no larger one dominates
    most : labels that may be made; None is returned if they do not do
    """
    widest = int(np.diff(net.first).max(initial=0))
    labels = memory(*net.shows.shape, min(FIRST_MEMORY, most) + widest)
    begin(net, start, labels)
    while not search(net, limit, every, widest, labels):
        if labels.state[MADE] >= most:
            return None
        labels = _larger(labels, min(4 * len(labels.length), most + widest))
    return labels


def _larger(labels: Labels, number: int) -> Labels:
    """Return the same labels in memory for ``number`` of them."""
    larger = memory(len(labels.newest), labels.seen.shape[1], number)
    for name in Labels._fields:
        if name != "table":
            old = getattr(labels, name)
            getattr(larger, name)[: len(old)] = old
    file_again(larger)
    return larger


@jit
def begin(net: Network, start: int, labels: Labels) -> None:
    """Make the first label."""
    labels.length[0], labels.cell[0], labels.parent[0], labels.compared[0] = 0.0, start, NONE, 0
    for word in range(net.shows.shape[1]):
        labels.seen[0, word] = net.shows[start, word]
    labels.heap[0] = 0
    labels.state[MADE], labels.state[WAITING] = 1, 1


@jit
def search(net: Network, limit: float, every: bool, widest: int, labels: Labels) -> bool:
    """Set labels until none waits (True) or the memory is full (False: go on with more).

    Parameters are those of `search_labels`; ``widest`` is the largest number of a cell's arcs.
    """
    made, waiting = labels.state[MADE], labels.state[WAITING]
    number, chunks = labels.state[NUMBER_SET], labels.state[CHUNKS]
    words = net.shows.shape[1]
    room = True
    while waiting:
        room = made + widest <= len(labels.length) and chunks < len(labels.sets)
        if not room:
            break
        label = _pop(labels.heap, labels.length, waiting)
        waiting -= 1
        here = labels.cell[label]
        if labels.compared[label] == STALE:
            continue
        if not every and _is_dominated(labels, here, labels.seen[label], labels.compared[label]):
            continue
        chunks = _set(labels, here, label, number, chunks)
        number += 1
        for arc in range(net.first[here], net.first[here + 1]):
            there = net.neighbour[arc]
            length = labels.length[label] + net.length[arc]
            if length + net.home[there] > limit:
                continue
            seen = labels.seen[made]
            for word in range(words):
                seen[word] = labels.seen[label, word] | net.shows[there, word]
            slot = _slot(labels, there, seen)
            equal = labels.table[slot] - 1
            if equal >= 0 and labels.length[equal] <= length:
                continue
            if not every and _is_dominated(labels, there, seen, 0):
                continue
            if equal >= 0:
                labels.compared[equal] = STALE
            labels.table[slot] = made + 1
            labels.length[made] = length
            labels.cell[made] = there
            labels.parent[made] = label
            labels.compared[made] = number
            _push(labels.heap, labels.length, waiting, made)
            waiting += 1
            made += 1
    labels.state[MADE], labels.state[WAITING] = made, waiting
    labels.state[NUMBER_SET], labels.state[CHUNKS] = number, chunks
    return room


@jit
def file_again(labels: Labels) -> None:
    """Fill an empty hash table."""
    for label in range(labels.state[MADE]):
        if labels.compared[label] != STALE:
            slot = _slot(labels, labels.cell[label], labels.seen[label])
            labels.table[slot] = label + 1


@jit
def _slot(labels: Labels, cell: int, seen: np.ndarray) -> int:
    """Return the slot of the hash table for a cell and set: of its label, or a free one."""
    key = np.uint64(cell)
    for word in range(len(seen)):
        key = mix(key ^ seen[word])
    slot = np.int64(key & np.uint64(len(labels.table) - 1))
    while labels.table[slot]:
        label = labels.table[slot] - 1
        differs = np.uint64(labels.cell[label] ^ cell)
        for word in range(len(seen)):
            differs |= labels.seen[label, word] ^ seen[word]
        if not differs:
            break
        slot = (slot + 1) & (len(labels.table) - 1)
    return slot


@jit
def _is_dominated(labels: Labels, cell: int, seen: np.ndarray, since: int) -> bool:
    """Return whether a larger set of ``cell`` holds ``seen``, of those set from ``since`` on."""
    words = len(seen)
    members = _members(seen)
    for size in range(min(members + 1, SIZES - 1), labels.largest[cell] + 1):
        chunk = labels.newest[cell, size]
        while chunk != NONE and labels.when[chunk, labels.used[chunk] - 1] >= since:
            sets = labels.sets[chunk]
            holding = 0
            for place in range(CHUNK):
                holding += (seen[0] & ~sets[0, place]) == 0
            if holding:
                for place in range(CHUNK):
                    missing = np.uint64(0)
                    for word in range(words):
                        missing |= seen[word] & ~sets[word, place]
                    if not missing:
                        return True
            chunk = labels.before[chunk]
    return False


@jit
def _members(seen: np.ndarray) -> int:
    """Return how many members a set has [population count, Warren 2003, fig. 5-2]."""
    number = 0
    for word in range(len(seen)):
        bits = seen[word]
        bits = bits - ((bits >> np.uint64(1)) & np.uint64(0x5555555555555555))
        bits = (bits & np.uint64(0x3333333333333333)) + (
            (bits >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        number += np.int64((bits * np.uint64(0x0101010101010101)) >> np.uint64(56))
    return number


@jit
def _set(labels: Labels, cell: int, label: int, number: int, chunks: int) -> int:
    """Add the set of ``label`` to those of ``cell``; return how many chunks are in use."""
    size = min(_members(labels.seen[label]), SIZES - 1)
    labels.largest[cell] = max(labels.largest[cell], size)
    chunk = labels.newest[cell, size]
    if chunk == NONE or labels.used[chunk] == CHUNK:
        labels.before[chunks], labels.used[chunks] = chunk, 0
        labels.newest[cell, size] = chunks
        chunk = chunks
        labels.sets[chunk] = 0
        chunks += 1
    place = labels.used[chunk]
    for word in range(labels.seen.shape[1]):
        labels.sets[chunk, word, place] = labels.seen[label, word]
    labels.when[chunk, place] = number
    labels.used[chunk] = place + 1
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

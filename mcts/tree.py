"""The tree: pre-allocated arrays shared by all threads, named sentinels, invariants.

A node is an information set of the searching seat: its 64-bit key is a hash of (parent's key,
action, observation).  Nodes are the slots of an open-addressing table; writing the key into an
empty slot by compare-and-swap publishes the node, and the slot's index *is* the node.  A node's
edges are one block of the edge arrays, as long as its list of legal actions.

No thread ever waits for another.  A node is usable once its key is set; until its actions are
listed every thread treats it as a leaf.  That two histories have equal keys is not checked: with a
million nodes its chance is 3e-8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.kernel.atomics import compare_and_swap, fetch_add, load
from mcts.kernel.compile import jit
from mcts.kernel.rng import fold

EMPTY_KEY = np.uint64(0)
ROOT_KEY = np.uint64(2**63)  # a multiple of every table size, so the root is slot 0
ROOT = 0
NOWHERE = -1
"""In place of a node: none, or no room for one."""

UNLISTED, EXPANDING, EXPANDED, CLOSED = 0, 1, 2, 3
"""Status of a node: actions not requested; one thread requests them; edges usable; permanent leaf
(no legal action, or no room for its edges)."""

# Places in `Tree.counters`, a cache line (8 words) apart so that threads do not contend.
RESERVED, NODES, EDGES, FULL, SIMULATIONS, TOP = 0, 8, 16, 24, 32, 40

# Places in `Tree.returns`.
SUM, GREATEST, BELOW_ONE = 0, 1, 2


class Tree(NamedTuple):
    """A search tree as a struct of arrays; S slots (a power of two), E edges.

    Statistics are those of the searching seat, returns scaled to [0, 1] by the domain's range.
    """

    key: np.ndarray
    """uint64 (S,): `EMPTY_KEY` or the node's key."""
    parent: np.ndarray
    """int64 (S,): parent node of the same perspective, `NOWHERE` for its first; valid when the
    search is over.  If hidden moves lead to one information set, the first parent."""
    incoming: np.ndarray
    """int64 (S,): the parent's edge that leads here; valid when the search is over."""
    outcome: np.ndarray
    """int64 (S,): kind of the observation that leads here (`mcts.domain.outcome`)."""
    status: np.ndarray
    """int64 (S,): `UNLISTED`, `EXPANDING`, `EXPANDED` or `CLOSED`."""
    first: np.ndarray
    """int64 (S,): first edge of the block; meaningful once `EXPANDED`."""
    length: np.ndarray
    """int64 (S,): edges in the block, at least 1; meaningful once `EXPANDED`."""
    visits: np.ndarray
    """int64 (S,): simulations that arrived here."""
    rolls: np.ndarray
    """int64 (S,): completed roll-outs from here ..."""
    rolled: np.ndarray
    """float64 (S,): ... and the sum of their scaled returns."""
    passed: np.ndarray
    """float64 (S,): with pruning, visits times value, in the domain's units, as passed up."""
    order: np.ndarray
    """int64 (nodes budget,): nodes in the order of their creation."""
    action: np.ndarray
    """int64 (E,): the listed action ..."""
    edge_data: np.ndarray
    """float64 (E,): ... and the number attached to it."""
    edge_visits: np.ndarray
    """int64 (E,): completed simulations through this edge."""
    edge_total: np.ndarray
    """float64 (E,): sum of their scaled returns from here on."""
    edge_squares: np.ndarray
    """float64 (E,): sum of the squares of those returns."""
    edge_in_flight: np.ndarray
    """int64 (E,): simulations in flight."""
    edge_available: np.ndarray
    """int64 (E,): visits of the node at which the action was legal, if counted."""
    counters: np.ndarray
    """int64 (48,): nodes, edges, whether a budget ran out, completed simulations, search root."""
    returns: np.ndarray
    """float64 (8,): sum of the scaled returns of all simulations; where the unit is what was seen,
    the greatest mean and 1 minus the least."""


def new_tree(nodes: int, edges: int) -> Tree:
    """Return an empty tree with room for ``nodes`` nodes and ``edges`` edges.

    Memory is 184 to 360 bytes per node and 56 per edge, committed by the system on first use.
    """
    slots = 1 << max(1, (2 * nodes - 1).bit_length())  # at most half full
    tree = Tree(
        key=np.zeros(slots, np.uint64),
        parent=np.empty(slots, np.int64),
        incoming=np.empty(slots, np.int64),
        outcome=np.zeros(slots, np.int64),
        status=np.zeros(slots, np.int64),
        first=np.empty(slots, np.int64),
        length=np.empty(slots, np.int64),
        visits=np.zeros(slots, np.int64),
        rolls=np.zeros(slots, np.int64),
        rolled=np.zeros(slots, np.float64),
        passed=np.zeros(slots, np.float64),
        order=np.empty(nodes, np.int64),
        action=np.empty(edges, np.int64),
        edge_data=np.empty(edges, np.float64),
        edge_visits=np.empty(edges, np.int64),
        edge_total=np.empty(edges, np.float64),
        edge_squares=np.empty(edges, np.float64),
        edge_in_flight=np.empty(edges, np.int64),
        edge_available=np.empty(edges, np.int64),
        counters=np.zeros(48, np.int64),
        returns=np.zeros(8, np.float64),
    )
    clear(tree)
    return tree


def clear(tree: Tree) -> None:
    """Empty ``tree`` down to a root without edges; takes time in proportion to its nodes."""
    used = tree.order[: tree.counters[NODES]]
    tree.key[used] = EMPTY_KEY
    tree.status[used] = UNLISTED
    tree.visits[used] = tree.rolls[used] = 0
    tree.rolled[used] = tree.passed[used] = 0.0
    tree.counters[:] = 0
    tree.returns[:] = 0.0
    tree.key[ROOT] = ROOT_KEY
    tree.parent[ROOT] = tree.incoming[ROOT] = NOWHERE
    tree.order[0] = ROOT
    tree.counters[RESERVED] = tree.counters[NODES] = 1
    tree.counters[TOP] = ROOT


def rescale(tree: Tree, low: float, span: float, new_low: float, new_span: float) -> None:
    """Rescale the returns in ``tree`` to another range, such as that of fewer steps to go."""
    shift, factor = (low - new_low) / new_span, span / new_span
    used = slice(tree.counters[EDGES])
    n, total, squares = (e[used] for e in (tree.edge_visits, tree.edge_total, tree.edge_squares))
    squares[:] = shift**2 * n + 2 * shift * factor * total + factor**2 * squares
    total[:] = shift * n + factor * total
    nodes = tree.order[: tree.counters[NODES]]
    tree.rolled[nodes] = shift * tree.rolls[nodes] + factor * tree.rolled[nodes]
    tree.returns[GREATEST:] = 0.0


@jit
def child_key(key: np.uint64, action: int, observation: np.uint64) -> np.uint64:
    """Return the key of the node that ``observation`` leads to after the own ``action``."""
    return fold(fold(key, action), observation)


@jit
def get_or_add_node(tree: Tree, key: np.uint64, node: int, edge: int) -> int:
    """Return the node ``key``, added below ``edge`` of ``node`` if missing.

    Returns `NOWHERE` if it is missing and the budget of nodes is used up.
    """
    if key == EMPTY_KEY:
        key = ROOT_KEY
    mask = len(tree.key) - 1
    slot = np.int64(key & np.uint64(mask))
    while True:
        found = load(tree.key, slot)
        if found == EMPTY_KEY:
            if not _reserve(tree):
                return NOWHERE
            found = compare_and_swap(tree.key, slot, EMPTY_KEY, key)
            if found == EMPTY_KEY:
                tree.parent[slot] = node
                tree.incoming[slot] = edge
                tree.order[fetch_add(tree.counters, NODES, 1)] = slot
                return slot
            fetch_add(tree.counters, RESERVED, -1)
        if found == key:
            return slot
        slot = (slot + 1) & mask


@jit
def find(tree: Tree, key: np.uint64) -> int:
    """Return the node ``key``, or `NOWHERE`."""
    mask = len(tree.key) - 1
    slot = np.int64(key & np.uint64(mask))
    found = load(tree.key, slot)
    while found != EMPTY_KEY:
        if found == key:
            return slot
        slot = (slot + 1) & mask
        found = load(tree.key, slot)
    return NOWHERE


@jit
def _reserve(tree: Tree) -> bool:
    """Take one node from the budget, or note that the tree is full."""
    budget = len(tree.order)
    if load(tree.counters, RESERVED) < budget:
        if fetch_add(tree.counters, RESERVED, 1) < budget:
            return True
        fetch_add(tree.counters, RESERVED, -1)
    tree.counters[FULL] = 1
    return False


@jit
def expand(tree: Tree, node: int, actions: np.ndarray, edge_data: np.ndarray, n: int) -> int:
    """Give ``node``, which this thread is `EXPANDING`, its ``n`` edges; return the new status.

    ``actions`` (int64) and ``edge_data`` (float64) hold the list in their first ``n`` places.
    """
    status = CLOSED
    if n > 0:
        first = fetch_add(tree.counters, EDGES, n)
        if first + n <= len(tree.action):
            for i in range(n):
                edge = first + i
                tree.action[edge] = actions[i]
                tree.edge_data[edge] = edge_data[i]
                tree.edge_visits[edge] = 0
                tree.edge_total[edge] = 0.0
                tree.edge_squares[edge] = 0.0
                tree.edge_in_flight[edge] = 0
                tree.edge_available[edge] = 0
            tree.first[node] = first
            tree.length[node] = n
            status = EXPANDED
        else:
            fetch_add(tree.counters, EDGES, -n)
            tree.counters[FULL] = 1
    compare_and_swap(tree.status, node, EXPANDING, status)  # the edges become visible with it
    return status

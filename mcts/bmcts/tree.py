"""The tree of BMCTS: nodes with exact beliefs, edges (actions), and outcomes (observations).

All are blocks of pre-allocated arrays that threads take parts of; memory that is not used yet costs
nothing.  A node lists its edges when it is made; an edge lists its outcomes when it is first
followed; an outcome has a node once a simulation ends there.  Histories with equal beliefs share a
node [Ledford 2018, s. 2.5.2], so that a tree may be a graph with circles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.kernel.atomics import compare_and_swap, fetch_add, load
from mcts.kernel.compile import jit
from mcts.tree import EMPTY_KEY

ROOT = 0
NOWHERE, MAKING = -1, -2
"""In place of a node: none yet, and one that a thread is making."""

FRESH, OPENING, OPEN = 0, 1, 2
"""Status of an edge: outcomes not listed; one thread lists them; usable."""

# Places in `BeliefTree.counters`, a cache line apart.
NODES, EDGES, OUTCOMES, NUMBERS, FULL, SIMULATIONS, TOP = 0, 8, 16, 24, 32, 40, 48

LEAST, GREATEST = 0, 8
"""Places in `BeliefTree.span`: the range of the values seen so far."""


class BeliefTree(NamedTuple):
    """A tree as a struct of arrays; values are in the problem's units."""

    node_value: np.ndarray
    """float64 (N,): value of the node's belief ..."""
    node_lower: np.ndarray
    """float64 (N,): ... and a lower bound."""
    node_visits: np.ndarray
    node_depth: np.ndarray
    """int64 (N,): actions from the root of the first search."""
    node_parent: np.ndarray
    """int64 (N,): the outcome that leads here; `NOWHERE` at the root."""
    node_first: np.ndarray
    node_length: np.ndarray
    """int64 (N,): first edge, and number of edges; 0 if nothing can be gained any more."""
    belief_first: np.ndarray
    belief_length: np.ndarray
    """int64 (N,): the node's part of ``state`` and ``share``."""
    state: np.ndarray
    """int32 (M,): states of beliefs ..."""
    share: np.ndarray
    """float64 (M,): ... with their probabilities."""
    action: np.ndarray
    """int64 (E,): action of an edge."""
    node: np.ndarray
    """int64 (E,): the node to which it belongs."""
    gain: np.ndarray
    """float64 (E,): its expected reward."""
    prior: np.ndarray
    value: np.ndarray
    """float64 (E,): its value: expected rewards and values that follow, or the mean return."""
    lower: np.ndarray
    total: np.ndarray
    """float64 (E,): sum of the returns."""
    visits: np.ndarray
    in_flight: np.ndarray
    first: np.ndarray
    length: np.ndarray
    """int64 (E,): first outcome, and number of outcomes."""
    status: np.ndarray
    """int64 (E,): `FRESH`, `OPENING` or `OPEN`."""
    seen: np.ndarray
    """int64 (U,): observation of an outcome; terminal states have none."""
    edge: np.ndarray
    """int64 (U,): the edge to which it belongs."""
    chance: np.ndarray
    """float64 (U,): its probability, given the belief and the action."""
    leaf: np.ndarray
    """float64 (U,): its value without a node ..."""
    leaf_lower: np.ndarray
    """float64 (U,): ... and a lower bound."""
    child: np.ndarray
    """int64 (U,): its node, `NOWHERE` or `MAKING`."""
    slot_key: np.ndarray
    """uint64 (T,): hash of a belief (and the steps to go), or 0 ..."""
    slot_node: np.ndarray
    """int64 (T,): ... and its node, `MAKING` until it has one."""
    counters: np.ndarray
    span: np.ndarray


def new_tree(nodes: int, numbers: int, actions: int, outcomes: int) -> BeliefTree:
    """Return an empty tree of up to ``nodes`` nodes and ``numbers`` probabilities of beliefs.

    ``actions``: of a node; ``outcomes``: of an edge, at most.
    """
    edges = nodes * actions
    sizes = {NODES: nodes, EDGES: edges, OUTCOMES: min(edges * outcomes, _MOST_OUTCOMES)}
    sizes |= {NUMBERS: numbers, FULL: 56, TOP: 16}
    sizes[SIMULATIONS] = 1 << (2 * nodes + 2).bit_length()
    made = {name: np.empty(sizes[_part(name)], kind) for name, kind in _KINDS.items()}
    tree = BeliefTree(**made)
    clear(tree)
    return tree


_MOST_OUTCOMES = 50_000_000
_OTHERS = {"counters": FULL, "span": TOP, "slot_key": SIMULATIONS, "slot_node": SIMULATIONS}


def _part(name: str) -> int:
    """Return the counter of what the field ``name`` holds; of others, any that holds nothing."""
    if name in _OTHERS:
        return _OTHERS[name]
    if name in ("state", "share"):
        return NUMBERS
    if name in ("seen", "edge", "chance", "leaf", "leaf_lower", "child"):
        return OUTCOMES
    return NODES if name.startswith(("node_", "belief_")) else EDGES


_FLOATS = "node_value node_lower share gain prior value lower total chance leaf leaf_lower span"
_KINDS = dict.fromkeys(BeliefTree._fields, np.int64) | dict.fromkeys(_FLOATS.split(), np.float64)
_KINDS |= {"state": np.int32, "slot_key": np.uint64}


def clear(tree: BeliefTree) -> None:
    """Empty ``tree``."""
    tree.counters[:] = 0
    tree.slot_key[:] = 0
    tree.slot_node[:] = MAKING
    tree.span[LEAST], tree.span[GREATEST] = np.inf, -np.inf


@jit
def find_slot(tree: BeliefTree, key: np.uint64, may_add: bool) -> int:
    """Return the slot of the belief ``key``; `NOWHERE` without one, unless it may be added."""
    mask = len(tree.slot_key) - 1
    slot = np.int64(key & np.uint64(mask))
    while True:
        found = load(tree.slot_key, slot)
        if found == EMPTY_KEY:
            if not may_add:
                return NOWHERE
            found = compare_and_swap(tree.slot_key, slot, EMPTY_KEY, key)
            if found == EMPTY_KEY:
                return slot
        if found == key:
            return slot
        slot = (slot + 1) & mask


@jit
def take(tree: BeliefTree, what: int, count: int, capacity: int) -> int:
    """Return the first of ``count`` free places of ``what``; `NOWHERE` if the tree is full."""
    first = fetch_add(tree.counters, what, count)
    if first + count <= capacity:
        return first
    fetch_add(tree.counters, what, -count)
    tree.counters[FULL] = 1
    return NOWHERE


@jit
def has_room(tree: BeliefTree, what: int, count: int, capacity: int) -> bool:
    """Return whether ``count`` places of ``what`` are free, or note that the tree is full."""
    if load(tree.counters, what) + count <= capacity:
        return True
    tree.counters[FULL] = 1
    return False


@jit
def widen_span(tree: BeliefTree, value: float) -> None:
    """Take ``value`` into the range of values seen.  Threads may lose one to each other."""
    if value < load(tree.span, LEAST):
        tree.span[LEAST] = value
    if value > load(tree.span, GREATEST):
        tree.span[GREATEST] = value


def measure(tree: BeliefTree) -> int:
    """Return the bytes of the tree that are in use."""
    counted = (name for name in _KINDS if name not in _OTHERS)
    return sum(int(tree.counters[_part(name)]) * getattr(tree, name).itemsize for name in counted)

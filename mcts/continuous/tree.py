"""Trees of histories whose nodes may hold particles: a struct of arrays, allocated once.

A node is reached by an observation after an action of its parent; the nodes below one action form a
chain (`Tree.newest`, `Tree.older`).  Particles of all nodes share one pool.  A node's are
contiguous; a full node moves to a block twice as large.

Each node has its own set of actions.  If they are few, all exist from the start; if they are too
many, the set grows (`add_action`), and the index of an action in it has no meaning.

Not shared with `mcts.tree`: its nodes are found by a hash of all observations and hold no states,
and its lists of actions are fixed.  A single function for both selection bounds would cost up to
9 % of its speed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.kernel.compile import jit, jit_inlined
from mcts.kernel.rng import below
from mcts.tree import NOWHERE

NODES, PARTICLES, GIVEN = 0, 1, 2
"""Places in `Tree.counters`."""


class Tree(NamedTuple):
    """``N`` nodes, ``A`` action slots per node, ``P`` particle slots."""

    visits: np.ndarray  # int64 (N,): simulations through the node.
    open: np.ndarray  # int64 (N,): number of the node's actions.
    actions: np.ndarray  # int64 (N, A): the actions.
    edge_visits: np.ndarray  # int64 (N, A)
    edge_value: np.ndarray  # float64 (N, A): mean returns.
    children: np.ndarray  # int64 (N, A): nodes below the action ...
    newest: np.ndarray  # int64 (N, A): ... the newest of them, and ...
    older: np.ndarray  # int64 (N,): ... the one before a node; `NOWHERE` without one.
    seen: np.ndarray  # float64 (N, length of an observation)
    first: np.ndarray  # int64 (N,): index of its first particle.
    size: np.ndarray  # int64 (N,): number of its particles.
    room: np.ndarray  # int64 (N,): its particle slots.
    states: np.ndarray  # float64 (P, length of a state)
    rewards: np.ndarray
    """float64 (P,): reward on entering the node, with the particle; of a belief, with its first."""
    reached: np.ndarray
    """float64 (P,): cumulative weight of the particles up to this one in the node."""
    slots: np.ndarray  # int64 (power of 2,): nodes by the hash of `keys`; `NOWHERE` if empty.
    keys: np.ndarray  # uint64 (N,): key of the history that leads to the node.
    counters: np.ndarray
    """int64 (3,): nodes and particle slots in use; initial number of actions of a node."""


def new_tree(
    nodes: int, actions: int, width: int, seen: int, particles: int, given: bool = True
) -> Tree:
    """Return an empty tree; ``particles`` is `P`.

    If ``given``, nodes have all actions below ``actions``, else none at first, and room for that
    many.
    """
    kinds = (np.int64, np.int64, float, np.int64, np.int64)
    edges = [np.zeros((nodes, actions), kind) for kind in kinds]
    visits, held, older, *particles_of = np.zeros((6, nodes), np.int64)
    slots = np.zeros(1 << (2 * nodes).bit_length(), np.int64)
    pool = (np.zeros((particles, width)), np.zeros(particles), np.zeros(particles))
    keys, counters = np.zeros(nodes, np.uint64), np.array([0, 0, actions if given else 0])
    shows = np.zeros((nodes, seen))
    return Tree(visits, held, *edges, older, shows, *particles_of, *pool, slots, keys, counters)


@jit
def clear(tree):
    """Empty the tree except for its root."""
    tree.counters[NODES] = tree.counters[PARTICLES] = 0
    for i in range(len(tree.slots)):
        tree.slots[i] = NOWHERE
    add_node(tree, NOWHERE, 0, tree.seen[0], 0)


@jit
def add_action(tree, node, action):
    """Add an action to ``node``."""
    edge = tree.open[node]
    tree.actions[node, edge] = action
    tree.edge_visits[node, edge] = tree.children[node, edge] = 0
    tree.edge_value[node, edge] = 0.0
    tree.newest[node, edge] = NOWHERE
    tree.open[node] += 1


@jit
def add_node(tree, parent, edge, seen, room):
    """Return a new node below an action, with ``room`` particle slots, or `NOWHERE` if full."""
    node, place = tree.counters[NODES], tree.counters[PARTICLES]
    if node == len(tree.visits) or place + room > len(tree.rewards):
        return NOWHERE
    tree.counters[NODES] += 1
    tree.counters[PARTICLES] += room
    tree.visits[node] = tree.size[node] = tree.open[node] = 0
    tree.first[node], tree.room[node] = place, room
    for given in range(tree.counters[GIVEN]):
        add_action(tree, node, given)
    tree.older[node] = NOWHERE
    if parent != NOWHERE:
        for i in range(len(seen)):
            tree.seen[node, i] = seen[i]
        tree.older[node] = tree.newest[parent, edge]
        tree.newest[parent, edge] = node
        tree.children[parent, edge] += 1
    return node


@jit
def any_child(tree, node, edge, stream):
    """Return a uniformly random node below an action; one draw."""
    child = tree.newest[node, edge]
    for _ in range(below(stream, tree.children[node, edge])):
        child = tree.older[child]
    return child


@jit
def slot_of(tree, key):
    """Return the index in `Tree.slots` at which the node of ``key`` is, or would be."""
    slot = np.int64(key & np.uint64(len(tree.slots) - 1))
    while tree.slots[slot] != NOWHERE and tree.keys[tree.slots[slot]] != key:
        slot = (slot + 1) & (len(tree.slots) - 1)
    return slot


@jit
def add_particle(tree, node, s, reward, weight):
    """Add a particle to ``node``; it is dropped if the pool is full."""
    n = tree.size[node]
    if n == tree.room[node]:
        room, place = 2 * max(n, 1), tree.counters[PARTICLES]
        if place + room > len(tree.rewards):
            return
        for i in range(n):
            old = tree.first[node] + i
            for k in range(len(s)):
                tree.states[place + i, k] = tree.states[old, k]
            tree.rewards[place + i] = tree.rewards[old]
            tree.reached[place + i] = tree.reached[old]
        tree.first[node], tree.room[node] = place, room
        tree.counters[PARTICLES] += room
    place = tree.first[node] + n
    for k in range(len(s)):
        tree.states[place, k] = s[k]
    tree.rewards[place] = reward
    tree.reached[place] = weight + (tree.reached[place - 1] if n else 0.0)
    tree.size[node] = n + 1


@jit
def particle_at(tree, node, weight):
    """Return the index of the particle of ``node`` at cumulative ``weight``, from 0 to the sum."""
    low = tree.first[node]
    high = low + tree.size[node] - 1
    while low < high:
        middle = (low + high) // 2
        if tree.reached[middle] > weight:
            high = middle
        else:
            low = middle + 1
    return low


@jit_inlined
def select(tree, node, exploration, stream):
    """Return the index of the action that maximises mean + c sqrt(ln N / n).

    Untried actions come first; ties are broken uniformly.
    """
    best, chosen, equals = -np.inf, NOWHERE, 0
    log = np.log(max(tree.visits[node], 1))
    for edge in range(tree.open[node]):
        score, n = np.inf, tree.edge_visits[node, edge]
        if n > 0:
            score = tree.edge_value[node, edge] + exploration * np.sqrt(log / n)
        if score > best:
            best, chosen, equals = score, edge, 1
        elif score == best:
            equals += 1
            if below(stream, equals) == 0:
                chosen = edge
    return chosen


@jit
def back_up(tree, node, edge, total):
    """Count a simulation that took ``edge`` and returned ``total`` from ``node`` on."""
    tree.visits[node] += 1
    tree.edge_visits[node, edge] += 1
    n = tree.edge_visits[node, edge]
    tree.edge_value[node, edge] += (total - tree.edge_value[node, edge]) / n


@jit
def widens(held, visits, k, alpha):
    """Return whether a set of ``held`` observations or actions may grow."""
    return held <= k * visits**alpha

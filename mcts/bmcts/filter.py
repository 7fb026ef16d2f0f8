"""The exact filter inside the tree: new nodes, and the outcomes of an action at a belief."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.bmcts.tree import (
    EDGES,
    FRESH,
    MAKING,
    NODES,
    NOWHERE,
    NUMBERS,
    OPEN,
    OPENING,
    OUTCOMES,
    find_slot,
    has_room,
    take,
    widen_span,
)
from mcts.kernel.atomics import compare_and_swap, load
from mcts.kernel.compile import jit
from mcts.kernel.rng import fold
from mcts.tabular.domain import LIVE, OVER

_GRID, _OFF_GRID = 2.0**30, 0.382
"""Shares are rounded to this grid where beliefs are compared, halves of its cells apart."""


class Filter(NamedTuple):
    """Working memory of one thread."""

    mass: np.ndarray
    """float64 (S,): probabilities of states; 0 between calls."""
    touched: np.ndarray
    """int64 (S,): the states that have any."""
    chance: np.ndarray
    """float64 (O,): probabilities of observations; 0 between calls."""
    met: np.ndarray
    """int64 (O,): the observations that have any."""
    leaf: np.ndarray
    """float64 (O, K): sums of the leaf vectors ..."""
    lower: np.ndarray
    """float64 (O, L): ... and of those of lower bounds."""


def new_filter(states: int, observations: int, leaf: int, lower: int) -> Filter:
    """Return working memory for these numbers of states, observations and vectors."""
    return Filter(
        np.zeros(states),
        np.zeros(states, np.int64),
        np.zeros(observations),
        np.zeros(observations, np.int64),
        np.zeros((observations, leaf)),
        np.zeros((observations, lower)),
    )


@jit
def predict(p, tree, node, action, work):
    """Write the belief after ``action`` to ``work.mass``; return how many states it touches."""
    count = 0
    begin = tree.belief_first[node]
    for i in range(begin, begin + tree.belief_length[node]):
        row = tree.state[i] * p.actions + action
        share = tree.share[i]
        for entry in range(p.first[row], p.first[row + 1]):
            then, joint = p.then[entry], share * p.chance[entry]
            if p.kind[then] != OVER and joint > 0.0:  # a small share may vanish
                if work.mass[then] == 0.0:
                    work.touched[count] = then
                    count += 1
                work.mass[then] += joint
    return count


@jit
def open_edge(p, bounds, tree, edge, steps, work):
    """List the outcomes of a fresh ``edge`` and their values; return whether it is open.

    ``steps``: to go after the action.  It stays closed if another thread opens it, or without room.
    """
    if compare_and_swap(tree.status, edge, FRESH, OPENING) != FRESH:
        return False
    action = tree.action[edge]
    count, found = predict(p, tree, tree.node[edge], action, work), 0
    leaf = bounds.leaf[min(steps, len(bounds.leaf) - 1)]
    lower = bounds.lower[min(steps, len(bounds.lower) - 1)]
    for i in range(count):
        state = work.touched[i]
        row = action * len(p.kind) + state
        for j in range(p.seen_first[row], p.seen_first[row + 1]):
            seen, joint = p.seen[j], work.mass[state] * p.seen_chance[j]
            if joint == 0.0:
                continue
            if work.chance[seen] == 0.0:
                work.met[found] = seen
                found += 1
                work.leaf[seen] = 0.0
                work.lower[seen] = 0.0
            work.chance[seen] += joint
            for k in range(leaf.shape[1]):
                work.leaf[seen, k] += joint * leaf[state, k]
            for k in range(lower.shape[1]):
                work.lower[seen, k] += joint * lower[state, k]
        work.mass[state] = 0.0
    first = take(tree, OUTCOMES, found, len(tree.seen))
    for i in range(found):
        seen = work.met[i]
        if first != NOWHERE:
            at = first + i
            tree.seen[at], tree.edge[at], tree.child[at] = seen, edge, NOWHERE
            tree.chance[at] = work.chance[seen]
            tree.leaf[at] = greatest(work.leaf[seen]) / work.chance[seen]
            tree.leaf_lower[at] = greatest(work.lower[seen]) / work.chance[seen]
        work.chance[seen] = 0.0
    if first == NOWHERE:
        compare_and_swap(tree.status, edge, OPENING, FRESH)
        return False
    tree.first[edge], tree.length[edge] = first, found
    compare_and_swap(tree.status, edge, OPENING, OPEN)  # the outcomes become visible with it
    return True


@jit
def greatest(values):
    """Return the maximum; -inf without any."""
    found = -np.inf
    for value in values:
        found = max(found, value)
    return found


@jit
def make_child(p, bounds, tree, outcome, depth, steps, work):
    """Return the node of ``outcome``, new or met before; `NOWHERE` without room.

    ``steps``: to go there.
    """
    edge = tree.edge[outcome]
    action, seen = tree.action[edge], tree.seen[outcome]
    count, kept = predict(p, tree, tree.node[edge], action, work), 0
    for i in range(count):
        state = work.touched[i]
        row, likely = action * len(p.kind) + state, 0.0
        for j in range(p.seen_first[row], p.seen_first[row + 1]):
            if p.seen[j] == seen:
                likely += p.seen_chance[j]
        work.mass[state] *= likely
        if work.mass[state] > 0.0:
            work.touched[kept] = state
            kept += 1
        else:
            work.mass[state] = 0.0
    return find_or_make(p, bounds, tree, outcome, kept, tree.chance[outcome], depth, steps, work)


@jit
def make_root(p, bounds, tree, work):
    """Return the node of the belief of the position ``p`` in an empty tree; or `NOWHERE`."""
    for i in range(len(p.state)):
        work.touched[i] = p.state[i]
        work.mass[p.state[i]] = p.share[i]
    return find_or_make(p, bounds, tree, NOWHERE, len(p.state), 1.0, 0, p.steps, work)


@jit
def find_or_make(p, bounds, tree, parent, count, total, depth, steps, work):
    """Return the node of the belief in ``work``, an earlier one if its shares differ by 1e-9."""
    key = np.uint64(0 if p.endless else steps)
    for i in range(count):
        state = work.touched[i]
        place = np.int64(work.mass[state] / total * _GRID + _OFF_GRID)
        key += fold(fold(np.uint64(0), state), place)
    room = has_room(tree, NODES, 1, len(tree.node_value)) and has_room(
        tree, NUMBERS, count, len(tree.state)
    )
    slot = find_slot(tree, max(key, np.uint64(1)), room)
    node = NOWHERE if slot == NOWHERE else load(tree.slot_node, slot)
    if len(tree.node_value) == 1 and node != MAKING:
        node = NOWHERE  # one step of look-ahead, even where it leads back
    if node == MAKING and room:
        node = make_node(p, bounds, tree, parent, count, total, depth, steps, work)
        if node != NOWHERE:
            compare_and_swap(tree.slot_node, slot, MAKING, node)
        return node
    for i in range(count):
        work.mass[work.touched[i]] = 0.0
    return max(node, NOWHERE)


@jit
def make_node(p, bounds, tree, parent, count, total, depth, steps, work):
    """Return a node with the ``count`` states of ``work``, divided by ``total``; or `NOWHERE`.

    Its edges have their first values.  Empties the working memory.
    """
    live, legal = NOWHERE, 0
    for i in range(count):
        state = work.touched[i]
        if p.kind[state] == LIVE:
            if live == NOWHERE:
                live, legal = state, p.legal_first[state + 1] - p.legal_first[state]
            elif not alike(p, live, state):
                raise ValueError("the legal actions differ between the states of a belief")
    if steps <= 0:
        legal = 0
    numbers = edges = NOWHERE
    node = take(tree, NODES, 1, len(tree.node_value))
    if node != NOWHERE:
        numbers = take(tree, NUMBERS, count, len(tree.state))
    if numbers != NOWHERE:
        edges = take(tree, EDGES, legal, len(tree.action))
    for i in range(count):
        state = work.touched[i]
        if edges != NOWHERE:
            tree.state[numbers + i] = state
            tree.share[numbers + i] = work.mass[state] / total
        work.mass[state] = 0.0
    if edges == NOWHERE:
        return NOWHERE
    tree.belief_first[node], tree.belief_length[node] = numbers, count
    tree.node_first[node], tree.node_length[node] = edges, legal
    tree.node_depth[node], tree.node_parent[node] = depth, parent
    tree.node_visits[node] = 0
    tree.node_value[node] = tree.node_lower[node] = 0.0
    if legal > 0:
        list_edges(p, bounds, tree, node, live, steps, work)
    return node


@jit
def alike(p, one, other):
    """Return whether two states have the same legal actions."""
    first, second = p.legal_first[one], p.legal_first[other]
    length = p.legal_first[one + 1] - first
    if p.legal_first[other + 1] - second != length:
        return False
    if length == p.actions:
        return True
    differ = 0
    for k in range(length):
        differ += p.legal[first + k] != p.legal[second + k]
    return differ == 0


@jit
def list_edges(p, bounds, tree, node, live, steps, work):
    """Fill the edges of ``node``, at which the actions of the state ``live`` are legal."""
    first, lower = bounds.first[min(steps, len(bounds.first) - 1)], bounds.lower
    begin, end = tree.belief_first[node], tree.belief_first[node] + tree.belief_length[node]
    worth = greatest_sum(tree, begin, end, lower[min(steps, len(lower) - 1)])
    edges, legal, length = tree.node_first[node], p.legal_first[live], tree.node_length[node]
    for k in range(length):
        edge = edges + k
        tree.action[edge], tree.node[edge], tree.status[edge] = p.legal[legal + k], node, FRESH
        tree.gain[edge] = tree.value[edge] = tree.prior[edge] = tree.total[edge] = 0.0
        tree.lower[edge] = -np.inf
        tree.visits[edge] = tree.in_flight[edge] = tree.length[edge] = 0
    for i in range(begin, end):
        state, share = np.int64(tree.state[i]), tree.share[i]
        for k in range(length):
            action = p.legal[legal + k]
            tree.gain[edges + k] += share * bounds.gain[state * p.actions + action]
            tree.value[edges + k] += share * first[state, action]
    if len(bounds.prior) > 0:
        for i in range(begin, end):
            for k in range(length):
                prior = bounds.prior[tree.state[i], p.legal[legal + k]]
                tree.prior[edges + k] += tree.share[i] * prior
    total, best = 0.0, -np.inf
    for edge in range(edges, edges + length):
        total += tree.prior[edge]
        best = max(best, tree.value[edge])
        widen_span(tree, tree.value[edge])
    for edge in range(edges, edges + length):
        tree.prior[edge] = tree.prior[edge] / total if total > 0.0 else 1.0 / length
    tree.node_value[node], tree.node_lower[node] = best, worth


@jit
def greatest_sum(tree, begin, end, vectors):
    """Return the maximum over ``vectors`` (S, L) of their mean under a belief; -inf without any."""
    best = -np.inf
    for k in range(vectors.shape[1]):
        found = 0.0
        for i in range(begin, end):
            found += tree.share[i] * vectors[tree.state[i], k]
        best = max(best, found)
    return best

"""Simulations of single states: POMCP, POMCP-DPW and POMCPOW [Sunberg & Kochenderfer 2018, alg. 2].

They differ in where an observation leads (`KernelParams.kind`):

* `KEYED`, POMCP [Silver & Veness 2010]: to the node of the same observation, rounded down to a
  multiple of ``grain``; the simulated state continues.
* `DRAWN`, POMCP-DPW: the number of observations is limited; the state that created the node
  continues, so every decision below is made as under full observability.
* `WEIGHTED`, POMCPOW: the number of observations is limited; the simulated state joins the node's
  particles, weighted by the density of the node's observation, and one drawn by weight continues.

As in the authors' programs, equal observations of `DRAWN` and `WEIGHTED` get separate nodes.

With too many actions to try all, the actions of a node are widened likewise [Couetoux et al. 2011]:
it gets a random one whenever it may have one more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.continuous.model import density, observe, reward, step, terminal, values
from mcts.continuous.tree import (
    NODES,
    add_action,
    add_node,
    add_particle,
    any_child,
    back_up,
    particle_at,
    select,
    slot_of,
    widens,
)
from mcts.kernel.atomics import load
from mcts.kernel.compile import jit, jit_inlined
from mcts.kernel.rng import below, fold, uniform
from mcts.threads import STOP
from mcts.tree import NOWHERE, ROOT

KEYED, DRAWN, WEIGHTED, BELIEFS = 0, 1, 2, 3
"""Kinds of search; `BELIEFS` is that of `mcts.continuous.belief_tree`."""
VALUES, RANDOM, GREEDY = 0, 1, 2
"""Leaves: values of the MDP; random roll-outs; roll-outs by those values (`BELIEFS` only)."""

_BELOW_ALL = 2**40


class KernelParams(NamedTuple):
    """Settings of a search, as its kernel takes them."""

    kind: int
    leaf: int
    exploration: float  # c, in the units of returns.
    depth: int  # Maximum depth of a simulation, in actions, ...
    ends: bool  # ... and whether the problem ends there.
    k: float
    alpha: float  # At most k n ** alpha observations follow an action tried n times.
    grain: float  # Width of the intervals that observations are rounded to, if `KEYED`.
    discount: float
    actions: int  # Number of actions of the model.
    k_action: float
    alpha_action: float
    """At most k_action N ** alpha_action actions of a node visited N times; 0: all."""


class Scratch(NamedTuple):
    """Work arrays of one search."""

    nodes: np.ndarray  # int64 (depth,): nodes along the path, ...
    edges: np.ndarray  # int64 (depth,): ... indices of the actions taken, ...
    rewards: np.ndarray  # float64 (depth,): ... and rewards.
    seen: np.ndarray  # float64 (length of an observation,)
    states: np.ndarray  # float64 (2, length of a state): the current state and the next.
    stream: np.ndarray  # uint64 (8,)


def run(p, tree, particles, settings, scratch, key, control, limit):
    """Run ``limit`` simulations from states of ``particles`` at the root, or until stopped.

    Returns the number that did not end at once.  ``control``: see `mcts.threads`.
    """
    done = 0
    for number in range(limit):
        if load(control, STOP) != 0:
            break
        scratch.stream[0] = fold(key, number)
        drawn = particles[below(scratch.stream, len(particles))]
        if not terminal(p, drawn):
            copy(drawn, scratch.states[0])
            simulate(p, tree, settings, scratch)
            done += 1
    return done


@jit
def copy(row, into):
    """Copy one row to another."""
    for i in range(len(row)):
        into[i] = row[i]


@jit_inlined
def simulate(p, tree, settings, scratch):
    """Follow the tree from the root to a new node or the end, and update statistics."""
    s, then, stream = scratch.states[0], scratch.states[1], scratch.stream
    node, depth, total, fresh = ROOT, 0, 0.0, False
    while depth < settings.depth and not fresh and not terminal(p, s):
        edge = choose(tree, node, settings, stream)
        action = tree.actions[node, edge]
        scratch.nodes[depth], scratch.edges[depth] = node, edge
        step(p, s, action, then, stream)
        gain = reward(p, s, action, then)
        before = tree.counters[NODES]
        node = follow(p, tree, node, edge, gain, settings, scratch)
        fresh = node == NOWHERE or tree.counters[NODES] > before
        if not fresh and settings.kind != KEYED:
            gain = draw_particle(p, tree, node, action, s, settings, scratch)
        scratch.rewards[depth] = gain
        copy(then, s)
        depth += 1
    if fresh:
        total = leaf(p, s, then, settings, settings.depth - depth, stream)
    while depth > 0:
        depth -= 1
        total = scratch.rewards[depth] + settings.discount * total
        back_up(tree, scratch.nodes[depth], scratch.edges[depth], total)


@jit_inlined
def choose(tree, node, settings, stream):
    """Return the index of the action to try, after widening the node if it may grow."""
    if settings.k_action > 0.0 and widens(
        tree.open[node], tree.visits[node], settings.k_action, settings.alpha_action
    ):
        add_action(tree, node, below(stream, settings.actions))
    return select(tree, node, settings.exploration, stream)


@jit_inlined
def follow(p, tree, node, edge, gain, settings, scratch):
    """Return the node that the observation leads to, possibly new; `NOWHERE` if full."""
    then, seen, action = scratch.states[1], scratch.seen, tree.actions[node, edge]
    if settings.kind == KEYED:
        observe(p, action, then, seen, scratch.stream)
        key = fold(fold(np.uint64(node), edge), 0)
        for i in range(len(seen)):
            key = fold(key, np.int64(np.floor(seen[i] / settings.grain)) + _BELOW_ALL)
        slot = slot_of(tree, key)
        child = tree.slots[slot]
        if child == NOWHERE:
            child = add_node(tree, node, edge, seen, 0)
            tree.slots[slot] = child
            if child != NOWHERE:
                tree.keys[child] = key
        return child
    tried = tree.edge_visits[node, edge]
    if widens(tree.children[node, edge], tried, settings.k, settings.alpha):
        observe(p, action, then, seen, scratch.stream)
        child = add_node(tree, node, edge, seen, 1)
        if child != NOWHERE:
            weight = density(p, action, then, seen) if settings.kind == WEIGHTED else 1.0
            add_particle(tree, child, then, gain, weight if weight >= 0.0 else np.nan)
        return child
    return any_child(tree, node, edge, scratch.stream)


@jit_inlined
def draw_particle(p, tree, node, action, s, settings, scratch):
    """Continue with a particle of ``node``; return the reward on entering it."""
    then = scratch.states[1]
    if settings.kind == WEIGHTED:
        weight = density(p, action, then, tree.seen[node])
        if weight != 0.0:  # invalid weights remain nan, for the planner to detect
            weight = weight if weight > 0.0 else np.nan
            add_particle(tree, node, then, reward(p, s, action, then), weight)
    total = tree.reached[tree.first[node] + tree.size[node] - 1]
    place = particle_at(tree, node, uniform(scratch.stream) * total)
    copy(tree.states[place], then)
    return tree.rewards[place] if settings.kind == WEIGHTED else reward(p, s, action, then)


@jit_inlined
def leaf(p, s, then, settings, steps, stream):
    """Return the value estimate of ``s``; a roll-out changes it and ``then``."""
    if settings.leaf == VALUES:
        if terminal(p, s) or (settings.ends and steps == 0):
            return 0.0
        best = -np.inf
        for action in range(settings.actions):
            best = max(best, values(p, s, action))
        return best
    total, weight = 0.0, 1.0
    while steps > 0 and not terminal(p, s):
        action = below(stream, settings.actions)
        step(p, s, action, then, stream)
        total += weight * reward(p, s, action, then)
        weight *= settings.discount
        copy(then, s)
        steps -= 1
    return total

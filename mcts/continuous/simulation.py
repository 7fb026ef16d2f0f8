"""Simulations of single states: POMCP, POMCP-DPW and POMCPOW [Sunberg & Kochenderfer 2018, alg. 2].

They differ in what an observation leads to (`KernelParams.kind`):

* `KEYED`, POMCP [Silver & Veness 2010]: the node of the same observation, rounded down to the
  multiple of ``grain``; the simulated state goes on.
* `DRAWN`, POMCP-DPW: observations are limited; a state that came first with the node goes on, so
  that the node knows it and all below decide as if they saw everything.
* `WEIGHTED`, POMCPOW: observations are limited; the simulated state joins the node's particles,
  weighed by the density of the node's observation, and one drawn by weight goes on.

As in the authors' programs, equal observations of `DRAWN` and `WEIGHTED` are nodes of their own.

Where there are too many actions to try all, those of a node are limited likewise [Couetoux et al.
2011]: it gets a random one whenever it may have one more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.continuous.model import density, legal, observe, reward, step, terminal, values
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
"""Leaves: values of the MDP; random roll-outs; roll-outs by them (of `BELIEFS` alone)."""

_BELOW_ALL = 2**40


class KernelParams(NamedTuple):
    """Choices of a search, as its kernel takes them."""

    kind: int
    leaf: int
    exploration: float
    """c, in the units of returns."""
    depth: int
    """Actions that a simulation looks ahead, ..."""
    ends: bool
    """... and whether all is over then."""
    k: float
    alpha: float
    """At most k n ** alpha observations follow an action tried n times."""
    grain: float
    """Width of the intervals that observations are rounded to, if `KEYED`."""
    discount: float
    actions: int
    """How many the model has."""
    k_action: float
    alpha_action: float
    """At most k_action N ** alpha_action actions of a node visited N times; 0: all of them."""


class Scratch(NamedTuple):
    """Arrays that one search works on."""

    nodes: np.ndarray
    """int64 (depth,): the way through the tree, ..."""
    edges: np.ndarray
    """int64 (depth,): ... places of what was done there, ..."""
    rewards: np.ndarray
    """float64 (depth,): ... and what it brought."""
    seen: np.ndarray
    """float64 (numbers observed at once,)"""
    states: np.ndarray
    """float64 (2, numbers of a state): this and the next."""
    stream: np.ndarray
    """uint64 (8,)"""


def run(p, tree, particles, settings, scratch, key, control, limit):
    """Run ``limit`` simulations from states of ``particles`` at the root, or until stopped.

    Returns how many were not over at once.  ``control``: as of `mcts.threads`.
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
    """Copy one row of numbers to another."""
    for i in range(len(row)):
        into[i] = row[i]


@jit_inlined
def simulate(p, tree, settings, scratch):
    """Follow the tree from the root to a new node or the end, and count what came of it."""
    s, then, stream = scratch.states[0], scratch.states[1], scratch.stream
    node, depth, total, fresh = ROOT, 0, 0.0, False
    while depth < settings.depth and not fresh and not terminal(p, s):
        edge = choose(p, s, tree, node, settings, stream)
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


def any_legal(p, s, actions, stream):
    """Return a legal action, each as likely; draws until one is."""
    action = below(stream, actions)
    while not legal(p, s, action):
        action = below(stream, actions)
    return action


_any_legal = jit_inlined(any_legal)


@jit_inlined
def choose(p, s, tree, node, settings, stream):
    """Return the place of the action to try; first the node gets one more if it may."""
    if settings.k_action > 0.0 and widens(
        tree.open[node], tree.visits[node], settings.k_action, settings.alpha_action
    ):
        add_action(tree, node, _any_legal(p, s, settings.actions, stream))
    return select(p, s, tree, node, settings.exploration, stream)


@jit_inlined
def follow(p, tree, node, edge, gain, settings, scratch):
    """Return the node that the observation leads to, which may be new; `NOWHERE` if all is full."""
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
    """Go on with a particle of ``node``; return the reward on the way to it."""
    then = scratch.states[1]
    if settings.kind == WEIGHTED:
        weight = density(p, action, then, tree.seen[node])
        if weight != 0.0:  # what is no weight is left as nan for the planner to find
            weight = weight if weight > 0.0 else np.nan
            add_particle(tree, node, then, reward(p, s, action, then), weight)
    total = tree.reached[tree.first[node] + tree.size[node] - 1]
    place = particle_at(tree, node, uniform(scratch.stream) * total)
    copy(tree.states[place], then)
    return tree.rewards[place] if settings.kind == WEIGHTED else reward(p, s, action, then)


@jit_inlined
def best_value(p, s, actions):
    """Return what the best legal of ``actions`` is worth to one who sees all."""
    best = -np.inf
    for action in range(actions):
        if legal(p, s, action):
            best = max(best, values(p, s, action))
    return best


@jit_inlined
def leaf(p, s, then, settings, steps, stream):
    """Return what is ahead of ``s``; a roll-out changes it and ``then``."""
    if settings.leaf == VALUES:
        over = terminal(p, s) or (settings.ends and steps == 0)
        return 0.0 if over else best_value(p, s, settings.actions)
    total, weight = 0.0, 1.0
    while steps > 0 and not terminal(p, s):
        action = _any_legal(p, s, settings.actions, stream)
        step(p, s, action, then, stream)
        total += weight * reward(p, s, action, then)
        weight *= settings.discount
        copy(then, s)
        steps -= 1
    return total

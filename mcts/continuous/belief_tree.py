"""PFT-DPW [Sunberg & Kochenderfer 2018, alg. 3]: the tree of a particle filter's beliefs.

A node is a belief of a few particles.  To add one, an observation is simulated from a particle of
its parent, and the parent's particles are propagated, weighed and resampled.  Whether a simulation
continues below is decided as in POMCPOW (`mcts.continuous.simulation`), with beliefs as states.

As in the authors' program, the reward is the weighted mean, terminal particles take no part in the
next step, and at the root each new belief starts from other particles.  The authors also redraw
some particles from the observation and restart beliefs that no particle explains; here such a
belief becomes the state that the observation was simulated from.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts.continuous.belief import resample
from mcts.continuous.model import density, observe, reward, step, terminal, values
from mcts.continuous.simulation import RANDOM, VALUES, choose, copy, leaf
from mcts.continuous.tree import add_node, any_child, back_up, widens
from mcts.kernel.atomics import load
from mcts.kernel.compile import jit_inlined
from mcts.kernel.rng import below, fold
from mcts.threads import STOP
from mcts.tree import NOWHERE, ROOT


class Beliefs(NamedTuple):
    """Working particles of one search: rows of states, and float64 (M,), ``M`` per belief."""

    now: np.ndarray
    moved: np.ndarray
    after: np.ndarray
    weights: np.ndarray


def run_beliefs(p, tree, particles, settings, scratch, beliefs, key, control, limit):
    """Run simulations as `run` does, with beliefs of ``particles`` at the root."""
    done = 0
    for number in range(limit):
        if load(control, STOP) != 0:
            break
        scratch.stream[0] = fold(key, number)
        for i in range(len(beliefs.now)):
            copy(particles[below(scratch.stream, len(particles))], beliefs.now[i])
        if pick(p, beliefs.now, scratch.stream) != NOWHERE:
            simulate_belief(p, tree, settings, scratch, beliefs)
            done += 1
    return done


@jit_inlined
def pick(p, belief, stream):
    """Return the index of a non-terminal particle, uniformly; `NOWHERE` without one."""
    chosen, found = NOWHERE, 0
    for i in range(len(belief)):
        if not terminal(p, belief[i]):
            found += 1
            if below(stream, found) == 0:
                chosen = i
    return chosen


@jit_inlined
def simulate_belief(p, tree, settings, scratch, beliefs):
    """Follow the tree from the root to a new belief or the end, and update statistics."""
    stream, m = scratch.stream, len(beliefs.now)
    node, depth, total, fresh = ROOT, 0, 0.0, False
    here = pick(p, beliefs.now, stream)
    while depth < settings.depth and not fresh and here != NOWHERE:
        edge = choose(tree, node, settings, stream)
        scratch.nodes[depth], scratch.edges[depth] = node, edge
        tried = tree.edge_visits[node, edge]
        if widens(tree.children[node, edge], tried, settings.k, settings.alpha):
            fresh = True
            gain = filter_step(p, beliefs, here, tree.actions[node, edge], scratch)
            node = add_node(tree, node, edge, scratch.seen, m)
            if node != NOWHERE:
                tree.size[node] = m
                tree.rewards[tree.first[node]] = gain
                for i in range(m):
                    copy(beliefs.now[i], tree.states[tree.first[node] + i])
        else:
            node = any_child(tree, node, edge, stream)
            gain = tree.rewards[tree.first[node]]
            for i in range(m):
                copy(tree.states[tree.first[node] + i], beliefs.now[i])
        scratch.rewards[depth] = gain
        here = pick(p, beliefs.now, stream)
        depth += 1
    if fresh and here != NOWHERE:
        total = leaf_of_belief(p, beliefs, here, settings, settings.depth - depth, scratch)
    while depth > 0:
        depth -= 1
        total = scratch.rewards[depth] + settings.discount * total
        back_up(tree, scratch.nodes[depth], scratch.edges[depth], total)


@jit_inlined
def filter_step(p, beliefs, here, action, scratch):
    """Update the belief ``now`` on an observation simulated from its particle ``here``.

    Returns the reward.  If no particle explains the observation, all become the simulated state.
    """
    stream, now = scratch.stream, beliefs.now
    step(p, now[here], action, scratch.states[0], stream)
    observe(p, action, scratch.states[0], scratch.seen, stream)
    total, gain = 0.0, 0.0
    for i in range(len(now)):
        beliefs.weights[i] = 0.0
        if not terminal(p, now[i]):
            step(p, now[i], action, beliefs.moved[i], stream)
            weight = density(p, action, beliefs.moved[i], scratch.seen)
            if not weight >= 0.0:
                return np.nan  # for the planner to find
            beliefs.weights[i] = weight
            total += weight
            gain += weight * reward(p, now[i], action, beliefs.moved[i])
    if total > 0.0:
        gain /= total
        resample(beliefs.moved, beliefs.weights, total, beliefs.after, stream)
        for i in range(len(now)):
            copy(beliefs.after[i], now[i])
        return gain
    gain = reward(p, now[here], action, scratch.states[0])
    for i in range(len(now)):
        copy(scratch.states[0], now[i])
    return gain


@jit_inlined
def best_by_values(p, belief, actions):
    """Return the action of greatest mean value, and that value [QMDP: Littman 1995].

    Values are those under full observability; terminal particles count 0.
    """
    chosen, best = NOWHERE, -np.inf
    for action in range(actions):
        total = 0.0
        for i in range(len(belief)):
            if not terminal(p, belief[i]):
                total += values(p, belief[i], action)
        if total / len(belief) > best:
            chosen, best = action, total / len(belief)
    return chosen, best


def choose_by_mean(p, particles, actions, stream):
    """Return the QMDP action for ``particles``; `NOWHERE` if all are terminal."""
    over = pick(p, particles, stream) == NOWHERE
    return NOWHERE if over else best_by_values(p, particles, actions)[0]


@jit_inlined
def leaf_of_belief(p, beliefs, here, settings, steps, scratch):
    """Return the value estimate of the belief ``now``; roll-outs change it."""
    if settings.leaf == VALUES:
        if settings.ends and steps == 0:
            return 0.0
        return best_by_values(p, beliefs.now, settings.actions)[1]
    if settings.leaf == RANDOM:
        s, then = scratch.states[0], scratch.states[1]
        copy(beliefs.now[below(scratch.stream, len(beliefs.now))], s)  # terminal ones count 0
        return leaf(p, s, then, settings, steps, scratch.stream)
    total, weight = 0.0, 1.0
    while steps > 0 and here != NOWHERE:
        action, _ = best_by_values(p, beliefs.now, settings.actions)
        total += weight * filter_step(p, beliefs, here, action, scratch)
        weight *= settings.discount
        here = pick(p, beliefs.now, scratch.stream)
        steps -= 1
    return total

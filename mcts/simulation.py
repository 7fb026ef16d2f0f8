"""One simulation: select -> expand -> roll out -> backpropagate.

Monte Carlo tree search over observation histories [POMCP: Silver & Veness 2010; ISMCTS: Cowling,
Powley & Whitehouse 2012; thesis: Ledford 2018, s. 2.3 and 2.5], for any registered domain
(`mcts.domain`).  `mcts.reference` is the same in plain Python.  Where this differs from the papers:

* A node's actions are listed on its second visit (listing may be expensive); the first only rolls
  out.  The root's are listed on the first.
* Statistics are kept on edges, so a node's legal list may be any part of the domain's actions.
  They are those of the player who decides at the node.
* A tree that has used up its budget of nodes or edges continues searching without growing.

Information sets: every perspective has a running key, a hash of its observations and actions so
far; a node is looked up by it when that perspective decides.  With one perspective these are the
nodes of POMCP or SO-ISMCTS; with one per player, the trees of MO-ISMCTS, all in one table.

Leaf parallelization: the first thread shares each leaf, all threads roll out from copies of it, and
the first thread takes the mean when all have answered.

Randomness: simulation i of a search owns the stream keyed by fold(search key, i), whichever thread
runs it; with common random numbers, by fold(search key, visits of its root action).  On a shared
leaf, worker w uses the simulation's stream folded with w.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from mcts.domain import (
    actions,
    copy,
    mover,
    observation,
    observation_of,
    outcome,
    payoff,
    rollout,
    start,
    step,
    terminal,
)
from mcts.kernel.atomics import compare_and_swap, fetch_add, load
from mcts.kernel.compile import jit, jit_generic, jit_inlined
from mcts.kernel.rng import draw, fold
from mcts.memory import LISTING_ACTIONS, ROLLING_OUT, SELECTING, Scratch, begin_lap, end_lap
from mcts.options import SEEN, KernelParams
from mcts.selection import node_value, select
from mcts.threads import ANSWERED, CHANCE, ENDED, NEXT, STOP, TICKET, give_way
from mcts.tree import (
    BELOW_ONE,
    EXPANDED,
    EXPANDING,
    GREATEST,
    NOWHERE,
    SIMULATIONS,
    TOP,
    UNLISTED,
    Tree,
    child_key,
    expand,
    get_or_add_node,
)


class Arguments(NamedTuple):
    """Arguments of `run_simulations`: of the thread, the first thread, the search and the call.

    In a leaf-parallel search the other threads share the first thread's leaves.
    """

    params: Any
    state: Any
    rollout_state: Any
    scratch: Scratch
    leader_state: Any
    leader_scratch: Scratch
    tree: Tree
    settings: KernelParams
    key: np.uint64
    control: np.ndarray
    limit: int
    """Simulations of the search over all threads."""
    max_count: int
    """Simulations of this call."""
    worker: int


def run_simulations(
    params,
    state,
    rollout_state,
    scratch,
    leader_state,
    leader_scratch,
    tree,
    settings,
    key,
    control,
    limit,
    max_count,
    worker,
):
    """Run up to ``max_count`` simulations of the search ``key``; return how many were run.

    It runs fewer when simulation ``limit`` is reached or ``control`` says stop.  This is the
    kernel: `specialise` compiles it for a domain, and every thread of a search calls it with
    `Arguments`.
    """
    if settings.leaf_threads > 1 and worker > 0:
        return assist(
            params, rollout_state, scratch, leader_state, leader_scratch, settings, control, worker
        )
    done = 0
    returns = 0.0
    while done < max_count and load(control, STOP) == 0:
        number = fetch_add(control, NEXT, 1)
        if number >= limit:
            break
        returns += simulate(
            params, state, rollout_state, tree, scratch, settings, control, key, number
        )
        done += 1
    fetch_add(tree.returns, 0, returns)
    fetch_add(tree.counters, SIMULATIONS, done)
    return done


@jit_inlined
def simulate(params, state, rollout_state, tree, scratch, settings, control, key, number):
    """Run one simulation from the root; return the scaled return of player 0."""
    begin_lap(scratch)
    scratch.stream[0] = fold(key, number)
    chosen = NOWHERE
    if settings.common_random_numbers and load(tree.status, tree.counters[TOP]) == EXPANDED:
        chosen = share_chance(params, state, tree, scratch, settings, key)
    start(params, state, scratch.stream)
    depth = descend(params, state, tree, scratch, settings, chosen)
    end_lap(scratch, SELECTING)
    roll_out(params, state, rollout_state, scratch, control, settings)
    end_lap(scratch, ROLLING_OUT)
    return backpropagate(tree, scratch, depth, settings)


@jit_inlined
def descend(params, state, tree, scratch, settings, chosen):
    """Select from the root down to a leaf, and expand it; return the number of edges followed.

    ``chosen`` is the root's edge if it has been selected already, else `NOWHERE`.
    """
    node, depth = tree.counters[TOP], 0
    begin_keys(tree, node, scratch, settings)
    if settings.perspectives > 1:
        add_knowledge(params, state, scratch, settings)
    while node != NOWHERE and visit(params, state, tree, node, scratch, settings):
        edge = chosen if chosen != NOWHERE else select(params, state, tree, node, settings)
        if edge == NOWHERE:
            break
        chosen = NOWHERE
        player, action = mover(params, state), tree.action[edge]
        fetch_add(tree.edge_in_flight, edge, 1)
        scratch.edges[depth], scratch.movers[depth] = edge, player
        scratch.nodes[depth] = node
        scratch.rewards[depth] = step(params, state, action, tree.edge_data[edge], scratch.stream)
        depth += 1
        node, before = NOWHERE, node
        if terminal(params, state) or depth == len(scratch.edges):
            break
        view = perspective(player, settings)
        scratch.node[view], scratch.edge[view] = before, edge
        if settings.players == 1:
            scratch.key[0] = child_key(scratch.key[0], action, observation(params, state))
        else:
            observe(params, state, scratch, settings, player, action)
        view = perspective(mover(params, state), settings)
        node = get_or_add_node(tree, scratch.key[view], scratch.node[view], scratch.edge[view])
        if node != NOWHERE and load(tree.visits, node) == 0:
            tree.outcome[node] = outcome(params, state)
    scratch.nodes[depth] = node
    if node != NOWHERE:
        scratch.movers[depth] = mover(params, state)
    return depth


@jit_inlined
def roll_out(params, state, rollout_state, scratch, control, settings):
    """Fill ``scratch.payoff`` with each player's return from the leaf ``state``."""
    for player in range(settings.players):
        scratch.payoff[player] = 0.0
    if terminal(params, state):
        if settings.players > 1:
            add_payoffs(params, state, 0.0, scratch.payoff, settings)
    elif settings.leaf_threads == 1 and settings.rollouts_per_leaf == 1:
        add_payoffs(params, state, rollout(params, state, scratch.stream), scratch.payoff, settings)
    else:
        average_rollouts(params, state, rollout_state, scratch, control, settings)


@jit
def backpropagate(tree, scratch, depth, settings):
    """Add the returns from each edge followed to its statistics; return player 0's, scaled.

    With ``pruning`` each node passes up by how much its visits times its value grew, so that an
    edge's total is what the nodes below it are worth, by their visits.
    """
    value = scratch.payoff[0]
    leaf = scratch.nodes[depth]
    if leaf != NOWHERE:
        rolled = (scratch.payoff[scratch.movers[depth]] - settings.low) / settings.span
        fetch_add(tree.rolled, leaf, rolled)
        fetch_add(tree.rolls, leaf, 1)
        if settings.pruning > 0.0:
            value = settle(tree, leaf, settings)
    for i in range(depth - 1, -1, -1):
        edge = scratch.edges[i]
        if settings.players == 1:
            value = scratch.rewards[i] + settings.discount * value
        else:
            value = scratch.payoff[scratch.movers[i]]
        scaled = (value - settings.low) / settings.span
        fetch_add(tree.edge_total, edge, scaled)
        fetch_add(tree.edge_squares, edge, scaled * scaled)
        fetch_add(tree.edge_visits, edge, 1)
        fetch_add(tree.edge_in_flight, edge, -1)
        if settings.unit == SEEN:
            note_seen(tree, edge)
        if settings.pruning > 0.0 and i > 0:
            value = settle(tree, scratch.nodes[i], settings)
    if settings.players > 1:
        value = scratch.payoff[0]
    return (value - settings.low) / settings.span


@jit
def settle(tree, node, settings):
    """Bring what ``node`` has passed up to its visits times its value; return the difference."""
    visits, scaled = node_value(tree, node, settings)
    change = visits * (settings.low + settings.span * scaled) - load(tree.passed, node)
    fetch_add(tree.passed, node, change)
    return change


@jit
def note_seen(tree, edge):
    """Extend the range of the means seen by that of ``edge``."""
    mean = tree.edge_total[edge] / tree.edge_visits[edge]
    tree.returns[GREATEST] = max(tree.returns[GREATEST], mean)
    tree.returns[BELOW_ONE] = max(tree.returns[BELOW_ONE], 1.0 - mean)


@jit_inlined
def visit(params, state, tree, node, scratch, settings):
    """Count a visit of ``node``, list its actions if due; return whether it has edges to follow."""
    before = fetch_add(tree.visits, node, 1)
    status = load(tree.status, node)
    due = status == UNLISTED and (before > 0 or node == tree.counters[TOP])
    if due and compare_and_swap(tree.status, node, UNLISTED, EXPANDING) == UNLISTED:
        end_lap(scratch, SELECTING)
        n = actions(params, state, scratch.actions, scratch.edge_data)
        if n > len(scratch.actions):
            raise ValueError("the domain listed more actions than the max_actions it declares")
        status = expand(tree, node, scratch.actions, scratch.edge_data, n)
        end_lap(scratch, LISTING_ACTIONS)
    return status == EXPANDED


@jit_generic
def share_chance(params, state, tree, scratch, settings, key):
    """Select the root's edge, and key the chance by its visits; return the edge."""
    chosen = select(params, state, tree, tree.counters[TOP], settings)
    scratch.stream[0] = fold(key, tree.edge_visits[chosen] + tree.edge_in_flight[chosen])
    return chosen


@jit
def begin_keys(tree, root, scratch, settings):
    """Set every perspective's key to that of ``root``."""
    for view in range(settings.perspectives):
        scratch.node[view] = scratch.edge[view] = NOWHERE
        scratch.key[view] = tree.key[root]


@jit_inlined
def add_knowledge(params, state, scratch, settings):
    """Extend the keys of the players other than 0 by all their knowledge at the root."""
    for view in range(1, settings.perspectives):
        scratch.key[view] = child_key(scratch.key[view], view, observation_of(params, state, view))


@jit
def perspective(player, settings):
    """Return the perspective whose information sets hold the decisions of ``player``."""
    return player if settings.perspectives > 1 else 0


@jit_inlined
def observe(params, state, scratch, settings, player, action):
    """Extend all keys by the observations of ``player``'s ``action``."""
    for view in range(settings.perspectives):
        what = observation_of(params, state, view)
        if view == player:
            scratch.key[view] = child_key(scratch.key[view], action, what)
        else:
            scratch.key[view] = fold(scratch.key[view], what)


@jit_generic
def add_payoffs(params, state, value, sums, settings):
    """Add to ``sums`` the payoffs of a play-out with end ``state`` and return ``value``."""
    if settings.players == 1:
        fetch_add(sums, 0, value)
    else:
        for player in range(settings.players):
            fetch_add(sums, player, payoff(params, state, player))


@jit_generic
def average_rollouts(params, state, rollout_state, scratch, control, settings):
    """Fill ``scratch.payoff``, zero so far, with the mean of several roll-outs from ``state``."""
    if settings.leaf_threads > 1:
        count = _share(params, state, rollout_state, scratch, control, settings)
    else:
        count = _play_out(params, state, rollout_state, scratch.stream, scratch.payoff, settings)
    for player in range(settings.players):
        scratch.payoff[player] /= count


@jit_generic
def _play_out(params, state, rollout_state, stream, sums, settings):
    """Add the payoffs of roll-outs from copies of ``state`` to ``sums``; return their number."""
    for _ in range(settings.rollouts_per_leaf):
        copy(params, state, rollout_state)
        add_payoffs(params, rollout_state, rollout(params, rollout_state, stream), sums, settings)
    return settings.rollouts_per_leaf


@jit_generic
def _share(params, state, rollout_state, scratch, control, settings):
    """Roll out together with the other threads; return the number of roll-outs."""
    own = scratch.stream[0]
    control[ANSWERED] = 0
    control[CHANCE] = np.int64(own)
    fetch_add(control, TICKET, 1)
    scratch.stream[0] = fold(own, 0)
    _play_out(params, state, rollout_state, scratch.stream, scratch.payoff, settings)
    while load(control, ANSWERED) < settings.leaf_threads - 1 and load(control, STOP) == 0:
        give_way()
    scratch.stream[0] = own
    draw(scratch.stream)
    return settings.rollouts_per_leaf * (1 + load(control, ANSWERED))


@jit_generic
def assist(params, rollout_state, scratch, leader_state, leader_scratch, settings, control, worker):
    """Roll out from every leaf that the first thread shares, until the search ends; return 0."""
    ticket = 0
    while True:
        while load(control, TICKET) == ticket:
            if load(control, ENDED) or load(control, STOP):
                return 0
            give_way()
        ticket = load(control, TICKET)
        begin_lap(scratch)
        scratch.stream[0] = fold(np.uint64(load(control, CHANCE)), worker)
        _play_out(
            params, leader_state, rollout_state, scratch.stream, leader_scratch.payoff, settings
        )
        end_lap(scratch, ROLLING_OUT)
        fetch_add(control, ANSWERED, 1)

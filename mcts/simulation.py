"""One simulation: select -> expand -> roll out -> backpropagate.

Monte Carlo tree search over observation histories [POMCP: Silver & Veness 2010; ISMCTS: Cowling,
Powley & Whitehouse 2012; thesis: Ledford 2018, s. 2.3 and 2.5], for any registered domain
(`mcts.domain`).  Where this differs from the papers:

* A node's actions are listed on its second visit (a domain may find listing expensive); the first
  only rolls out.  The root's are listed on the first.
* Statistics are kept on edges, so a node's legal list may be any part of the domain's actions.
  They are those of the player who decides at the node.
* A tree that has used up its budget of nodes or edges goes on searching without growing.

Beside the four phases: whose information set a node is (`mcts.perspectives`), several roll-outs of
a leaf and threads that share them (`mcts.leaf`), the time of the phases (`mcts.scratch`).

Randomness: simulation i of a search owns the stream keyed by fold(search key, i), whichever thread
runs it; with common random numbers, by fold(search key, how often its root action was tried).
"""

from __future__ import annotations

from mcts.domain import actions, mover, observation, outcome, rollout, start, step, terminal
from mcts.kernel.atomics import compare_and_swap, fetch_add, load
from mcts.kernel.compile import jit, jit_generic, jit_inlined
from mcts.kernel.rng import fold
from mcts.leaf import add_payoffs, assist, average_rollouts
from mcts.perspectives import add_knowledge, begin_keys, observe, perspective
from mcts.scratch import LISTING_ACTIONS, ROLLING_OUT, SELECTING, begin_lap, end_lap
from mcts.selection import select
from mcts.threads import NEXT, STOP
from mcts.tree import (
    LISTED,
    LISTING,
    NOWHERE,
    SIMULATIONS,
    TOP,
    UNLISTED,
    attach,
    child_key,
    expand,
)


def run_simulations(
    p, s, spare, scratch, lead, lead_scratch, tree, settings, key, control, limit, most, worker
):
    """Run up to ``most`` simulations of the search ``key``; return how many were run.

    Fewer are run when simulation ``limit`` is reached or ``control`` says stop.  This is the
    kernel: `specialise` compiles it for a domain, and every thread of a search calls it.  ``lead``
    and ``lead_scratch`` are those of the first thread, whose leaves the others share if the search
    is leaf-parallel.
    """
    if settings.leaf_threads > 1 and worker > 0:
        return assist(p, spare, scratch, lead, lead_scratch, settings, control, worker)
    done = 0
    returns = 0.0
    while done < most and load(control, STOP) == 0:
        number = fetch_add(control, NEXT, 1)
        if number >= limit:
            break
        returns += simulate(p, s, spare, tree, scratch, settings, control, key, number)
        done += 1
    fetch_add(tree.returns, 0, returns)
    fetch_add(tree.counters, SIMULATIONS, done)
    return done


@jit_inlined
def simulate(p, s, spare, tree, scratch, settings, control, key, number):
    """Run one simulation from the root; return the scaled return of player 0."""
    begin_lap(scratch)
    scratch.stream[0] = fold(key, number)
    chosen = NOWHERE
    if settings.common_random_numbers and load(tree.status, tree.counters[TOP]) == LISTED:
        chosen = share_chance(p, s, tree, scratch, settings, key)
    start(p, s, scratch.stream)
    depth = descend(p, s, tree, scratch, settings, chosen)
    end_lap(scratch, SELECTING)
    roll_out(p, s, spare, scratch, control, settings)
    end_lap(scratch, ROLLING_OUT)
    return backpropagate(tree, scratch, depth, settings)


@jit_inlined
def descend(p, s, tree, scratch, settings, chosen):
    """Select from the root down to a leaf, and expand it; return the number of edges followed.

    ``chosen`` is the root's edge if it has been selected already, else `NOWHERE`.
    """
    node, depth = tree.counters[TOP], 0
    begin_keys(tree, node, scratch, settings)
    if settings.perspectives > 1:
        add_knowledge(p, s, scratch, settings)
    while node != NOWHERE and visit(p, s, tree, node, scratch, settings):
        edge = chosen if chosen != NOWHERE else select(p, s, tree, node, settings)
        if edge == NOWHERE:
            break
        chosen = NOWHERE
        player, action = mover(p, s), tree.action[edge]
        fetch_add(tree.edge_in_flight, edge, 1)
        scratch.edges[depth], scratch.movers[depth] = edge, player
        scratch.rewards[depth] = step(p, s, action, tree.edge_data[edge], scratch.stream)
        depth += 1
        if terminal(p, s) or depth == len(scratch.edges):
            break
        view = perspective(player, settings)
        scratch.node[view], scratch.edge[view] = node, edge
        if settings.players == 1:
            scratch.key[0] = child_key(scratch.key[0], action, observation(p, s))
        else:
            observe(p, s, scratch, settings, player, action)
        view = perspective(mover(p, s), settings)
        node = expand(tree, scratch.key[view], scratch.node[view], scratch.edge[view])
        if node != NOWHERE and load(tree.visits, node) == 0:
            tree.outcome[node] = outcome(p, s)
    return depth


@jit_inlined
def roll_out(p, s, spare, scratch, control, settings):
    """Fill ``scratch.payoff`` with what each player gets from the leaf ``s`` on."""
    for player in range(settings.players):
        scratch.payoff[player] = 0.0
    if terminal(p, s):
        if settings.players > 1:
            add_payoffs(p, s, 0.0, scratch.payoff, settings)
    elif settings.leaf_threads == 1 and settings.rollouts_per_leaf == 1:
        add_payoffs(p, s, rollout(p, s, scratch.stream), scratch.payoff, settings)
    else:
        average_rollouts(p, s, spare, scratch, control, settings)


@jit
def backpropagate(tree, scratch, depth, settings):
    """Add the returns from each edge followed to its statistics; return player 0's, scaled."""
    value = scratch.payoff[0]
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
    if settings.players > 1:
        value = scratch.payoff[0]
    return (value - settings.low) / settings.span


@jit_inlined
def visit(p, s, tree, node, scratch, settings):
    """Count a visit of ``node``, list its actions if due; return whether it has edges to follow."""
    before = fetch_add(tree.visits, node, 1)
    status = load(tree.status, node)
    due = status == UNLISTED and (before > 0 or node == tree.counters[TOP])
    if due and compare_and_swap(tree.status, node, UNLISTED, LISTING) == UNLISTED:
        end_lap(scratch, SELECTING)
        n = actions(p, s, scratch.actions, scratch.edge_data)
        if n > len(scratch.actions):
            raise ValueError("the domain listed more actions than the max_actions it declares")
        status = attach(tree, node, scratch.actions, scratch.edge_data, n)
        end_lap(scratch, LISTING_ACTIONS)
    return status == LISTED


@jit_generic
def share_chance(p, s, tree, scratch, settings, key):
    """Select the root's edge, and name the chance by how often it was tried; return the edge."""
    chosen = select(p, s, tree, tree.counters[TOP], settings)
    scratch.stream[0] = fold(key, tree.edge_visits[chosen] + tree.edge_in_flight[chosen])
    return chosen

"""One simulation: select -> expand -> roll out -> backpropagate.

Monte Carlo tree search over observation histories [POMCP: Silver & Veness 2010; ISMCTS: Cowling,
Powley & Whitehouse 2012; thesis: Ledford 2018, s. 2.3 and 2.5], for any registered domain
(`mcts.domain`).  Where this differs from the papers:

* A node's actions are listed on visit ``expand_from``, by default its second (a domain may find
  listing expensive); earlier ones only roll out.  The root's are listed on the first.
* Statistics are kept on edges, so a node's legal list may be any part of the domain's actions.
  They are those of the player who decides at the node.
* A tree that has used up its budget of nodes or edges goes on searching without growing.
* Observations may be limited below an action [observation widening: POMCPOW, Sunberg &
  Kochenderfer 2018, alg. 2], see `take_outcome`.

Beside the four phases: whose information set a node is (`mcts.perspectives`), several roll-outs of
a leaf and threads that share them (`mcts.leaf`), the time of the phases (`mcts.scratch`).

Randomness: simulation i of a search owns the stream keyed by fold(search key, i), whichever thread
runs it; with common random numbers, by fold(search key, how often its root action was tried).
"""

from __future__ import annotations

import math

from mcts.domain import (
    actions,
    mover,
    observation,
    restore,
    rollout,
    save,
    start,
    step,
    terminal,
)
from mcts.kernel.atomics import compare_and_swap, fetch_add, load
from mcts.kernel.compile import jit, jit_generic
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
    add_outcome,
    attach,
    child_key,
    draw_outcome,
    expand,
    find,
)


def run_simulations(
    p,
    s,
    spare,
    scratch,
    lead,
    lead_scratch,
    tree,
    saved,
    settings,
    key,
    control,
    limit,
    most,
    worker,
):
    """Run up to ``most`` simulations of the search ``key``; return how many were run.

    Fewer are run when simulation ``limit`` is reached or ``control`` says stop.  This is the
    kernel: `specialise` compiles it for a domain, and every thread of a search calls it.  ``lead``
    and ``lead_scratch`` are those of the first thread, whose leaves the others share if the search
    is leaf-parallel; ``saved`` is what states at nodes are kept in, if outcomes are limited.
    """
    if settings.leaf_threads > 1 and worker > 0:
        return assist(p, spare, scratch, lead, lead_scratch, settings, control, worker)
    done = 0
    returns = 0.0
    while done < most and load(control, STOP) == 0:
        number = fetch_add(control, NEXT, 1)
        if number >= limit:
            break
        returns += simulate(p, s, spare, tree, saved, scratch, settings, control, key, number)
        done += 1
    fetch_add(tree.returns, 0, returns)
    fetch_add(tree.counters, SIMULATIONS, done)
    return done


@jit_generic
def simulate(p, s, spare, tree, saved, scratch, settings, control, key, number):
    """Run one simulation from the root; return the scaled return of player 0."""
    begin_lap(scratch)
    scratch.stream[0] = fold(key, number)
    chosen = NOWHERE
    if settings.common_random_numbers and load(tree.status, tree.counters[TOP]) == LISTED:
        chosen = share_chance(p, s, tree, scratch, settings, key)
    start(p, s, scratch.stream)
    depth = descend(p, s, tree, saved, scratch, settings, chosen)
    end_lap(scratch, SELECTING)
    roll_out(p, s, spare, scratch, control, settings)
    end_lap(scratch, ROLLING_OUT)
    return backpropagate(tree, scratch, depth, settings)


@jit_generic
def descend(p, s, tree, saved, scratch, settings, chosen):
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
        if settings.outcomes_base > 0.0:
            node = take_outcome(p, s, tree, saved, scratch, settings)
        else:
            node = expand(tree, scratch.key[view], scratch.node[view], scratch.edge[view])
    return depth


@jit_generic
def take_outcome(p, s, tree, saved, scratch, settings):
    """Return the node that the simulation goes on from: what it observed, or what it takes for it.

    Below an edge of n visits at most ceil(base n**exponent) nodes are made.  A simulation that
    observed something else takes over an outcome that is there, drawn in proportion to how often
    it was observed itself.  In POMCPOW and PFT-DPW the state behind it is drawn from particles;
    here the domain draws it from the exact belief (`mcts.domain.restore`).  The reward of the step
    stays: it is right on average over what was observed.  `NOWHERE` if there is nothing to take.
    """
    edge = scratch.edge[0]
    node = find(tree, scratch.key[0])
    reserved = node == NOWHERE and reserve_outcome(tree, edge, settings)
    if reserved:
        node = expand(tree, scratch.key[0], scratch.node[0], edge)
    if node != NOWHERE:
        # Of threads that arrive at once the first saves, whichever made the node.
        first = fetch_add(tree.arrivals, node, 1) == 0
        if first != reserved:
            fetch_add(tree.edge_outcomes, edge, 1 if first else -1)
        if first:
            save(p, s, saved, node)
            add_outcome(tree, edge, node)
        return node
    if reserved:  # the tree is full
        fetch_add(tree.edge_outcomes, edge, -1)
    node = draw_outcome(tree, edge, scratch.stream)
    if node != NOWHERE:
        if not restore(p, s, saved, node, scratch.stream):
            return NOWHERE
        scratch.key[0] = tree.key[node]
    return node


@jit
def reserve_outcome(tree, edge, settings):
    """Take one of the nodes that ``edge`` may lead to at this visit; False if all are taken."""
    n = float(tree.edge_visits[edge] + tree.edge_in_flight[edge])
    most = max(1, math.ceil(settings.outcomes_base * n**settings.outcomes_exponent))
    if fetch_add(tree.edge_outcomes, edge, 1) < most:
        return True
    fetch_add(tree.edge_outcomes, edge, -1)
    return False


@jit_generic
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


@jit_generic
def visit(p, s, tree, node, scratch, settings):
    """Count a visit of ``node``, list its actions if due; return whether it has edges to follow."""
    before = fetch_add(tree.visits, node, 1)
    status = load(tree.status, node)
    due = status == UNLISTED and (before + 1 >= settings.expand_from or node == tree.counters[TOP])
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

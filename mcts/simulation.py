"""One simulation: select -> expand -> roll out -> backpropagate.

Monte Carlo tree search over observation histories [POMCP: Silver & Veness 2010; ISMCTS: Cowling,
Powley & Whitehouse 2012; thesis: Ledford 2018, 2.5], for any registered domain (`mcts.domain`).
Where this differs from the papers:

* A node's actions are listed on its *second* visit (a domain may find listing expensive); the
  first visit only rolls out.  The root's are listed on the first.
* Statistics are kept on edges, so a node's legal list may be any part of the domain's actions.
  They are those of the player who decides at the node.
* A tree that has used up its budget of nodes or edges goes on searching without growing.

Every perspective has a running key, a hash of what it has seen and done on the way; a node is
looked up by it when that perspective decides.  With one perspective these are the nodes of POMCP,
or of SO-ISMCTS; with one a player, the trees of MO-ISMCTS, all in one table.

Randomness: simulation i of a search owns the stream keyed by fold(search key, i), whichever thread
runs it; with common random numbers, by fold(search key, how often its root action was tried).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mcts import threads
from mcts.domain import (
    actions,
    copy,
    mover,
    observation,
    payoff,
    rollout,
    seen,
    start,
    step,
    terminal,
)
from mcts.kernel.atomics import compare_and_swap, fetch_add, load
from mcts.kernel.clock import cycles
from mcts.kernel.compile import jit, jit_generic
from mcts.kernel.rng import draw, fold
from mcts.selection import select
from mcts.threads import ANSWERED, CHANCE, ENDED, NEXT, STOP, TICKET, give_way
from mcts.tree import (
    LISTED,
    LISTING,
    NOWHERE,
    SIMULATIONS,
    TOP,
    UNLISTED,
    attach,
    child,
    child_key,
)

SELECTING, LISTING_ACTIONS, ROLLING_OUT = 0, 1, 2
"""Places in `Scratch.cycles`."""


class Scratch(NamedTuple):
    """What one thread writes to during a simulation, besides the domain's workspaces."""

    edges: np.ndarray
    """int64 (max_depth,): the edges followed ..."""
    rewards: np.ndarray
    """float64 (max_depth,): ... their rewards, in the domain's units ..."""
    movers: np.ndarray
    """int64 (max_depth,): ... and who followed them."""
    payoff: np.ndarray
    """float64 (players,): what the roll-outs of the leaf paid."""
    key: np.ndarray
    """uint64 (perspectives,): of the information set reached ..."""
    node: np.ndarray
    """int64 (perspectives,): ... below the last one at which this perspective decided ..."""
    edge: np.ndarray
    """int64 (perspectives,): ... and the edge that it followed there."""
    actions: np.ndarray
    """int64 (max_actions,): a list on its way into the tree."""
    edge_data: np.ndarray
    """float64 (max_actions,): its notes."""
    stream: np.ndarray
    """uint64 (1,): the random stream of the simulation."""
    cycles: np.ndarray
    """int64 (3,): time spent in selection, listing and roll-outs (`mcts.kernel.clock`)."""


def new_scratch(longest: int, depth: int, players: int, perspectives: int) -> Scratch:
    """Return a thread's scratch for lists of ``longest`` actions and ``depth`` decisions."""
    return Scratch(
        edges=threads.private(depth, np.int64),
        rewards=threads.private(depth),
        movers=threads.private(depth, np.int64),
        payoff=threads.private(players),
        key=threads.private(perspectives, np.uint64),
        node=threads.private(perspectives, np.int64),
        edge=threads.private(perspectives, np.int64),
        actions=threads.private(longest, np.int64),
        edge_data=threads.private(longest),
        stream=threads.private(1, np.uint64),
        cycles=threads.private(3, np.int64),
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


@jit_generic
def simulate(p, s, spare, tree, scratch, settings, control, key, number):
    """Run one simulation from the root; return the scaled return of player 0."""
    began = cycles()
    first = NOWHERE
    scratch.stream[0] = fold(key, number)
    top = tree.counters[TOP]
    if settings.common_random_numbers and load(tree.status, top) == LISTED:
        first = select(p, s, tree, top, settings)
        scratch.stream[0] = fold(key, tree.edge_visits[first] + tree.edge_in_flight[first])
    start(p, s, scratch.stream)
    depth = descend(p, s, tree, scratch, settings, first)
    arrived = cycles()
    scratch.cycles[SELECTING] += arrived - began
    evaluate(p, s, spare, scratch, control, settings)
    scratch.cycles[ROLLING_OUT] += cycles() - arrived
    return backpropagate(tree, scratch, depth, settings)


@jit_generic
def descend(p, s, tree, scratch, settings, first):
    """Play from the root to a leaf of the tree, adding a leaf; return the number of edges.

    ``first`` is the root's edge if it has been chosen already, else `NOWHERE`.
    """
    node = tree.counters[TOP]
    for view in range(settings.perspectives):
        scratch.node[view] = scratch.edge[view] = NOWHERE
        scratch.key[view] = tree.key[node]
        if view > 0:
            scratch.key[view] = child_key(scratch.key[view], view, seen(p, s, view))
    depth = 0
    while depth < len(scratch.edges):
        who = mover(p, s)
        view = who if settings.perspectives > 1 else 0
        if depth > 0:
            node = child(tree, scratch.key[view], scratch.node[view], scratch.edge[view])
        if node == NOWHERE or not expand(p, s, tree, node, scratch):
            break
        edge = first if depth == 0 and first != NOWHERE else select(p, s, tree, node, settings)
        if edge == NOWHERE:
            break
        fetch_add(tree.edge_in_flight, edge, 1)
        scratch.edges[depth] = edge
        scratch.movers[depth] = who
        action = tree.action[edge]
        scratch.rewards[depth] = step(p, s, action, tree.edge_data[edge], scratch.stream)
        depth += 1
        if terminal(p, s):
            break
        scratch.node[view], scratch.edge[view] = node, edge
        if settings.players == 1:
            scratch.key[0] = child_key(scratch.key[0], action, observation(p, s))
        else:
            _look_on(p, s, scratch, settings, who, action)
    return depth


@jit_generic
def _look_on(p, s, scratch, settings, who, action):
    """Extend the key of every perspective by what it saw of the ``action`` of player ``who``."""
    for view in range(settings.perspectives):
        what = seen(p, s, view)
        if view == who:
            scratch.key[view] = child_key(scratch.key[view], action, what)
        else:
            scratch.key[view] = fold(scratch.key[view], what)


@jit_generic
def expand(p, s, tree, node, scratch):
    """Count a visit of ``node``, list its actions if due; tell whether it has edges to follow."""
    before = fetch_add(tree.visits, node, 1)
    status = load(tree.status, node)
    due = status == UNLISTED and (before > 0 or node == tree.counters[TOP])
    if due and compare_and_swap(tree.status, node, UNLISTED, LISTING) == UNLISTED:
        began = cycles()
        n = actions(p, s, scratch.actions, scratch.edge_data)
        if n > len(scratch.actions):
            raise ValueError("the domain listed more actions than the max_actions it declares")
        status = attach(tree, node, scratch.actions, scratch.edge_data, n)
        spent = cycles() - began
        scratch.cycles[LISTING_ACTIONS] += spent
        scratch.cycles[SELECTING] -= spent
    return status == LISTED


@jit_generic
def evaluate(p, s, spare, scratch, control, settings):
    """Fill ``scratch.payoff`` with what each player gets from the leaf ``s`` on, by roll-outs."""
    for player in range(settings.players):
        scratch.payoff[player] = 0.0
    if terminal(p, s):
        if settings.players > 1:
            _add_payoffs(p, s, 0.0, scratch.payoff, settings)
    elif settings.leaf_threads > 1:
        _share(p, s, spare, scratch, control, settings)
    elif settings.rollouts_per_leaf == 1:
        _add_payoffs(p, s, rollout(p, s, scratch.stream), scratch.payoff, settings)
    else:
        play_out(p, s, spare, scratch.stream, scratch.payoff, settings)
        for player in range(settings.players):
            scratch.payoff[player] /= settings.rollouts_per_leaf


@jit_generic
def _add_payoffs(p, s, value, sums, settings):
    """Add what a play-out that ended in ``s`` with the return ``value`` paid to ``sums``."""
    if settings.players == 1:
        fetch_add(sums, 0, value)
    else:
        for player in range(settings.players):
            fetch_add(sums, player, payoff(p, s, player))


@jit_generic
def play_out(p, s, spare, stream, sums, settings):
    """Roll out ``settings.rollouts_per_leaf`` times from copies of ``s``; add what they pay to
    ``sums``.
    """
    for _ in range(settings.rollouts_per_leaf):
        copy(p, s, spare)
        _add_payoffs(p, spare, rollout(p, spare, stream), sums, settings)


@jit_generic
def _share(p, s, spare, scratch, control, settings):
    """Roll out together with the other threads, and average."""
    own = scratch.stream[0]
    control[ANSWERED] = 0
    control[CHANCE] = np.int64(own)
    fetch_add(control, TICKET, 1)
    scratch.stream[0] = fold(own, 0)
    play_out(p, s, spare, scratch.stream, scratch.payoff, settings)
    while load(control, ANSWERED) < settings.leaf_threads - 1 and load(control, STOP) == 0:
        give_way()
    total = float(settings.rollouts_per_leaf * (1 + load(control, ANSWERED)))
    for player in range(settings.players):
        scratch.payoff[player] /= total
    scratch.stream[0] = own
    draw(scratch.stream)


@jit_generic
def assist(p, spare, scratch, lead, lead_scratch, settings, control, worker):
    """Roll out from every leaf that the first thread holds out, until the search ends; return 0."""
    ticket = 0
    while True:
        while load(control, TICKET) == ticket:
            if load(control, ENDED) or load(control, STOP):
                return 0
            give_way()
        ticket = load(control, TICKET)
        began = cycles()
        scratch.stream[0] = fold(np.uint64(load(control, CHANCE)), worker)
        play_out(p, lead, spare, scratch.stream, lead_scratch.payoff, settings)
        scratch.cycles[ROLLING_OUT] += cycles() - began
        fetch_add(control, ANSWERED, 1)


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

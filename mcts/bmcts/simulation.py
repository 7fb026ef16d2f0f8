"""One simulation of BMCTS: select, expand, evaluate, back up.

Nodes are histories with their exact beliefs [Ledford 2018, s. 3.4: the belief is propagated in the
tree].  An action's expected reward and the probabilities of its observations are known, so random
numbers only decide where to look:

* backup ``maximum``: Q(h, a) = R(b, a) + discount x sum over o of P(o | b, a) V(hao), and V(h) =
  max over a of Q(h, a), with leaf values where nothing has been visited: the expectimax of the
  part of the tree that exists [survey: Ross et al. 2008, eq. 12].
  A new node looks one step ahead, at the actions that seem best.
* backup ``mean``: Q is the mean return of the simulations that followed the action, as in UCT.

Selection: ``puct`` [Silver et al. 2017] is Q + c P(a) sqrt(N) / (1 + n), where an action that was
not tried has its first value; ``uct`` is Q + c sqrt(2 ln N / n), every action is tried once.  Q is
scaled to [0, 1] by the least and greatest value seen in the tree, or by the range of returns.

Randomness: simulation i owns the stream keyed by fold(search key, i).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mcts.bmcts.filter import greatest, make_child, open_edge
from mcts.bmcts.tree import (
    GREATEST,
    LEAST,
    MAKING,
    NOWHERE,
    OPEN,
    SIMULATIONS,
    TOP,
    widen_span,
)
from mcts.kernel.atomics import compare_and_swap, fetch_add, load
from mcts.kernel.compile import jit, jit_inlined
from mcts.kernel.rng import fold, uniform
from mcts.options import VIRTUAL_LOSS, WU_UCT
from mcts.tabular.domain import rollout
from mcts.threads import NEXT, STOP

MAXIMUM, MEAN = 0, 1
BACKUPS = {"maximum": MAXIMUM, "mean": MEAN}
PUCT, UCT = 0, 1
SELECTIONS = {"puct": PUCT, "uct": UCT}
SEEN, DECLARED = 0, 1
UNITS = {"seen": SEEN, "declared": DECLARED}


class KernelParams(NamedTuple):
    """Numeric settings of one search; see `mcts.bmcts.options.BeliefOptions`."""

    exploration: float
    selection: int
    backup: int
    unit: int
    in_flight: int
    virtual_loss: float
    gap: float
    rollouts: int
    """1: leaves are rolled out."""


class Path(NamedTuple):
    """The path that one thread followed: int64 (depth,), and its stream, uint64 (1,)."""

    edges: np.ndarray
    outcomes: np.ndarray
    workspace: np.ndarray
    """int64 (3,): workspace of the domain, for roll-outs."""
    stream: np.ndarray


def run_simulations(p, bounds, tree, work, path, settings, key, control, limit, most):
    """Run up to ``most`` simulations of the search ``key``; return how many were run.

    It runs fewer when simulation ``limit`` is reached, ``control`` says stop, or the bounds at the
    root are close enough, which stops all threads.
    """
    done = 0
    while done < most and load(control, STOP) == 0:
        number = fetch_add(control, NEXT, 1)
        if number >= limit:
            break
        path.stream[0] = fold(key, number)
        simulate(p, bounds, tree, work, path, settings)
        done += 1
        top = tree.counters[TOP]
        if tree.node_value[top] - tree.node_lower[top] <= settings.gap:
            control[STOP] = 1
    fetch_add(tree.counters, SIMULATIONS, done)
    return done


@jit_inlined
def simulate(p, bounds, tree, work, path, settings):
    """Run one simulation from the root."""
    node, depth, value, steps = tree.counters[TOP], 0, 0.0, p.steps
    while True:
        fetch_add(tree.node_visits, node, 1)
        edge = select(tree, node, settings, p.low, p.high)
        fetch_add(tree.in_flight, edge, 1)
        path.edges[depth], path.outcomes[depth] = edge, NOWHERE
        depth += 1
        steps -= 1
        to_go = max(steps, p.endless)
        opened = load(tree.status, edge) == OPEN
        if not opened and not open_edge(p, bounds, tree, edge, to_go, work):
            value = (tree.value[edge] - tree.gain[edge]) / p.discount
            break
        outcome = draw_outcome(tree, edge, settings, path.stream)
        path.outcomes[depth - 1] = outcome
        if outcome == NOWHERE:  # the end of the trial, or nothing left to look at
            break
        value = tree.leaf[outcome]
        node = load(tree.child, outcome)
        if node == NOWHERE and compare_and_swap(tree.child, outcome, NOWHERE, MAKING) == NOWHERE:
            at = tree.node_depth[tree.node[edge]] + 1
            node = make_child(p, bounds, tree, outcome, at, to_go, work)
            compare_and_swap(tree.child, outcome, MAKING, node)
            if node != NOWHERE:
                fresh = fetch_add(tree.node_visits, node, 1) == 0
                if settings.backup == MAXIMUM and fresh:
                    look_ahead(p, bounds, tree, node, max(steps - 1, p.endless), work)
                elif settings.rollouts != 0:
                    value = roll_out(p, tree, node, steps, path)
            break
        if node >= 0 and (tree.node_length[node] == 0 or settings.rollouts != 0):
            value = 0.0
        if node < 0 or tree.node_length[node] == 0 or depth == len(path.edges):
            break
    back_up(tree, path, depth, value, settings, p.discount)


@jit
def select(tree, node, settings, low, high):
    """Return the edge of ``node`` to follow; ties go to the action listed first."""
    first, last = tree.node_first[node], tree.node_first[node] + tree.node_length[node]
    total = 0.0
    for edge in range(first, last):
        n = count(tree, edge, settings)
        if settings.selection == UCT and n <= 0.0:
            return edge
        total += n
    if settings.unit == SEEN:
        low, high = load(tree.span, LEAST), load(tree.span, GREATEST)
    span = max(high - low, 1e-12)
    width = math.sqrt(max(total, 1.0))
    if settings.selection == UCT:
        width = math.sqrt(2.0 * math.log(max(total, 1.0)))
    best, best_score = first, -math.inf
    for edge in range(first, last):
        n = count(tree, edge, settings)
        q = tree.value[edge]
        flying = float(tree.in_flight[edge])
        if settings.in_flight == VIRTUAL_LOSS and flying > 0.0:
            loss = settings.virtual_loss * flying
            n_known = float(tree.visits[edge])
            q = (q * n_known + low * loss) / (n_known + loss)
        score = (q - low) / span
        if settings.selection == UCT:
            score += settings.exploration * width / math.sqrt(max(n, 1.0))
        else:
            score += settings.exploration * tree.prior[edge] * width / (1.0 + n)
        if score > best_score:
            best, best_score = edge, score
    return best


@jit
def look_ahead(p, bounds, tree, node, steps, work):
    """Open the best edge of the new ``node`` until the best one is open.

    So the node is worth what one step of look-ahead says; ``steps``: to go after its action.
    """
    first, last = tree.node_first[node], tree.node_first[node] + tree.node_length[node]
    while first < last:
        best = first
        for edge in range(first + 1, last):
            if tree.value[edge] > tree.value[best]:
                best = edge
        if tree.status[best] == OPEN or not open_edge(p, bounds, tree, best, steps, work):
            break
        add_outcomes(tree, best, p.discount)
        widen_span(tree, tree.value[best])
    sum_up(tree, node)


@jit
def sum_up(tree, node):
    """Set the value and the lower bound of ``node`` from its edges."""
    first, last = tree.node_first[node], tree.node_first[node] + tree.node_length[node]
    if first < last:
        tree.node_value[node] = greatest(tree.value[first:last])
        lower = greatest(tree.lower[first:last])
        tree.node_lower[node] = max(tree.node_lower[node], lower)


@jit
def count(tree, edge, settings):
    """Return the visits of ``edge``, with those in flight weighted by the treatment."""
    n = float(tree.visits[edge])
    if settings.in_flight == VIRTUAL_LOSS:
        n += settings.virtual_loss * float(tree.in_flight[edge])
    elif settings.in_flight == WU_UCT:
        n += float(tree.in_flight[edge])
    return n


@jit
def draw_outcome(tree, edge, settings, stream):
    """Draw an outcome of the open ``edge`` by its probability; `NOWHERE`: the trial ends.

    With exact backups only among outcomes below which the tree can still grow.
    """
    first, last = tree.first[edge], tree.first[edge] + tree.length[edge]
    total = 1.0
    if settings.backup == MAXIMUM:
        total = 0.0
        for outcome in range(first, last):
            if grows(tree, outcome):
                total += tree.chance[outcome]
    left, found = uniform(stream) * total, NOWHERE
    for outcome in range(first, last):
        if settings.backup == MEAN or grows(tree, outcome):
            found = outcome
            left -= tree.chance[outcome]
            if left < 0.0:
                return outcome
    return found if settings.backup == MAXIMUM else NOWHERE


@jit
def grows(tree, outcome):
    """Return whether the tree can grow below ``outcome``."""
    child = load(tree.child, outcome)
    return child < 0 or tree.node_length[child] > 0


@jit_inlined
def roll_out(p, tree, node, steps, path):
    """Return the return of a roll-out from a state drawn from the node's belief."""
    left = uniform(path.stream)
    at, last = tree.belief_first[node], tree.belief_first[node] + tree.belief_length[node] - 1
    while at < last and left >= tree.share[at]:
        left -= tree.share[at]
        at += 1
    s = path.workspace
    s[0], s[1], s[2] = tree.state[at], steps, 0
    return rollout(p, s, path.stream)


@jit
def back_up(tree, path, depth, value, settings, discount):
    """Update the edges followed, from the last to the first, and the nodes above them."""
    for i in range(depth - 1, -1, -1):
        edge = path.edges[i]
        value = tree.gain[edge] + discount * value
        fetch_add(tree.visits, edge, 1)
        fetch_add(tree.in_flight, edge, -1)
        if settings.backup == MEAN:
            fetch_add(tree.total, edge, value)
            tree.value[edge] = load(tree.total, edge) / float(load(tree.visits, edge))
        elif load(tree.status, edge) == OPEN:
            add_outcomes(tree, edge, discount)
        widen_span(tree, tree.value[edge])
        sum_up(tree, tree.node[edge])


@jit
def add_outcomes(tree, edge, discount):
    """Set the value and the lower bound of ``edge`` from its outcomes."""
    value = lower = tree.gain[edge]
    for outcome in range(tree.first[edge], tree.first[edge] + tree.length[edge]):
        child, weight = load(tree.child, outcome), discount * tree.chance[outcome]
        if child >= 0:
            value += weight * tree.node_value[child]
            lower += weight * tree.node_lower[child]
        else:
            value += weight * tree.leaf[outcome]
            lower += weight * tree.leaf_lower[outcome]
    tree.value[edge], tree.lower[edge] = value, lower

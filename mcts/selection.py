"""Selection of edges: UCT over the available actions, visits in flight, and the final choice.

The formula is mean + c sqrt(2 ln N / n) [Kocsis & Szepesvari 2006; Ledford 2018, eq. 2.8] with
returns scaled to [0, 1].  Ledford's program amounts to c = 0.707 here, and Cowling's 0.7 (without
the factor 2) to 0.495.  N depends on the rule:

* `UCT`: the visits of the actions *available now* (the legality-modified UCT of Ledford 2018,
  2.5.2; "sleeping bandits"), not the node's.
* `AVAILABILITY` [Cowling, Powley & Whitehouse 2012]: for each action the visits of the node at
  which that action was legal.

The two agree if every listed action is always legal.

* `WEIGHTED`: the whole formula is multiplied by the domain's weight of the action (``edge_data``),
  with N as in `UCT`, and the heaviest unvisited action comes first.  So chance that is searched
  like a player is still met in proportion [program of Ledford 2018].

* `PUCT` [Rosin 2011; Silver et al. 2017]: mean + c P sqrt(N) / (1 + n), with N as in `UCT`, an even
  prior P, and for an untried action the node's own value as its mean.  No action must be tried.
  Below the root the roll-out policy may be one more arm (``rollout_share``, its P): to select it
  ends the descent.

With ``halving`` the root's actions share the budget by sequential halving [Karnin, Koren & Somekh
2013]: rounds of equal budgets, after each of which the worse half is dropped.  With the tree below
it is Hybrid MCTS [Pepels et al. 2014].

With ``pruning`` a node passes up the mean over the arms that have enough visits, so that tries of
bad actions are not charged to its parent [as the visits that Wu 2019 prunes from targets].

Progressive widening [Coulom 2007; Chaslot et al. 2008] offers only the first part of a node's list,
which grows with its visits.

With ``action_types`` an action is chosen in two steps, first its type and then itself, by the same
formula and statistics at both levels: a type's visits and returns are the sums of its actions'
[Ledford 2018, s. 1.1 and 2.3, after Dobre 2018].  So a type of forty actions is not tried forty
times as often as a type of one.

In-flight treatments, for threads that share a tree:

* `NONE`: visits in flight do not count.
* `VIRTUAL_LOSS` [Chaslot, Winands & van den Herik 2008]: each counts as ``virtual_loss`` visits
  with return 0 until its return is known.
* `WU_UCT` [Liu et al. 2020]: each counts in n and N, and the mean is over known returns.

No randomness is consumed; ties go to the action listed first.
"""

from __future__ import annotations

import math

import numpy as np

from mcts.domain import TYPES, action_type, available
from mcts.kernel.atomics import fetch_add, load
from mcts.kernel.compile import jit, jit_generic, jit_inlined
from mcts.kernel.stack import floats
from mcts.options import (
    AVAILABILITY,
    DECLARED,
    PUCT,
    VIRTUAL_LOSS,
    WEIGHTED,
    WU_UCT,
    KernelParams,
)
from mcts.tree import BELOW_ONE, EXPANDED, GREATEST, NOWHERE, TOP, Tree

_ROWS = 4
"""Of each type: visits, completed visits, their returns, its first untried action."""


@jit
def on_offer(listed: int, visits: int, settings: KernelParams) -> int:
    """Return how many of a node's ``listed`` actions are offered at its ``visits``-th visit."""
    if settings.widening_base == 0.0:
        return listed
    offered = math.ceil(settings.widening_base * float(visits) ** settings.widening_exponent)
    return min(max(1, offered), listed)


@jit
def count(tree: Tree, edge: int, settings: KernelParams) -> float:
    """Return the visits of ``edge``, with those in flight weighted by the treatment."""
    visits = float(tree.edge_visits[edge])
    if settings.in_flight == VIRTUAL_LOSS:
        visits += settings.virtual_loss * float(tree.edge_in_flight[edge])
    elif settings.in_flight == WU_UCT:
        visits += float(tree.edge_in_flight[edge])
    return visits


@jit
def mean(tree: Tree, edge: int, n: float, settings: KernelParams) -> float:
    """Return the mean return of ``edge``, which counts for ``n`` visits."""
    if settings.in_flight == WU_UCT:
        n = max(float(tree.edge_visits[edge]), 1.0)
    return tree.edge_total[edge] / n


@jit_inlined
def select(params, state, tree, node, settings):
    """Return the edge of the listed ``node`` to follow: the first unvisited, or the best.

    The first is the one listed first, or under `WEIGHTED` the heaviest.

    Only actions available in ``state`` are considered; `NOWHERE` without one.  At the root all are
    available: the searching player knows its own legal actions.
    """
    if settings.action_types:
        return _select_by_type(params, state, tree, node, settings)
    top = node == tree.counters[TOP]
    if top and settings.halving > 0:
        return _halve(tree, node, settings)
    if settings.selection == PUCT:
        return _select_by_prior(params, state, tree, node, settings)
    first = tree.first[node]
    last = _last(tree, node, settings)
    total = 0.0
    fresh = NOWHERE
    counting = settings.selection == AVAILABILITY
    weighing = settings.selection == WEIGHTED
    for edge in range(first, last):
        if not (top or available(params, state, tree.action[edge])):
            continue
        if counting:
            fetch_add(tree.edge_available, edge, 1)
        if not top and is_exact(tree, edge, settings):
            continue
        n = count(tree, edge, settings)
        if n <= 0.0:
            if fresh == NOWHERE or (weighing and tree.edge_data[edge] > tree.edge_data[fresh]):
                fresh = edge
            if not (counting or weighing):
                break
        total += n
    if fresh != NOWHERE:
        return fresh
    rolls = 0.0
    if settings.rollout_share > 0.0 and not top:
        rolls = float(tree.rolls[node])
    width = 2.0 * math.log(max(total + rolls, 1.0))
    c = _unit(tree, settings) * (settings.root_exploration if top else settings.exploration)
    best, best_bound = NOWHERE, -math.inf
    if rolls > 0.0:
        best_bound = tree.rolled[node] / rolls + c * math.sqrt(width / rolls)
    for edge in range(first, last):
        if not (top or available(params, state, tree.action[edge])):
            continue
        if counting:
            earlier = float(tree.edge_available[edge]) - 1.0  # not counting this visit
            width = 2.0 * math.log(max(earlier, 1.0))
        n = max(count(tree, edge, settings), 1.0)  # another thread may have just landed
        bound = mean(tree, edge, n, settings) + c * math.sqrt(width / n)
        if weighing:
            bound *= tree.edge_data[edge]
        if not top and is_exact(tree, edge, settings):
            bound = tree.edge_data[edge]
        if bound > best_bound:
            best, best_bound = edge, bound
    return best


@jit_generic
def _select_by_prior(params, state, tree, node, settings):
    """Return the edge that `PUCT` follows, `NOWHERE` for a roll-out from here."""
    top = node == tree.counters[TOP]
    first, last = tree.first[node], _last(tree, node, settings)
    edges, total = 0, 0.0
    for edge in range(first, last):
        if top or available(params, state, tree.action[edge]):
            edges += 1
            total += count(tree, edge, settings)
    share = 0.0 if top else settings.rollout_share
    rolls = float(tree.rolls[node]) if share > 0.0 else 0.0
    c = _unit(tree, settings) * (settings.root_exploration if top else settings.exploration)
    c *= math.sqrt(total + rolls)
    best, best_bound = NOWHERE, -math.inf
    if rolls > 0.0:
        best_bound = tree.rolled[node] / rolls + share * c / (1.0 + rolls)
    c *= (1.0 - share) / max(edges, 1)
    _, untried = node_value(tree, node, settings)
    for edge in range(first, last):
        if top or available(params, state, tree.action[edge]):
            n = count(tree, edge, settings)
            known = mean(tree, edge, n, settings) if n > 0.0 else untried
            bound = known + c / (1.0 + n)
            if bound > best_bound:
                best, best_bound = edge, bound
    return best


@jit
def _halve(tree: Tree, node: int, settings: KernelParams) -> int:
    """Return the edge that sequential halving tries next.

    Of the edges that have the visits now due, that of the best mean: those dropped have fewer.
    """
    first, left = tree.first[node], tree.length[node]
    last = first + left
    done = 0
    for edge in range(first, last):
        done += tree.edge_visits[edge] + tree.edge_in_flight[edge]
    phase = settings.halving // max(1, math.ceil(math.log2(left)))
    due, each = 0, max(1, phase // left)
    while done >= each * left:
        done -= each * left
        due += each
        left = max(min(2, last - first), left // 2)
        each = max(1, phase // left)
    due += done // left
    best, most, greatest = first, -1, -math.inf
    for edge in range(first, last):
        n = tree.edge_visits[edge] + tree.edge_in_flight[edge]
        known = tree.edge_total[edge] / max(float(tree.edge_visits[edge]), 1.0)
        if n <= due and (n > most or (n == most and known > greatest)):
            best, most, greatest = edge, n, known
    return best


@jit
def node_value(tree: Tree, node: int, settings: KernelParams) -> tuple[float, float]:
    """Return the completed visits of ``node``, and the scaled return that it passes up.

    Its arms are its edges and the roll-outs from here.
    """
    rolls = float(tree.rolls[node])
    visits = most = rolls
    exact = -math.inf
    first = last = tree.first[node]
    if load(tree.status, node) == EXPANDED:
        last = first + tree.length[node]
    for edge in range(first, last):
        n = float(tree.edge_visits[edge])
        visits += n
        if is_exact(tree, edge, settings):
            exact = max(exact, tree.edge_data[edge])
        else:
            most = max(most, n)
    least = max(settings.pruning * most, 1.0)
    known, total, greatest = 0.0, 0.0, -math.inf
    if rolls >= least:
        known, total, greatest = rolls, tree.rolled[node], tree.rolled[node] / rolls
    for edge in range(first, last):
        n = float(tree.edge_visits[edge])
        if n >= least and not is_exact(tree, edge, settings):
            known += n
            total += tree.edge_total[edge]
            greatest = max(greatest, tree.edge_total[edge] / n)
    value = greatest if settings.maximum and known > 0.0 else total / max(known, 1.0)
    return visits, max(value, exact)


@jit
def is_exact(tree: Tree, edge: int, settings: KernelParams) -> bool:
    """Return whether the number attached to ``edge`` is its value."""
    return settings.exact != 0 and tree.edge_data[edge] > 0.0


@jit
def _unit(tree: Tree, settings: KernelParams) -> float:
    """Return the unit of exploration in scaled returns."""
    if settings.unit == DECLARED:
        return 1.0
    return max(tree.returns[GREATEST] + tree.returns[BELOW_ONE] - 1.0, 0.0)


@jit_generic
def _select_by_type(params, state, tree, node, settings):
    """Return what `select` does, choosing first the type, untried ones in the order of the list."""
    top = node == tree.counters[TOP]
    first, last = tree.first[node], _last(tree, node, settings)
    sums = floats(_ROWS, TYPES)
    visits, known, returns, untried = sums[0], sums[1], sums[2], sums[3]
    for kind in range(TYPES):
        visits[kind] = known[kind] = returns[kind] = 0.0
        untried[kind] = NOWHERE
    for edge in range(first, last):
        if top or available(params, state, tree.action[edge]):
            kind = action_type(params, state, tree.action[edge])
            n = count(tree, edge, settings)
            if n <= 0.0 and untried[kind] == NOWHERE:
                untried[kind] = edge
            visits[kind] += n
            known[kind] += float(tree.edge_visits[edge])
            returns[kind] += tree.edge_total[edge]
    total, fresh = 0.0, NOWHERE
    for kind in range(TYPES):
        total += visits[kind]
        if visits[kind] <= 0.0 and untried[kind] != NOWHERE:
            first_untried = int(untried[kind])
            fresh = first_untried if fresh == NOWHERE else min(fresh, first_untried)
    if fresh != NOWHERE or total <= 0.0:
        return fresh
    c = settings.root_exploration if top else settings.exploration
    width = 2.0 * math.log(max(total, 1.0))
    chosen, best, best_bound = 0, NOWHERE, -math.inf
    for kind in range(TYPES):
        if visits[kind] > 0.0:
            n = known[kind] if settings.in_flight == WU_UCT else visits[kind]
            bound = returns[kind] / max(n, 1.0) + c * math.sqrt(width / visits[kind])
            if bound > best_bound:
                chosen, best_bound = kind, bound
    if untried[chosen] != NOWHERE:
        return int(untried[chosen])
    width = 2.0 * math.log(max(visits[chosen], 1.0))
    best_bound = -math.inf
    for edge in range(first, last):
        action = tree.action[edge]
        if action_type(params, state, action) == chosen and (
            top or available(params, state, action)
        ):
            n = max(count(tree, edge, settings), 1.0)
            bound = mean(tree, edge, n, settings) + c * math.sqrt(width / n)
            if bound > best_bound:
                best, best_bound = edge, bound
    return best


@jit
def _last(tree: Tree, node: int, settings: KernelParams) -> int:
    """Return the end of the edges of ``node`` that are offered now."""
    return tree.first[node] + on_offer(tree.length[node], tree.visits[node], settings)


def final_choice(
    visits: np.ndarray, means: np.ndarray, final: str, types: np.ndarray | None = None
) -> int:
    """Return the index of the action to play by the rule ``final`` (see `Options`).

    With ``types`` the rule chooses the type, from the sums of its actions, and then the action.
    """
    if types is not None:
        _, group = np.unique(types, return_inverse=True)
        added = np.bincount(group, visits)
        totals = np.bincount(group, np.where(visits > 0, visits * means, 0.0))
        averages = np.divide(totals, added, out=np.full(len(added), np.nan), where=added > 0)
        visits = np.where(group == final_choice(added, averages, final), visits, -1)
    known = np.where(visits > 0, means, -np.inf)
    first, second = (visits, known) if final == "visits" else (known, visits)
    return int(np.lexsort((-np.arange(len(visits)), second, first))[-1])

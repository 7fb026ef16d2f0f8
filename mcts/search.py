"""One simulation, and the searches made of it: select -> expand -> roll out -> backpropagate.

Monte Carlo tree search over observation histories [POMCP: Silver & Veness 2010; thesis: Ledford
2018, 2.5], for any registered domain (`mcts.domain`).  Where this differs from the papers:

* A node's actions are listed on its *second* visit (a domain may find listing expensive); the
  first visit only rolls out.  The root's are listed on the first.
* Statistics are kept on edges, so a node's legal list may be any part of the domain's actions.
* A tree that has used up its budget of nodes or edges goes on searching without growing, and the
  result says so.

Randomness: simulation i of a search owns the stream keyed by fold(search key, i), whichever thread
runs it.  One thread with a budget of simulations is bit-reproducible; several threads are not, for
they see each other's statistics in an order that no one controls.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import int64, typeof

from mcts import threads
from mcts.domain import actions, domain_of, observation, rollout, start, step, terminal
from mcts.kernel.atomics import compare_and_swap, fetch_add, load
from mcts.kernel.compile import INTERPRETED, jit, jit_generic, specialise
from mcts.kernel.rng import fold
from mcts.options import Budget, Options
from mcts.selection import NONE, Settings, select
from mcts.threads import NEXT, STOP
from mcts.tree import (
    FULL,
    LISTED,
    LISTING,
    NODES,
    NOWHERE,
    ROOT,
    SIMULATIONS,
    UNLISTED,
    attach,
    child,
    clear,
    new_tree,
)


class Scratch(NamedTuple):
    """What one thread writes to during a simulation, besides the domain's workspace."""

    edges: np.ndarray
    """int64 (max_depth,): the edges followed ..."""
    rewards: np.ndarray
    """float64 (max_depth,): ... and their rewards, in the domain's units."""
    actions: np.ndarray
    """int64 (max_actions,): a list on its way into the tree."""
    notes: np.ndarray
    """float64 (max_actions,): its notes."""
    stream: np.ndarray
    """uint64 (1,): the random stream of the simulation."""


def run_simulations(p, s, tree, scratch, settings, key, control, limit, most):
    """Run up to ``most`` simulations of the search ``key``; return how many were run.

    Fewer are run when simulation ``limit`` is reached or ``control`` says stop.  This is the
    kernel: `specialise` compiles it for a domain, and every thread of a search calls it.
    """
    done = 0
    returns = 0.0
    while done < most and load(control, STOP) == 0:
        number = fetch_add(control, NEXT, 1)
        if number >= limit:
            break
        scratch.stream[0] = fold(key, number)
        returns += simulate(p, s, tree, scratch, settings)
        done += 1
    fetch_add(tree.returns, 0, returns)
    fetch_add(tree.counters, SIMULATIONS, done)
    return done


@jit_generic
def simulate(p, s, tree, scratch, settings):
    """Run one simulation from the root; return its scaled return."""
    start(p, s, scratch.stream)
    depth = descend(p, s, tree, scratch, settings)
    value = 0.0
    if not terminal(p, s):
        value = rollout(p, s, scratch.stream)
    return backpropagate(tree, scratch, depth, value, settings)


@jit_generic
def descend(p, s, tree, scratch, settings):
    """Play from the root to a leaf of the tree, adding a leaf; return the number of edges."""
    depth = 0
    node = ROOT
    while node != NOWHERE and depth < len(scratch.edges) and expand(p, s, tree, node, scratch):
        edge = select(tree, node, settings)
        if settings.in_flight != NONE:
            fetch_add(tree.edge_in_flight, edge, 1)
        scratch.edges[depth] = edge
        scratch.rewards[depth] = step(p, s, tree.action[edge], tree.note[edge], scratch.stream)
        depth += 1
        if terminal(p, s):
            break
        node = child(tree, node, edge, observation(p, s))
    return depth


@jit_generic
def expand(p, s, tree, node, scratch):
    """Count a visit of ``node``, list its actions if due; tell whether it has edges to follow."""
    before = fetch_add(tree.visits, node, 1)
    status = load(tree.status, node)
    due = status == UNLISTED and (before > 0 or node == ROOT)
    if due and compare_and_swap(tree.status, node, UNLISTED, LISTING) == UNLISTED:
        n = actions(p, s, scratch.actions, scratch.notes)
        if n > len(scratch.actions):
            raise ValueError("the domain listed more actions than the max_actions it declares")
        status = attach(tree, node, scratch.actions, scratch.notes, n)
    return status == LISTED


@jit
def backpropagate(tree, scratch, depth, value, settings):
    """Add the return from each edge followed to its statistics; return the root's, scaled.

    ``value`` is the return after the last of the ``depth`` edges, in the domain's units.
    """
    for i in range(depth - 1, -1, -1):
        edge = scratch.edges[i]
        value = scratch.rewards[i] + settings.discount * value
        fetch_add(tree.edge_total, edge, (value - settings.low) / settings.span)
        fetch_add(tree.edge_visits, edge, 1)
        if settings.in_flight != NONE:
            fetch_add(tree.edge_in_flight, edge, -1)
    return (value - settings.low) / settings.span


@dataclass(frozen=True)
class SearchResult:
    """What a search found at its root; arrays have one entry an action, in the domain's order."""

    actions: np.ndarray
    """int64: the legal actions."""
    notes: np.ndarray
    """float64: the domain's notes on them."""
    visits: np.ndarray
    """int64: simulations that began with the action."""
    values: np.ndarray
    """float64: their mean return in the domain's units; nan where there were none."""
    best: int
    """The action chosen by the option ``final``."""
    simulations: int
    """Simulations completed."""
    seconds: float
    """Wall time of the search."""
    nodes: int
    """Nodes in the tree."""
    full: bool
    """Whether the tree stopped growing for want of nodes or edges."""


class Search:
    """A tree and workspaces for searching positions of one domain, again and again.

    Making one compiles the kernel, or loads it from the cache, and allocates; `run` does neither.

    Parameters
    ----------
    p
        Parameters of a registered domain.
    options
        How to search.

    Attributes
    ----------
    tree : Tree
        As the last search left it.
    """

    def __init__(self, p: Any, options: Options | None = None) -> None:
        self.options = options or Options()
        self.domain = domain_of(p)
        longest, depth = (self.domain.declared(name, p) for name in ("max_actions", "max_depth"))
        self.tree = new_tree(self.options.nodes, self.options.edge_budget(longest))
        self._p = p
        self._control = threads.new_control()
        self._workers = [
            (self.domain.workspace(p), new_scratch(longest, depth))
            for _ in range(self.options.threads)
        ]
        self._kernel = specialise(run_simulations, self.domain.parameters.__module__)
        if not INTERPRETED:  # here, for Ctrl-C reaches a compilation in the main thread alone
            s, scratch = self._workers[0]
            sample = (p, s, self.tree, scratch, self._settings(p), np.uint64(0), self._control)
            self._kernel.compile((*map(typeof, sample), int64, int64))

    def run(self, budget: Budget, key: int, p: Any = None) -> SearchResult:
        """Search from an empty tree.

        Parameters
        ----------
        budget
            When to end.
        key
            Names all randomness of this search (taken modulo 2**64).
        p
            The position to search if not the one given at the start: parameters of the same type
            and shapes, which the workspaces made for that one fit.

        Raises
        ------
        ValueError
            If there is nothing to decide at the root, or the edge budget does not hold its list.
        Exception
            Whatever the domain raises in a worker thread.
        """
        began = time.perf_counter()
        p = self._p if p is None else p
        settings = self._settings(p)
        key = np.uint64(int(key) % 2**64)
        limit = threads.UNLIMITED if budget.simulations is None else int(budget.simulations)
        clear(self.tree)

        def call(worker: int, most: int) -> int:
            s, scratch = self._workers[worker]
            return self._kernel(p, s, self.tree, scratch, settings, key, self._control, limit, most)

        threads.run(call, len(self._workers), self._control, limit, budget.seconds)
        return self._result(settings, began)

    def cancel(self) -> None:
        """End the running search after the simulations under way; for any thread to call."""
        self._control[STOP] = 1

    def _settings(self, p: Any) -> Settings:
        """Return the options and the domain's declarations as the kernel takes them."""
        low, high = (float(self.domain.declared(name, p)) for name in ("low", "high"))
        if not low < high:
            raise ValueError(f"the domain declares returns from {low} to {high}: an empty range")
        return self.options.settings(float(self.domain.declared("discount", p)), low, high - low)

    def _result(self, settings: Settings, began: float) -> SearchResult:
        """Read the root's edges, in the domain's units."""
        tree = self.tree
        if tree.status[ROOT] != LISTED:
            raise ValueError(
                f"the edge budget of {len(tree.action)} does not hold the root's actions"
                if tree.counters[FULL]
                else "the position searched offers no action"
            )
        block = slice(tree.first[ROOT], tree.first[ROOT] + tree.length[ROOT])
        visits = tree.edge_visits[block].copy()
        means = np.full(len(visits), np.nan)
        np.divide(tree.edge_total[block], visits, out=means, where=visits > 0)
        return SearchResult(
            actions=tree.action[block].copy(),
            notes=tree.note[block].copy(),
            visits=visits,
            values=settings.low + settings.span * means,
            best=int(tree.action[block][final_choice(visits, means, self.options.final)]),
            simulations=int(tree.counters[SIMULATIONS]),
            seconds=time.perf_counter() - began,
            nodes=int(tree.counters[NODES]),
            full=bool(tree.counters[FULL]),
        )


def new_scratch(longest: int, depth: int) -> Scratch:
    """Return a thread's scratch for lists of ``longest`` actions and ``depth`` own decisions."""
    return Scratch(
        edges=threads.private(depth, np.int64),
        rewards=threads.private(depth),
        actions=threads.private(longest, np.int64),
        notes=threads.private(longest),
        stream=threads.private(1, np.uint64),
    )


def final_choice(visits: np.ndarray, means: np.ndarray, final: str) -> int:
    """Return the index of the action to play by the rule ``final`` (see `Options`)."""
    known = np.where(visits > 0, means, -np.inf)
    first, second = (visits, known) if final == "visits" else (known, visits)
    return int(np.lexsort((-np.arange(len(visits)), second, first))[-1])

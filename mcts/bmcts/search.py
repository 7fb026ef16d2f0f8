"""BMCTS for a finite problem: a tree of exact beliefs, searched by threads.

    search = BeliefSearch(tiger.position(), BeliefOptions(lower="blind", gap=0.01))
    result = search.run(Budget(simulations=10_000), key=1)
    result.best, result.values, result.lower

One thread with a budget of simulations is bit-reproducible; several threads are not.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numba import int64, typeof

from mcts import threads
from mcts.bmcts import tree as parts
from mcts.bmcts.bounds import Bounds, find_bounds
from mcts.bmcts.filter import Filter, make_root, new_filter
from mcts.bmcts.options import BeliefOptions
from mcts.bmcts.simulation import Path, run_simulations
from mcts.bmcts.tree import NODES, NOWHERE, ROOT, SIMULATIONS, TOP, clear, measure, new_tree
from mcts.kernel.clock import mark
from mcts.kernel.compile import INTERPRETED, specialise
from mcts.kernel.rng import new_stream
from mcts.options import KEYS, Budget, check_integer
from mcts.search import SearchResult, check_types
from mcts.selection import final_choice
from mcts.tabular.domain import TabularPosition
from mcts.threads import STOP, alone, private

_CLOSE = 1e-9
"""Maximum difference of a kept belief from the position's."""


class BeliefSearch:
    """A tree of beliefs and workspaces for repeated searches of positions of one problem.

    The interface is that of `mcts.Search`.  Construction computes the leaf values, compiles the
    kernel or loads it, and allocates.  One thread at a time may use it, except for `cancel`.

    Parameters
    ----------
    p : a position of a `mcts.Tabular` of one player; other positions differ in belief and steps
    options : how to search

    Attributes
    ----------
    tree : as left by the last search
    bounds : the vectors of the leaf values
    cancelled : whether the search is to end, the next one if none is running
    """

    def __init__(self, p: TabularPosition, options: BeliefOptions | None = None) -> None:
        self.options = options or BeliefOptions()
        if not isinstance(self.options, BeliefOptions):
            raise TypeError(f"options must be BeliefOptions, not {self.options!r}")
        if self.options.mode == "root":
            raise ValueError("mode=root has a tree per process: make a RootSearch")
        if not isinstance(p, TabularPosition) or p.players > 1:
            raise TypeError("BMCTS needs a position of a Tabular of one player")
        self._p = p
        self.bounds: Bounds = find_bounds(
            p, self.options.leaf, self.options.lower, self.options.prior
        )
        longest = int(np.diff(p.legal_first).max())
        observations = int(p.seen.max()) + 1
        vectors = self.bounds.leaf.shape[2], self.bounds.lower.shape[2]
        sizes = len(p.kind), observations, *vectors
        self._work: list[Filter] = [new_filter(*sizes) for _ in range(self.options.threads)]
        whole = p.steps, p.steps, 3
        self._paths = [
            Path(*(private(length, np.int64) for length in whole), new_stream(0))
            for _ in range(self.options.threads)
        ]
        numbers = min(self.options.numbers, self.options.nodes * len(p.kind))
        self.tree = new_tree(self.options.nodes, max(numbers, len(p.kind)), longest, observations)
        self._control = threads.new_control()
        self._kept = self._followed = self._moved = self.cancelled = False
        self._kernel: Any = specialise(run_simulations, TabularPosition.__module__)
        if not INTERPRETED:
            sample = self._arguments(p, 0, np.uint64(0))
            self._kernel.compile((*map(typeof, sample), int64, int64))

    def __repr__(self) -> str:
        nodes = f"{self.tree.counters[NODES]:,} of {self.options.nodes:,} nodes"
        return f"{type(self).__name__}({len(self._p.kind):,} states, {nodes})"

    @alone
    def run(self, budget: Budget, key: int, p: TabularPosition | None = None) -> SearchResult:
        """Search from an empty tree unless `advance` kept the last one; as `mcts.Search.run`.

        Returns the values of actions as ``values``, upper bounds if the leaf's are, and ``lower``
        bounds if there are any; ``visits`` include those by which simulations came back to the
        root's belief.  Raises ValueError if the kept tree does not belong to ``p``, there
        is nothing to decide, or the tree has no room for the root.
        """
        began = mark()
        check_types(budget, p, type(self._p))
        if p is None and self._moved:
            raise ValueError("after advance, give run the position that followed, or call forget")
        p = self._p if p is None else p
        stream = np.uint64(check_integer("key", key, KEYS))
        if p.steps > len(self._paths[0].edges) or len(p.kind) != len(self._p.kind):
            raise ValueError("the position has more steps or other states than the first one")
        if self._kept:
            self._check_kept(p)
        else:
            self._begin(p)
        self._kept = self._followed = self._moved = False
        self.tree.counters[SIMULATIONS] = 0
        limit = threads.UNLIMITED if budget.simulations is None else int(budget.simulations)

        def call(worker: int, most: int) -> int:
            if self.cancelled:
                self._control[STOP] = 1
            return self._kernel(*self._arguments(p, worker, stream), limit, most)

        try:
            threads.run(call, self.options.threads, self._control, limit, budget.seconds)
        finally:
            self.cancelled = False
        self._followed = True
        return self._result(began)

    def _begin(self, p: TabularPosition) -> None:
        """Empty the tree down to a root at the position ``p``."""
        clear(self.tree)
        if make_root(p, self.bounds, self.tree, self._work[0]) == NOWHERE:
            raise ValueError(f"numbers={self.options.numbers} do not hold the root's belief")
        if not self.tree.node_length[ROOT]:
            raise ValueError("the position searched offers no action")

    def _check_kept(self, p: TabularPosition) -> None:
        """Raise ValueError unless the kept node has the belief and the steps of ``p``."""
        state, share = self.belief(int(self.tree.counters[TOP]))
        dense = np.zeros(len(p.kind))
        dense[p.state] = p.share
        dense[state] -= share
        if abs(dense).max() > _CLOSE or (not p.endless and p.steps != self._steps - 1):
            raise ValueError(
                "the kept tree belongs to a position with another belief or other steps to go: "
                "give run the position that followed, or call forget"
            )

    def belief(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the states of the belief at ``node`` and their probabilities."""
        first = self.tree.belief_first[node]
        part = slice(first, first + self.tree.belief_length[node])
        return self.tree.state[part].copy(), self.tree.share[part].copy()

    @alone
    def advance(self, action: int, observation: int, legal: Collection[int] | None = None) -> bool:
        """Keep the subtree below ``action`` and ``observation`` for the next `run`.

        Returns False, and the next search begins empty, if that node does not exist or less than
        half of the nodes would be left.  ``legal`` is ignored: the belief is compared instead.
        """
        tree = self.tree
        followed, self._moved = self._followed, True
        self._kept = self._followed = False
        if not followed or 2 * int(tree.counters[NODES]) > len(tree.node_value):
            return False
        child = self._find(action, observation)
        if child < 0 or not tree.node_length[child]:
            return False
        tree.counters[TOP] = child
        self._kept = self._followed = True
        return True

    def _find(self, action: int, observation: int) -> int:
        """Return the node below ``action`` and ``observation``; below 0 without one."""
        tree = self.tree
        for edge in self.edges(int(tree.counters[TOP])):
            if tree.action[edge] == action and tree.status[edge] == parts.OPEN:
                outcomes = slice(tree.first[edge], tree.first[edge] + tree.length[edge])
                found = np.flatnonzero(tree.seen[outcomes] == observation)
                return int(tree.child[outcomes][found[0]]) if len(found) else NOWHERE
        return NOWHERE

    def edges(self, node: int) -> range:
        """Return the edges of ``node``."""
        first = int(self.tree.node_first[node])
        return range(first, first + int(self.tree.node_length[node]))

    @alone
    def forget(self) -> None:
        """Begin the next search with an empty tree."""
        self._kept = self._followed = self._moved = False

    def cancel(self) -> None:
        """End the running search, or the next one; callable from any thread."""
        self.cancelled = True
        self._control[STOP] = 1

    @property
    def bytes(self) -> int:
        """Bytes of the tree that are in use."""
        return measure(self.tree)

    def _arguments(self, p: TabularPosition, worker: int, key: np.uint64) -> tuple[Any, ...]:
        self._steps = p.steps
        shared = self.options.kernel_params(), key, self._control
        return p, self.bounds, self.tree, self._work[worker], self._paths[worker], *shared

    def _result(self, began: Any) -> SearchResult:
        tree, ended = self.tree, mark()
        edges = self.edges(int(tree.counters[TOP]))
        block = slice(edges.start, edges.stop)
        visits, values = tree.visits[block].copy(), tree.value[block].copy()
        actions, lower = tree.action[block].copy(), tree.lower[block].copy()
        by, choice = np.where(visits > 0, values, -np.inf), self.options.final
        best = int(actions[final_choice(visits, by, choice)])
        if self.options.gap is not None and values.max() - lower.max() <= self.options.gap:
            best = int(actions[np.argmax(lower)])
        return SearchResult(
            actions=actions,
            edge_data=tree.gain[block].copy(),
            visits=visits,
            values=values,
            errors=np.full(len(visits), np.nan),
            best=best,
            simulations=int(tree.counters[SIMULATIONS]),
            seconds=ended.seconds - began.seconds,
            nodes=int(tree.counters[NODES]),
            full=bool(tree.counters[parts.FULL]),
            lower=lower if self.options.lower is not None else None,
        )

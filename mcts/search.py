"""Searches: a tree, the threads' workspaces, and the loop of `mcts.simulation` over them.

    search = Search(TigerParameters(), Options(exploration=0.2))
    result = search.run(Budget(simulations=10_000), key=1)
    result.best, result.visits, result.values

One thread with a budget of simulations is bit-reproducible; several threads are not, for they see
each other's statistics in an order that no one controls.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import int64, typeof

from mcts import threads
from mcts.domain import domain_of
from mcts.kernel.clock import mark, seconds_per_cycle
from mcts.kernel.compile import INTERPRETED, specialise
from mcts.options import KEYS, Budget, Options, Settings, check_integer
from mcts.scratch import LISTING_ACTIONS, ROLLING_OUT, SELECTING, new_scratch
from mcts.simulation import run_simulations
from mcts.threads import STOP
from mcts.tree import (
    EDGES,
    FULL,
    LISTED,
    NODES,
    NOWHERE,
    SIMULATIONS,
    TOP,
    Tree,
    child_key,
    clear,
    find,
    new_tree,
)


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Result of a search at its root; arrays have one entry per action, in the domain's order."""

    actions: np.ndarray
    """int64: the legal actions."""
    edge_data: np.ndarray
    """float64: the number that the domain keeps with each of them."""
    visits: np.ndarray
    """int64: simulations that began with the action."""
    values: np.ndarray
    """float64: their mean return in the domain's units; nan where there were none."""
    errors: np.ndarray
    """float64: standard error of the mean, taking simulations as independent; nan below two."""
    best: int
    """The action chosen by the option ``final``."""
    simulations: int
    """Play-outs completed."""
    seconds: float
    """Wall time of the search."""
    nodes: int
    """Nodes in the tree."""
    full: bool
    """Whether the tree stopped growing for want of nodes or edges."""
    phases: dict[str, float] = field(default_factory=dict)
    """Seconds, of all threads together, spent in ``selection`` (steps in the tree included), in
    ``belief`` (listing the actions of new nodes) and in ``roll-out``."""
    lost: int = 0
    """Workers of a root-parallel search whose share is missing."""
    types: np.ndarray | None = None
    """int64: the types of the actions, if they were chosen by type first."""


class Search:
    """A tree and workspaces for searching positions of one domain, again and again.

    Making one compiles the kernel, or loads it from the cache, and allocates; `run` does neither.

    Parameters
    ----------
    p : parameters of a registered domain
    options : how to search

    Attributes
    ----------
    tree : Tree
        As the last search left it.
    """

    def __init__(self, p: Any, options: Options | None = None) -> None:
        self.options = options or Options()
        self.domain = domain_of(p)
        longest, depth, players, perspectives = (
            int(self.domain.declaration(name, p))
            for name in ("max_actions", "max_depth", "players", "perspectives")
        )
        self.tree = new_tree(self.options.nodes, self.options.edge_budget(longest))
        self._p = p
        self._control = threads.new_control()
        self._workers = [
            (
                self.domain.workspace(p),
                self.domain.workspace(p),
                new_scratch(longest, depth, players, perspectives),
            )
            for _ in range(self.options.threads)
        ]
        self._kept = self._followed = False
        self._scale = 0.0, 1.0  # low and span of the returns in the tree
        self._kernel = specialise(run_simulations, self.domain.parameters.__module__)
        if not INTERPRETED:  # here, for Ctrl-C reaches a compilation in the main thread alone
            sample = self._arguments(p, 0, self._settings(p), np.uint64(0))
            self._kernel.compile((*map(typeof, sample), int64, int64, int64))

    def run(self, budget: Budget, key: int, p: Any = None) -> SearchResult:
        """Search, from an empty tree unless the last one was kept by `advance`.

        Parameters
        ----------
        budget : when to end
        key : names all randomness of this search: a whole number from 0 to below 2**64
        p : the position to search if not the one given at the start: parameters of the same type
            and shapes, which the workspaces made for that one fit

        Raises
        ------
        ValueError
            If ``key`` is out of range, there is nothing to decide at the root, or the edge budget
            does not hold its list.
        Exception
            Whatever the domain raises in a worker thread.
        """
        began = mark()
        p = self._p if p is None else p
        settings = self._settings(p)
        key = np.uint64(check_integer("key", key, KEYS))
        limit = threads.UNLIMITED
        if budget.simulations is not None:
            limit = -(-int(budget.simulations) // self.options.playouts)
        scale = settings.low, settings.span
        if not self._kept:
            clear(self.tree)
        elif scale != self._scale:
            _rescale(self.tree, *self._scale, *scale)
        self._scale = scale
        self._kept, self._followed = False, True
        self.tree.counters[SIMULATIONS] = 0
        for _, _, scratch in self._workers:
            scratch.cycles[:] = 0

        def call(worker: int, most: int) -> int:
            arguments = self._arguments(p, worker, settings, key)
            return self._kernel(*arguments, limit, most, worker)

        together = settings.leaf_threads > 1
        threads.run(call, len(self._workers), self._control, limit, budget.seconds, together)
        return self._result(p, settings, began)

    def advance(self, action: int, observation: int) -> bool:
        """Keep, for the next `run`, what was found below ``action`` and then ``observation``.

        The next search then begins at that node, with its statistics; the rest of the tree stays
        in memory.  Returns False, and the next search begins afresh, if that node does not exist or
        it is used up: less than half of the budget of nodes would be left.
        """
        tree = self.tree
        if not self._followed:
            return False
        below = child_key(tree.key[tree.counters[TOP]], action, np.uint64(observation))
        node = find(tree, np.uint64(below))
        kept = node != NOWHERE and 2 * int(tree.counters[NODES]) <= len(tree.order)
        if kept:
            tree.counters[TOP] = node
        self._kept = self._followed = kept
        return kept

    def forget(self) -> None:
        """Begin the next search afresh, whatever `advance` kept."""
        self._kept = self._followed = False

    def cancel(self) -> None:
        """End the running search after the simulations under way; for any thread to call."""
        self._control[STOP] = 1

    def _arguments(self, p: Any, worker: int, settings: Settings, key: np.uint64) -> tuple:
        """Return what the kernel takes, but for the numbers at the end."""
        lead, _, lead_scratch = self._workers[0]
        workspace = (*self._workers[worker], lead, lead_scratch)
        return (p, *workspace, self.tree, settings, key, self._control)

    def _settings(self, p: Any) -> Settings:
        """Return the options and the domain's declarations as the kernel takes them."""
        low, high, discount = (
            float(self.domain.declaration(name, p)) for name in ("low", "high", "discount")
        )
        if not low < high:
            raise ValueError(f"the domain declares returns from {low} to {high}: an empty range")
        players, views = (int(self.domain.declaration(n, p)) for n in ("players", "perspectives"))
        return self.options.settings(discount, low, high - low, players, views)

    def _result(self, p: Any, settings: Settings, began: Any) -> SearchResult:
        """Read the root's edges, in the domain's units."""
        tree = self.tree
        top = tree.counters[TOP]
        if tree.status[top] != LISTED:
            raise ValueError(
                f"the edge budget of {len(tree.action)} does not hold the root's actions"
                if tree.counters[FULL]
                else "the position searched offers no action"
            )
        block = slice(tree.first[top], tree.first[top] + tree.length[top])
        visits = tree.edge_visits[block].copy()
        means, spread = np.full((2, len(visits)), np.nan)
        np.divide(tree.edge_total[block], visits, out=means, where=visits > 0)
        np.divide(tree.edge_squares[block], visits, out=spread, where=visits > 1)
        errors = np.full(len(visits), np.nan)
        variance = np.maximum(spread - means**2, 0.0)
        np.divide(variance, visits - 1, out=errors, where=visits > 1)
        actions = tree.action[block].copy()
        types = self._types(p, actions)
        ended = mark()
        return SearchResult(
            actions=actions,
            edge_data=tree.edge_data[block].copy(),
            visits=visits,
            values=settings.low + settings.span * means,
            errors=settings.span * np.sqrt(errors),
            best=int(actions[final_choice(visits, means, self.options.final, types)]),
            simulations=int(tree.counters[SIMULATIONS]) * self.options.playouts,
            seconds=ended.seconds - began.seconds,
            nodes=int(tree.counters[NODES]),
            full=bool(tree.counters[FULL]),
            phases=self._phases(seconds_per_cycle(began, ended)),
            types=types,
        )

    def _types(self, p: Any, actions: np.ndarray) -> np.ndarray | None:
        """Return the types of ``actions`` if they are chosen by them."""
        if not self.options.action_types:
            return None
        own, *_ = self._workers[0]
        return np.array([self.domain.action_type(p, own, action) for action in actions], np.int64)

    def _phases(self, seconds: float) -> dict[str, float]:
        """Return what the threads spent their time on, given the ``seconds`` of a cycle."""
        spent = sum(scratch.cycles for _, _, scratch in self._workers) * seconds
        places = {"selection": SELECTING, "belief": LISTING_ACTIONS, "roll-out": ROLLING_OUT}
        return {name: float(spent[place]) for name, place in places.items()}


def _rescale(tree: Tree, low: float, span: float, new_low: float, new_span: float) -> None:
    """Scale the returns kept in ``tree`` by another range, such as that of fewer steps to go."""
    shift, factor = (low - new_low) / new_span, span / new_span
    used = slice(tree.counters[EDGES])
    n, total, squares = (e[used] for e in (tree.edge_visits, tree.edge_total, tree.edge_squares))
    squares[:] = shift**2 * n + 2 * shift * factor * total + factor**2 * squares
    total[:] = shift * n + factor * total


def final_choice(
    visits: np.ndarray, means: np.ndarray, final: str, types: np.ndarray | None = None
) -> int:
    """Return the index of the action to play by the rule ``final`` (see `Options`).

    With ``types`` the type is chosen by that rule, from the sums of its actions, then the action.
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

"""Searches: a tree, the threads' workspaces, and the loop of `mcts.simulation` over them.

    search = Search(TigerParameters(), Options(exploration=0.2))
    result = search.run(Budget(simulations=10_000), key=1)
    result.best, result.visits, result.values

One thread with a budget of simulations is bit-reproducible; several threads are not, because the
order in which they see each other's statistics is arbitrary.

Limits: of a position searched with a kept tree it is checked that its actions match, but not that
its belief follows from the actions and observations.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import int64, typeof

from mcts import threads
from mcts.domain import domain_of
from mcts.kernel.clock import mark, seconds_per_cycle
from mcts.kernel.compile import INTERPRETED, specialise
from mcts.memory import LISTING_ACTIONS, ROLLING_OUT, SELECTING, Memory
from mcts.options import KEYS, Budget, KernelParams, Options, check_integer
from mcts.selection import final_choice
from mcts.simulation import Arguments, run_simulations
from mcts.threads import STOP, alone
from mcts.tree import (
    CLOSED,
    EXPANDED,
    FULL,
    NODES,
    NOWHERE,
    SIMULATIONS,
    TOP,
    Tree,
    child_key,
    clear,
    find,
    new_tree,
    rescale,
)

_ROUNDING = 1e-9
"""Tolerance on scaled returns: values this far outside are still in range."""


class OutOfRange(UserWarning):
    """A domain pays a return outside its declared range."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Result of a search at its root; arrays have one entry per action, in the domain's order."""

    actions: np.ndarray
    """int64: the legal actions."""
    edge_data: np.ndarray
    """float64: the number that the domain attached to each."""
    visits: np.ndarray
    """int64: simulations that began with the action."""
    values: np.ndarray
    """float64: their mean return in the domain's units; nan without any."""
    errors: np.ndarray
    """float64: standard error of the mean, treating simulations as independent; nan below two, and
    with the option ``pruning``, which makes values other than means."""
    best: int
    """The action chosen by the option ``final``."""
    simulations: int
    """Play-outs completed."""
    seconds: float
    """Wall time of the search."""
    nodes: int
    """Nodes in the tree."""
    full: bool
    """Whether the tree stopped growing for lack of nodes or edges."""
    phases: dict[str, float] = field(default_factory=dict)
    """Seconds, summed over threads, spent in ``selection`` (steps in the tree included), in
    ``belief`` (listing the actions of new nodes) and in ``roll-out``."""
    lost: int = 0
    """Workers of a root-parallel search whose share is missing."""
    types: np.ndarray | None = None
    """int64: the types of the actions, if they were chosen by type first."""
    lower: np.ndarray | None = None
    """float64: lower bounds of the values, from a search that has bounds."""

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(best {self.best}, {self.simulations:,} simulations, "
            f"{len(self.actions)} actions)"
        )


class Search:
    """A tree and workspaces for repeated searches of positions of one domain.

    Construction compiles the kernel, or loads it from the cache, and allocates; `run` does neither
    unless a position is larger than all before.  Raises ValueError for mode ``root``, which needs
    `mcts.root.RootSearch`.  One thread at a time may use it, except for `cancel`: a second one gets
    a RuntimeError.

    Parameters
    ----------
    p : parameters of a registered domain
    options : how to search

    Attributes
    ----------
    tree : as left by the last search
    cancelled : whether the search is to end, the next one if none is running
    """

    def __init__(self, p: Any, options: Options | None = None) -> None:
        self.options = options or Options()
        if not isinstance(self.options, Options):
            raise TypeError(f"options must be Options, not {self.options!r}")
        if self.options.mode == "root":
            raise ValueError("mode=root has a tree per process: make a RootSearch, not a Search")
        self.domain = domain_of(p)
        self._p = p
        self._control = threads.new_control()
        self._memory = Memory(self.domain, self.options.threads)
        self._workers = self._memory.fit(p)
        self.tree = new_tree(self.options.nodes, self._edges)
        self._kept = self._followed = self._moved = self.cancelled = False
        self._legal: Collection[int] | None = None
        self._scale = 0.0, 1.0  # low and span of the returns in the tree
        self._warned = False
        self._kernel = specialise(run_simulations, self.domain.parameters.__module__)
        if not INTERPRETED:  # here, because Ctrl-C reaches a compilation in the main thread alone
            search = self.tree, self._settings(p), np.uint64(0), self._control
            sample = self._arguments(p, 0, *search, 0, 0)
            self._kernel.compile((*map(typeof, sample[:-3]), int64, int64, int64))

    def __repr__(self) -> str:
        nodes = f"{self.tree.counters[NODES]:,} of {self.options.nodes:,} nodes"
        return f"Search({type(self._p).__name__}, {self.options.selection}, {nodes})"

    @alone
    def run(self, budget: Budget, key: int, p: Any = None) -> SearchResult:
        """Search from an empty tree unless `advance` kept the last one.

        Warns once (`OutOfRange`) if an action's value is outside the declared range: exploration is
        then out of scale.

        Parameters
        ----------
        budget : when to end
        key : names all randomness of this search: an integer from 0 to below 2**64
        p : the position to search if not the constructor's: parameters of the same type.  Required
            after `advance`, with the belief that follows

        Raises
        ------
        ValueError
            If ``key`` is out of range, there is nothing to decide at the root, or the edge budget
            does not hold its list; if the tree was kept and ``p`` is missing or has other actions.
        TypeError, Exception
            If an argument has the wrong type; any exception of the domain in a worker thread.
        """
        began = mark()
        check_types(budget, p, type(self._p))
        if p is None and self._moved:
            raise ValueError("after advance, give run the position that followed, or call forget")
        p = self._p if p is None else p
        settings = self._settings(p)
        key = np.uint64(check_integer("key", key, KEYS))
        limit = threads.UNLIMITED
        if budget.simulations is not None:
            limit = -(-int(budget.simulations) // self.options.playouts)
        if self.options.halving:
            if budget.simulations is None or budget.seconds is not None:
                raise ValueError("halving needs a budget of simulations alone")
            settings = settings._replace(halving=limit)
        if settings.pruning > 0.0 and settings.players > 1:
            raise ValueError(f"pruning is for one player, not {settings.players}")
        self._workers = self._memory.fit(p)
        scale = settings.low, settings.span
        if self._kept:
            if self._legal is None and (known := _root_actions(self.tree)):
                offered = self._list(p, settings)
                self._check_kept(offered if len(offered) == len(known) else ())
            if scale != self._scale:
                rescale(self.tree, *self._scale, *scale)
        elif len(self.tree.action) < self._edges:
            self.tree = new_tree(self.options.nodes, self._edges)
        else:
            clear(self.tree)
        self._scale = scale
        self._kept = self._followed = self._moved = False
        self.tree.counters[SIMULATIONS] = 0
        for worker in self._workers:
            worker.scratch.cycles[:] = 0
        try:
            if not self.cancelled:
                how = {"limit": limit, "seconds": budget.seconds}
                self._search(p, self.tree, settings, key, self._control, **how)
            if not self.tree.counters[SIMULATIONS]:  # cancelled before the first began
                self._search(p, self.tree, settings, key, threads.new_control(), limit=1)
        finally:
            self.cancelled = False
        result = self._result(p, settings, began)
        self._followed = True
        return result

    def _search(self, p: Any, *search: Any, limit: int, seconds: float | None = None) -> None:
        """Run simulations in all threads until the ``limit``, the time is over, or a cancel.

        ``search``: the tree, settings, key and control array.
        """
        _, settings, _, control = search

        def call(worker: int, max_count: int) -> int:
            if self.cancelled and control is self._control:
                control[STOP] = 1  # which `threads.run` clears when it begins
            return self._kernel(*self._arguments(p, worker, *search, limit, max_count))

        together = settings.leaf_threads > 1
        threads.run(call, len(self._workers), control, limit, seconds, together)

    def _list(self, p: Any, settings: KernelParams) -> set[int]:
        """Return the actions of ``p``, from one simulation of a separate, compiled tree."""
        simple = settings._replace(leaf_threads=1, rollouts_per_leaf=1, common_random_numbers=0)
        tree = new_tree(1, self._memory.longest)
        self._search(p, tree, simple, np.uint64(0), threads.new_control(), limit=1)
        return _root_actions(tree)

    def _check_kept(self, offered: Collection[int]) -> None:
        """Raise ValueError if the kept node lists an action that is not ``offered``."""
        if not _root_actions(self.tree) <= set(offered):
            raise ValueError(
                "the kept tree belongs to a position with other actions: give run the "
                "position that followed, or call forget"
            )

    @alone
    def advance(self, action: int, observation: int, legal: Collection[int] | None = None) -> bool:
        """Keep for the next `run` the subtree below ``action`` and then ``observation``.

        The next search begins at that node, with its statistics; the rest of the tree stays in
        memory.  Returns False, and the next search begins empty, if that node does not exist, has
        no actions, or is used up: less than half of the budget of nodes would be left.  Raises
        ValueError if a number is out of range, or the node lists an action that is not ``legal``.

        Parameters
        ----------
        action : the number of the action taken
        observation : the key of the observation, as the domain's `observation` returns it
        legal : all legal actions, for a domain whose lists are a selection among them that depends
            on the quality of the belief; None: the next position must list the node's actions
        """
        tree = self.tree
        action = check_integer("action", action, 2**63)
        observation = check_integer("observation", observation, KEYS)
        followed, self._moved = self._followed, True
        self._kept = self._followed = False
        if not followed:
            return False
        below = child_key(tree.key[tree.counters[TOP]], action, np.uint64(observation))
        node = find(tree, np.uint64(below))
        half = 2 * int(tree.counters[NODES]) <= len(tree.order)
        if node == NOWHERE or tree.status[node] == CLOSED or not half:
            return False
        tree.counters[TOP] = node
        if legal is not None:
            self._check_kept(legal)
        self._kept, self._followed, self._legal = True, True, legal
        return True

    @alone
    def forget(self) -> None:
        """Begin the next search with an empty tree."""
        self._kept = self._followed = self._moved = False

    def cancel(self) -> None:
        """End the running search after the current simulations; callable from any thread.

        If none is running, this ends the next one.  A search cancelled before its first simulation
        still runs that one.
        """
        self.cancelled = True  # first: see `_search`
        self._control[STOP] = 1

    @property
    def _edges(self) -> int:
        """Edge budget of a tree."""
        return self.options.edge_budget(self._memory.longest)

    def _arguments(self, p: Any, worker: int, *shared: Any) -> Arguments:
        """Return the kernel's arguments in the thread ``worker``; ``shared``: from the tree on."""
        leader = self._workers[0]
        return Arguments(p, *self._workers[worker], leader.state, leader.scratch, *shared, worker)

    def _settings(self, p: Any) -> KernelParams:
        """Return the kernel's settings from the options and the domain's declarations."""
        low, high, discount = (
            float(self.domain.declaration(name, p)) for name in ("low", "high", "discount")
        )
        if not low < high:
            raise ValueError(f"the domain declares returns from {low} to {high}: an empty range")
        players, views = (int(self.domain.declaration(n, p)) for n in ("players", "perspectives"))
        return self.options.kernel_params(discount, low, high - low, players, views)

    def _result(self, p: Any, settings: KernelParams, began: Any) -> SearchResult:
        """Read the root's edges, in the domain's units."""
        tree = self.tree
        block = _root_block(tree)
        if block.start == block.stop:
            raise ValueError(
                f"the edge budget of {len(tree.action)} does not hold the root's actions"
                if tree.counters[FULL]
                else "the position searched offers no action"
            )
        visits = tree.edge_visits[block].copy()
        means, spread = np.full((2, len(visits)), np.nan)
        np.divide(tree.edge_total[block], visits, out=means, where=visits > 0)
        np.divide(tree.edge_squares[block], visits, out=spread, where=visits > 1)
        actions, values = tree.action[block].copy(), settings.low + settings.span * means
        if not self._warned:
            self._warned = _warn_outside(p, settings, actions, values)
        errors = np.full(len(visits), np.nan)
        variance = np.maximum(spread - means**2, 0.0)
        known = visits > 1 if settings.pruning == 0.0 else np.zeros(len(visits), bool)
        np.divide(variance, visits - 1, out=errors, where=known)
        types = self._types(p, actions)
        ended = mark()
        return SearchResult(
            actions=actions,
            edge_data=tree.edge_data[block].copy(),
            visits=visits,
            values=values,
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
        """Return the types of ``actions`` if types are chosen first."""
        if not self.options.action_types:
            return None
        state = self._workers[0].state
        return np.array([self.domain.action_type(p, state, action) for action in actions], np.int64)

    def _phases(self, seconds: float) -> dict[str, float]:
        """Return the time that the threads spent per phase, given the ``seconds`` per cycle."""
        spent = sum(worker.scratch.cycles for worker in self._workers) * seconds
        places = {"selection": SELECTING, "belief": LISTING_ACTIONS, "roll-out": ROLLING_OUT}
        return {name: float(spent[place]) for name, place in places.items()}


def _warn_outside(p: Any, settings: KernelParams, actions: np.ndarray, values: np.ndarray) -> bool:
    """Warn of the value farthest outside the declared range; return whether there is one."""
    low, high = settings.low, settings.low + settings.span
    outside = np.nan_to_num(np.maximum(low - values, values - high))
    farthest = outside.argmax()
    found = bool(outside[farthest] > _ROUNDING * settings.span)
    if found:
        warnings.warn(
            f"action {getattr(p, 'words', str)(actions[farthest])} is worth {values[farthest]:g}, "
            f"outside the declared {low:g} to {high:g}: declare a low and high for every return",
            OutOfRange,
            stacklevel=5,
        )
    return found


def check_types(budget: Budget, p: Any, kind: type) -> None:
    """Raise TypeError unless ``budget`` is a `Budget` and ``p`` of the prepared ``kind``."""
    if not isinstance(budget, Budget):
        raise TypeError(f"budget must be a Budget, not {budget!r:.100}")
    if p is not None and type(p) is not kind:
        raise TypeError(f"the position must be of type {kind.__name__}, not {type(p).__name__}")


def _root_actions(tree: Tree) -> set[int]:
    """Return the actions of the root of searches; none before they are listed."""
    return set(tree.action[_root_block(tree)].tolist())


def _root_block(tree: Tree) -> slice:
    """Return the edges of the root of searches as a slice, empty before it is expanded."""
    top = tree.counters[TOP]
    first = tree.first[top]
    return slice(first, first + tree.length[top] * (tree.status[top] == EXPANDED))

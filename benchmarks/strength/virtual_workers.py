"""Many workers on one tree, simulated: their simulations interleaved, their results delayed.

A free worker selects a path through the current tree, which marks its edges as in flight, and rolls
out from the leaf; its return reaches the tree when its time is over, and the worker begins again.
So a search sees the same interleaving as with 1,024 threads, on one thread and reproducibly.  Not
modelled are the cost of shared cache lines, and the time of selection relative to roll-outs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mcts.domain import start
from mcts.kernel.atomics import fetch_add, load
from mcts.kernel.compile import jit, jit_generic, specialise
from mcts.kernel.rng import fold
from mcts.memory import Scratch
from mcts.merge import merge
from mcts.options import Budget, Options
from mcts.root import worker_key
from mcts.search import Search, SearchResult
from mcts.simulation import Arguments, backpropagate, descend, roll_out, share_chance
from mcts.threads import NEXT, STOP
from mcts.tree import EXPANDED, NOWHERE, SIMULATIONS, TOP

IDLE = -1
"""In place of a depth: the worker is idle."""


class Pending(NamedTuple):
    """Simulations in progress of W workers."""

    due: np.ndarray
    """float64 (W,): time at which each is free again."""
    depth: np.ndarray
    """int64 (W,): edges followed, or `IDLE`."""
    edges: np.ndarray
    """int64 (W, max_depth)."""
    movers: np.ndarray
    """int64 (W, max_depth)."""
    rewards: np.ndarray
    """float64 (W, max_depth)."""
    payoff: np.ndarray
    """float64 (W, players)."""
    latency: np.ndarray
    """float64 (n,): duration of simulation i, modulo n."""


def run_delayed(
    pending,
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
    """Run ``limit`` simulations by the workers of ``pending``; return how many were run.

    The other arguments are `mcts.simulation.Arguments`.
    """
    returns = 0.0
    number = 0
    while number < limit and load(control, STOP) == 0:
        free = np.argmin(pending.due)
        if pending.depth[free] != IDLE:
            returns += land(tree, scratch, pending, free, settings)
        number = fetch_add(control, NEXT, 1)
        launch(
            params,
            state,
            rollout_state,
            tree,
            scratch,
            settings,
            control,
            key,
            number,
            pending,
            free,
        )
        number += 1
    for _ in range(len(pending.due)):
        free = np.argmin(pending.due)
        if pending.depth[free] != IDLE:
            returns += land(tree, scratch, pending, free, settings)
        pending.due[free] = np.inf
    fetch_add(tree.returns, 0, returns)
    fetch_add(tree.counters, SIMULATIONS, number)
    return number


@jit_generic
def launch(
    params, state, rollout_state, tree, scratch, settings, control, key, number, pending, free
):
    """Let worker ``free`` begin simulation ``number``, which reaches the tree when it is due."""
    scratch.stream[0] = fold(key, number)
    chosen = NOWHERE
    if settings.common_random_numbers and load(tree.status, tree.counters[TOP]) == EXPANDED:
        chosen = share_chance(params, state, tree, scratch, settings, key)
    start(params, state, scratch.stream)
    depth = descend(params, state, tree, scratch, settings, chosen)
    roll_out(params, state, rollout_state, scratch, control, settings)
    pending.depth[free] = depth
    for i in range(depth):
        pending.edges[free, i] = scratch.edges[i]
        pending.movers[free, i] = scratch.movers[i]
        pending.rewards[free, i] = scratch.rewards[i]
    for player in range(settings.players):
        pending.payoff[free, player] = scratch.payoff[player]
    pending.due[free] += pending.latency[number % len(pending.latency)]


@jit
def land(tree, scratch: Scratch, pending: Pending, free: int, settings) -> float:
    """Add the result of worker ``free`` to the tree; return the scaled return of player 0."""
    depth = pending.depth[free]
    for i in range(depth):
        scratch.edges[i] = pending.edges[free, i]
        scratch.movers[i] = pending.movers[free, i]
        scratch.rewards[i] = pending.rewards[free, i]
    for player in range(settings.players):
        scratch.payoff[player] = pending.payoff[free, player]
    pending.depth[free] = IDLE
    return backpropagate(tree, scratch, depth, settings)


def draw_latencies(spread: float, count: int = 4096) -> np.ndarray:
    """Return durations of simulations with mean 1 and standard deviation ``spread``, log-normal."""
    sigma = np.sqrt(np.log1p(spread**2))
    return np.random.default_rng(0).lognormal(-(sigma**2) / 2, sigma, count)


class VirtualSearch(Search):
    """A search by ``workers`` simulated threads on one tree; its budget is of simulations."""

    def __init__(self, p: Any, options: Options, workers: int, spread: float) -> None:
        super().__init__(p, options)
        self._latency = draw_latencies(spread)
        self._pending = self._new_pending(workers, self._workers[0].scratch)
        kernel = specialise(run_delayed, self.domain.parameters.__module__)

        def call(*given: Any) -> int:
            arguments = Arguments(*given)
            scratch, held = arguments.scratch, self._pending
            if held.edges.shape[1] < len(scratch.edges) or held.payoff.shape[1] < len(
                scratch.payoff
            ):
                self._pending = self._new_pending(workers, scratch)
            self._pending.due[:] = 0.0
            return kernel(self._pending, *arguments)

        self._kernel = call

    def _new_pending(self, workers: int, scratch: Scratch) -> Pending:
        """Return empty records of ``workers`` in progress, each as deep as ``scratch``."""
        depth = len(scratch.edges)
        return Pending(
            due=np.zeros(workers),
            depth=np.full(workers, IDLE),
            edges=np.zeros((workers, depth), np.int64),
            movers=np.zeros((workers, depth), np.int64),
            rewards=np.zeros((workers, depth)),
            payoff=np.zeros((workers, len(scratch.payoff))),
            latency=self._latency,
        )


class VirtualRoot:
    """``trees`` searches by ``make_search``, one after another, merged as by Ray workers."""

    def __init__(self, trees: int, rule: str, make_search: Any) -> None:
        self.results: Sequence[SearchResult] = ()
        self._trees, self._rule, self._make, self._search = trees, rule, make_search, None

    def run(self, budget: Budget, key: int, p: Any = None) -> SearchResult:
        """Search ``p`` by all trees; each has its share of the simulations and its own key."""
        if self._search is None:
            self._search = self._make(p)
        share = budget.split(self._trees)
        self.results = [
            self._search.run(share, worker_key(key, tree), p) for tree in range(self._trees)
        ]
        return merge(self.results, self._rule)

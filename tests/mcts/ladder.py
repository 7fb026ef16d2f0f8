"""A small domain of which everything can be worked out by hand, and what a search made of it."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from mcts.contract.testing import check_invariants
from mcts.domain import register
from mcts.kernel.compile import jit
from mcts.kernel.rng import below
from mcts.options import Budget, Options
from mcts.search import Search
from mcts.tree import EXPANDED, NODES


class Ladder(NamedTuple):
    """`length` decisions among `width` actions, after each of which a coin is seen.

    Action a earns a plus its edge datum.
    """

    length: int = 3
    width: int = 4
    tail: float = 8.0
    """What a roll-out returns."""
    lists: int = 0
    """1: list no action below the root; 2: list none at all."""
    trap: int = -1
    """The action that raises."""
    begin: int = 0
    """The rung searched from."""


@jit
def _start(p, s, stream):
    s[0] = p.begin
    s[1] = 0


@jit
def _actions(p, s, out, edge_data):
    s[2] += 1
    if p.lists == 2 or (p.lists == 1 and s[0] > 0):
        return 0
    for i in range(p.width):
        out[i] = p.width - 1 - i
        edge_data[i] = 0.25 * i
    return p.width


@jit
def _step(p, s, action, edge_data, stream):
    if action == p.trap:
        raise ValueError("the rung broke")
    s[0] += 1
    s[1] = below(stream, 2)
    return action + edge_data


@jit
def _observation(p, s):
    return np.uint64(s[1])


@jit
def _terminal(p, s):
    return s[0] >= p.length


@jit
def _rollout(p, s, stream):
    return p.tail


register(
    Ladder,
    start=_start,
    actions=_actions,
    step=_step,
    observation=_observation,
    terminal=_terminal,
    rollout=_rollout,
    workspace=lambda p: np.zeros(3, np.int64),
    discount=0.5,
    low=lambda p: 0.0,
    high=16.0,
    max_actions=lambda p: p.width,
    max_depth=lambda p: p.length,
)


def fingerprint(tree):
    """Return a digest of all nodes, in order, and of all edges."""
    nodes = tree.order[: tree.counters[NODES]]
    listed = nodes[tree.status[nodes] == EXPANDED]
    state = hashlib.sha256()
    for array in (tree.key, tree.parent, tree.incoming, tree.status, tree.visits):
        state.update(np.ascontiguousarray(array[nodes]).tobytes())
    for array in (tree.first, tree.length):
        state.update(np.ascontiguousarray(array[listed]).tobytes())
    edges = int(tree.length[listed].sum())
    for array in (
        tree.action,
        tree.edge_data,
        tree.edge_visits,
        tree.edge_total,
        tree.edge_in_flight,
    ):
        state.update(array[:edges].tobytes())
    state.update(tree.counters.tobytes() + tree.returns.tobytes())
    return state.hexdigest()


def run_search(simulations, key=1, p=None, **options):
    search = Search(p or Ladder(), Options(**{"nodes": 2_000, **options}))
    result = search.run(Budget(simulations=simulations), key)
    check_invariants(search.tree)
    return search, result

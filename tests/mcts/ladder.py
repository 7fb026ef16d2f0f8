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

RUNG, COIN, LISTED, LAST, AWAKE = range(5)
"""Places in a workspace."""

ALL = -1
"""All actions awake."""


class Ladder(NamedTuple):
    """`length` decisions among `width` actions, after each of which a coin is seen.

    Action a earns a plus its edge datum, a quarter of its place in the list (a = 3, 2, 1, 0).
    """

    length: int = 3
    width: int = 4
    tail: float = 8.0
    """What a roll-out returns, ..."""
    noise: int = 0
    """... and parts of 1, of which it draws how many come on top; 0: none."""
    lists: int = 0
    """1: list no action below the root; 2: list none at all."""
    trap: int = -1
    """The action that raises."""
    trap_later: int = -1
    """The action after which roll-outs raise."""
    begin: int = 0
    """The rung searched from."""


@jit
def start(p, s, stream):
    s[RUNG] = p.begin
    s[COIN] = s[LAST] = 0
    s[AWAKE] = ALL


@jit
def actions(p, s, out, edge_data):
    s[LISTED] += 1
    if p.lists == 2 or (p.lists == 1 and s[RUNG] > 0):
        return 0
    for i in range(p.width):
        out[i] = p.width - 1 - i
        edge_data[i] = 0.25 * i
    return p.width


@jit
def step(p, s, action, edge_data, stream):
    if action == p.trap:
        raise ValueError("the rung broke")
    s[RUNG] += 1
    s[LAST] = action
    s[COIN] = below(stream, 2)
    return action + edge_data


@jit
def observation(p, s):
    return np.uint64(s[COIN])


@jit
def terminal(p, s):
    return s[RUNG] >= p.length


@jit
def available(p, s, action):
    return (s[AWAKE] >> action & 1) == 1


@jit
def rollout(p, s, stream):
    if s[LAST] == p.trap_later:
        raise ValueError("lost in the fog")
    if s[RUNG] >= p.length:
        return 1e9  # a second roll-out from this very state is seen
    s[RUNG] = p.length
    return p.tail + (below(stream, p.noise) / p.noise if p.noise else 0.0)


register(
    Ladder,
    workspace=lambda p: np.zeros(5, np.int64),
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
    edges = slice(int(tree.length[listed].sum()))
    of_nodes = (tree.key, tree.parent, tree.incoming, tree.status, tree.visits)
    of_edges = (tree.action, tree.edge_data, tree.edge_visits, tree.edge_total, tree.edge_in_flight)
    state = hashlib.sha256(tree.counters.tobytes() + tree.returns.tobytes())
    for array in (
        *(array[nodes] for array in of_nodes),
        *(array[listed] for array in (tree.first, tree.length)),
        *(array[edges] for array in of_edges),
    ):
        state.update(np.ascontiguousarray(array).tobytes())
    return state.hexdigest()


def run_search(simulations, key=1, p=None, **options):
    """Return the search of ``p`` and its result."""
    search = Search(p or Ladder(), Options(**{"nodes": 2_000, **options}))
    result = search.run(Budget(simulations=simulations), key)
    check_invariants(search.tree)
    return search, result

"""The tree's arrays: nodes by key, budgets, clearing, and invariants that are seen to fail."""

import numpy as np
import pytest

from mcts.contract.testing import check_invariants
from mcts.kernel.rng import fold
from mcts.options import Budget, Options
from mcts.problems.tiger import TigerParameters
from mcts.search import Search
from mcts.tree import (
    CLOSED,
    EDGES,
    EMPTY_KEY,
    EXPANDED,
    EXPANDING,
    FULL,
    NODES,
    NOWHERE,
    ROOT,
    ROOT_KEY,
    UNLISTED,
    child_key,
    clear,
    expand,
    find,
    get_or_add_node,
    new_tree,
)


def plant(nodes=8, edges=16):
    """Return a tree whose root lists actions 10, 11, 12."""
    tree = new_tree(nodes, edges)
    tree.status[ROOT] = EXPANDING
    assert expand(tree, ROOT, np.array([10, 11, 12]), np.array([0.1, 0.2, 0.3]), 3) == EXPANDED
    return tree


def key_below(tree, edge, observation):
    """Return the key of what ``observation`` leads to behind ``edge`` of the root."""
    return np.uint64(child_key(tree.key[ROOT], tree.action[edge], np.uint64(observation)))


def below(tree, edge, observation):
    """Return the child of the root behind ``edge`` and ``observation``."""
    return get_or_add_node(tree, key_below(tree, edge, observation), ROOT, edge)


def test_children_are_found_by_action_and_observation():
    tree = plant()
    seen = {}
    for edge in range(3):
        for observation in (0, 5):
            seen[edge, observation] = below(tree, edge, observation)
    assert len(set(seen.values())) == 6
    for (edge, observation), node in seen.items():
        assert below(tree, edge, observation) == node
        assert tree.key[node] == fold(fold(ROOT_KEY, 10 + edge), observation)
        assert (tree.parent[node], tree.incoming[node]) == (ROOT, edge)
        assert find(tree, tree.key[node]) == node
    assert tree.counters[NODES] == 7
    assert tree.order[:7].tolist() == [ROOT, *seen.values()]


def test_nodes_whose_keys_want_one_slot_are_kept_apart():
    tree = plant(nodes=16, edges=16)
    keys = [np.uint64(3 + i * len(tree.key)) for i in range(4)]
    nodes = [get_or_add_node(tree, key, ROOT, 0) for key in keys]
    assert len(set(nodes)) == 4
    assert [find(tree, key) for key in keys] == nodes
    assert find(tree, np.uint64(3 + 4 * len(tree.key))) == NOWHERE


def test_a_full_table_gives_no_more_nodes_but_finds_the_old():
    tree = plant(nodes=4)
    nodes = [below(tree, 0, i) for i in range(6)]
    assert NOWHERE not in nodes[:3]
    assert nodes[3:] == [NOWHERE] * 3
    assert tree.counters[FULL] == 1
    assert [below(tree, 0, i) for i in range(3)] == nodes[:3]


def test_a_list_too_long_for_the_edges_left_closes_the_node():
    tree = plant(edges=5)
    node = below(tree, 0, 1)
    tree.status[node] = EXPANDING
    assert expand(tree, node, np.zeros(3, np.int64), np.zeros(3), 3) == CLOSED
    assert tree.status[node] == CLOSED
    assert (tree.counters[FULL], tree.counters[EDGES]) == (1, 3)


def test_clearing_leaves_a_fresh_tree():
    tree = run_search().tree
    clear(tree)
    fresh = new_tree(len(tree.order), len(tree.action))
    for name in ("key", "status", "visits", "counters", "returns"):
        assert np.array_equal(getattr(tree, name), getattr(fresh, name)), name
    assert np.count_nonzero(tree.key != EMPTY_KEY) == 1
    assert tree.status[ROOT] == UNLISTED


def run_search():
    search = Search(TigerParameters(steps=12), Options(exploration=0.2, nodes=5_000))
    search.run(Budget(simulations=2_000), 7)
    return search


def _at(name, place, amount):
    def spoil(tree):
        getattr(tree, name)[place(tree)] += amount

    return spoil


def _deepest(tree):
    return tree.order[tree.counters[NODES] - 1]


SPOILS = {
    "a lost root visit": (_at("visits", lambda t: ROOT, -1), "root visits"),
    "a lost edge visit": (_at("edge_visits", lambda t: t.first[ROOT], -1), "not all simulations"),
    "a lost return": (_at("edge_total", lambda t: t.first[ROOT], -0.5), "root returns differ"),
    "a visit in flight": (_at("edge_in_flight", lambda t: t.first[ROOT], 1), "in flight"),
    "a node made but not counted": (_at("counters", lambda t: NODES, -1), "nodes, another count"),
    "a node too often visited": (_at("visits", _deepest, 3000), "fewer visits"),
    "another parent": (_at("parent", _deepest, 1), "not its parent's"),
    "shared edges": (_at("first", lambda t: t.parent[_deepest(t)], -1), "shares edges"),
    "edges not in a block": (_at("counters", lambda t: EDGES, 1), "edges allocated"),
}


@pytest.mark.parametrize("name", SPOILS)
def test_each_invariant_can_fail(name):
    spoil, complaint = SPOILS[name]
    tree = run_search().tree
    spoil(tree)
    with pytest.raises(AssertionError, match=complaint):
        check_invariants(tree)


def test_a_node_left_in_the_middle_of_listing_is_seen():
    tree = run_search().tree
    tree.status[_deepest(tree)] = EXPANDING
    with pytest.raises(AssertionError, match="still being listed"):
        check_invariants(tree)

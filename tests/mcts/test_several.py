"""Several players: whose nodes, whose values, and actions that only some of them could take.

In `whisper`, with a tree of its own player 1 learns to whisper the bit, so player 0 can guess it;
in one tree of player 0's information sets player 1 cannot, and the whisper is worth little.
"""

import numpy as np
import pytest
from whisper import Whisper

from mcts.contract.testing import check_invariants
from mcts.options import Budget, Options
from mcts.search import Search
from mcts.tree import EXPANDED, NODES, NOWHERE, ROOT

PLAYOUTS = 4_000

ONE_TREE, TWO_TREES = Whisper(views=1), Whisper(views=2)


def run_search(p, **options):
    """Return the tree and the result of a search."""
    how = {"selection": "availability", "exploration": 0.5, "nodes": 100, **options}
    search = Search(p, Options(**how))
    result = search.run(Budget(simulations=PLAYOUTS), 1)
    return search.tree, result


def whispers(tree):
    """Return (node, actions, visits, mean returns) at each node of player 1."""
    found = []
    for node in tree.order[: tree.counters[NODES]].tolist():
        if tree.status[node] == EXPANDED and tree.length[node] == 3:
            block = slice(tree.first[node], tree.first[node] + 3)
            visits = tree.edge_visits[block]
            means = tree.edge_total[block] / np.maximum(visits, 1)
            found.append((node, tree.action[block].tolist(), visits.tolist(), means.tolist()))
    return found


def test_one_tree_has_the_nodes_of_player_0_and_two_trees_those_of_each():
    """Player 0: the root, and two actions by three whispers.  Player 1: two actions, by bit."""
    tree, result = run_search(ONE_TREE)
    assert (result.nodes, len(whispers(tree))) == (1 + 2 * 3 + 2, 2)
    tree, result = run_search(TWO_TREES)
    assert (result.nodes, len(whispers(tree))) == (1 + 2 * 3 + 2 * 2, 4)
    # Those of player 1 hang in a tree of its own.
    assert all(tree.parent[node] == NOWHERE for node, *_ in whispers(tree))
    tree, _ = run_search(ONE_TREE)
    assert all(tree.parent[node] == ROOT for node, *_ in whispers(tree))


@pytest.mark.parametrize("p", [ONE_TREE, TWO_TREES], ids=["one tree", "two trees"])
def test_the_invariants_hold(p):
    tree, result = run_search(p)
    check_invariants(tree, tolerance=0.0)
    assert result.visits.sum() == result.simulations == PLAYOUTS
    for threads in (2, 4):
        tree, result = run_search(p, threads=threads, oversubscribe=True)
        check_invariants(tree, tolerance=0.0)
        assert result.visits.sum() == PLAYOUTS


def test_only_who_knows_the_bit_can_whisper_it():
    _, one = run_search(ONE_TREE)
    _, two = run_search(TWO_TREES)
    assert one.values.max() < 0.7  # a half, and what a whispered 2 gives away
    assert two.values.max() > 0.9


def values_of_the_mover(tree):
    """Return whether each whisper of a known bit is worth what player 1 is paid for it."""
    return all(
        {round(mean, 12) for mean, n in zip(means, visits, strict=True) if n} <= {0.25, 0.75}
        and 0.75 in means
        for _, _, visits, means in whispers(tree)
    )


def test_backed_up_values_are_those_of_the_mover():
    tree, result = run_search(TWO_TREES)
    assert values_of_the_mover(tree)
    for _, _, visits, means in whispers(tree):
        assert np.argmax(visits) == np.argmax(means)
    # The root's are those of player 0, who is paid 0 or 1.
    total = tree.edge_total[:2].sum()
    assert total == tree.returns[0] == int(total) > 0.75 * PLAYOUTS
    assert result.values == pytest.approx(tree.edge_total[:2] / result.visits)
    # The control: as if everybody were paid what player 0 gets.
    assert not values_of_the_mover(run_search(Whisper(views=2, selfish=0))[0])


def test_what_is_not_legal_for_a_hidden_bit_is_never_done_but_counted_when_it_is():
    """(An illegal whisper raises.)"""
    for p in (ONE_TREE, TWO_TREES):
        tree, _ = run_search(p)
        for node, _, visits, _ in whispers(tree):
            first, passed = tree.first[node], int(tree.visits[node]) - 1  # on the first, a leaf
            counts = tree.edge_available[first : first + 3].tolist()
            assert counts[:2] == [passed, passed] and sum(visits) == passed
            if p is ONE_TREE:
                assert 0.4 * passed < counts[2] < 0.6 * passed
            else:
                assert counts[2] in (0, passed)
    # The control: without availability the rule counts nothing.
    tree, _ = run_search(ONE_TREE, selection="uct")
    assert not tree.edge_available[: tree.counters[16]].any()

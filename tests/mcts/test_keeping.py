"""Trees that are kept from one search to the next: what is kept, and when nothing is."""

import numpy as np
import pytest
from ladder import COIN, Ladder, fingerprint, run_search

from mcts.domain import domain_of
from mcts.options import Budget, Options
from mcts.problems.tiger import HEARD_LEFT, LISTEN, TigerParameters, after
from mcts.search import Search
from mcts.tree import EXPANDED, ROOT_KEY, TOP, child_key


def rung(search, action=3, coin=1):
    """Let ``search`` keep what is below; return its visits and totals by action, and the node."""
    assert search.advance(action, coin)
    tree = search.tree
    top = int(tree.counters[TOP])
    block = slice(tree.first[top], tree.first[top] + tree.length[top])
    assert tree.status[top] == EXPANDED
    return tree.edge_visits[block].copy(), tree.edge_total[block].copy(), top


def test_a_kept_tree_begins_with_the_statistics_of_the_node_below():
    search, _ = run_search(300, p=Ladder(length=2))
    below = Ladder(length=2, begin=1)
    visits, _, top = rung(search)
    assert visits.sum() > 20
    arrived = int(search.tree.visits[top])
    result = search.run(Budget(simulations=100), 2, below)
    assert (result.simulations, result.visits.sum()) == (100, visits.sum() + 100)
    assert (result.visits >= visits).all() and search.tree.visits[top] == arrived + 100
    # The last decision: each action is worth itself and its note, then as now.
    assert result.values.tolist() == [3, 2.25, 1.5, 0.75]
    # The control: a search that keeps nothing.
    assert search.run(Budget(simulations=100), 2, below).visits.sum() == 100


def test_the_statistics_kept_are_those_of_what_was_done_and_seen():
    tables = set()
    for action in range(4):
        for coin in (0, 1):
            search, _ = run_search(4_000, exploration=0.5)
            visits, totals, top = rung(search, action, coin)
            tree = search.tree
            assert tree.key[top] == child_key(ROOT_KEY, action, np.uint64(coin))
            assert tree.action[tree.incoming[top]] == action
            tables.add((*visits, *totals))
    assert len(tables) == 8


def test_what_is_kept_is_scaled_by_the_range_of_the_steps_left():
    """Tiger's is smaller with each step: one more simulation changes the mean of its action."""
    start = TigerParameters(steps=3)
    search = Search(start, Options(exploration=0.5, nodes=500))
    search.run(Budget(simulations=2_000), 1)
    visits, totals, _ = rung(search, LISTEN, HEARD_LEFT)
    low, high = (domain_of(start).declaration(name, start) for name in ("low", "high"))
    below = after(start, LISTEN, HEARD_LEFT)._replace(steps=2)
    result = search.run(Budget(simulations=1), 2, below)
    same = (result.visits == visits) & (visits > 0)
    assert same.sum() == 2
    assert result.values[same] == pytest.approx(low + (high - low) * totals[same] / visits[same])


def test_a_kept_leaf_is_listed():
    """Met once before, so that its actions were not asked for."""
    search, _ = run_search(1)
    assert search.advance(3, int(search._workers[0].state[COIN]))
    result = search.run(Budget(simulations=10), 2, Ladder(begin=1))
    assert result.visits.sum() == 10 and search.tree.visits[search.tree.counters[TOP]] == 11


def test_after_something_not_foreseen_a_search_begins_afresh():
    fresh = fingerprint(run_search(200, key=8, p=Ladder(begin=1))[0].tree)
    for action, coin in ((3, 7), (9, 1)):
        search, _ = run_search(300)
        assert not search.advance(action, coin)
        assert not search.advance(3, 1)  # nor does it find its way back
        search.run(Budget(simulations=200), 8, Ladder(begin=1))
        assert fingerprint(search.tree) == fresh
    search, _ = run_search(300)
    assert search.advance(3, 1)
    search.run(Budget(simulations=200), 8, Ladder(begin=1))
    assert fingerprint(search.tree) != fresh


def test_there_is_nothing_to_keep_before_the_first_search():
    assert not Search(Ladder(), Options(nodes=50)).advance(3, 1)


def test_a_tree_more_than_half_full_is_dropped():
    used = run_search(300)[1].nodes
    for nodes, kept in ((2 * used, True), (2 * used - 1, False)):
        search, result = run_search(300, nodes=nodes)
        assert result.nodes == used
        assert search.advance(3, 1) == kept
        result = search.run(Budget(simulations=30), 2, Ladder(begin=1))
        assert (result.visits.sum() == 30) == (not kept)

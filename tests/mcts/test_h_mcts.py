"""Hybrid MCTS: exact values, halving, the roll-out policy as an arm, averages without tries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from ladder import Ladder, run_search

from mcts.contract.testing import check_search
from mcts.kernel.compile import INTERPRETED
from mcts.options import H_MCTS, Budget, Options
from mcts.problems import tiger
from mcts.search import Search
from mcts.selection import node_value
from mcts.tree import EDGES, EXPANDED, NODES, TOP

slow = pytest.mark.skipif(INTERPRETED, reason="millions of steps")


@slow
def test_the_value_of_tiger_is_the_known_one():
    """pomdp-solve's, 2.3098; POMCP, the control, is still charged for its tries."""
    p = tiger.TigerParameters(steps=3, rollout=tiger.RANDOM)

    def measure(options):
        search = Search(p, Options(**options, nodes=2_000))
        found = [search.run(Budget(simulations=200_000), key) for key in range(4)]
        assert {result.best for result in found} == {tiger.LISTEN}
        return np.mean([result.values[tiger.LISTEN] for result in found])

    assert measure(H_MCTS) == pytest.approx(2.3098, abs=0.08)
    assert measure({"exploration": 110 / math.sqrt(2) / 314}) < 2.3098 - 0.1


@slow
def test_tries_below_do_not_put_off_what_should_be_done():
    """At 0.97 opening is right by 0.7; the control, POMCP with a tree, listens on."""
    p = tiger.TigerParameters(left=tiger.belief(2), steps=90, rollout=tiger.LISTEN_THEN_ACT)

    def share(options):
        search, budget = (
            Search(p, Options(**{"nodes": 1_000, **options})),
            Budget(simulations=1_000),
        )
        return np.mean([search.run(budget, key).best == tiger.OPEN_RIGHT for key in range(150)])

    alone = share({**H_MCTS, "nodes": 1})
    assert share(H_MCTS) > alone - 0.1
    assert share({"exploration": 110 / math.sqrt(2) / 2000}) < alone - 0.2


def test_halving_shares_the_budget():
    """Four actions, two rounds: 25 visits each, then 50 each of the better half."""
    _, result = run_search(200, halving=True)
    assert sorted(result.visits.tolist()) == [25, 25, 75, 75]
    kept = set(np.flatnonzero(result.visits == 75).tolist())
    assert kept == set(np.argsort(result.values)[-2:].tolist())
    _, odd = run_search(203, halving=True)
    assert odd.visits.sum() == 203
    assert sorted(run_search(200)[1].visits.tolist()) != [25, 25, 75, 75]  # the control


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_a_node_passes_up_its_visits_times_its_value(share):
    p = tiger.TigerParameters(steps=4, rollout=tiger.RANDOM)
    options = Options(selection="puct", unit="seen", rollout_share=share, pruning=0.2, nodes=300)
    search = Search(p, options)
    search.run(Budget(simulations=2_000), 1)
    tree, settings = search.tree, search._settings(p)
    nodes = tree.order[1 : tree.counters[NODES]]
    means = 0
    below = np.zeros(tree.counters[EDGES])
    for node in nodes.tolist():
        visits, scaled = node_value(tree, node, settings)
        passed = visits * (settings.low + settings.span * scaled)
        assert tree.visits[node] == visits
        assert tree.passed[node] == pytest.approx(passed, abs=1e-6)
        mean = node_value(tree, node, settings._replace(pruning=0.0))[1]
        means += mean == scaled
        below[tree.incoming[node]] += passed
    assert 0 < means < len(nodes)  # the control: some tries are not passed up
    listen = int(tree.first[tree.counters[TOP]])
    returned = settings.low * tree.edge_visits[listen] + settings.span * tree.edge_total[listen]
    earned = p.listen * tree.edge_visits[listen]
    assert returned == pytest.approx(earned + p.discount * below[listen], rel=1e-9)


def test_the_best_arm_or_an_exact_value_is_passed_up():
    p = tiger.TigerParameters(steps=4, rollout=tiger.RANDOM)
    how = {"rollout_share": 0.5, "pruning": 0.5, "maximum": True, "exact": True, "nodes": 300}
    search = Search(p, Options(**how))
    search.run(Budget(simulations=2_000), 1)
    tree, settings = search.tree, search._settings(p)
    visited = np.flatnonzero((tree.status == EXPANDED) & (tree.visits > 30))
    assert len(visited) > 3
    for node in visited.tolist():
        block = slice(tree.first[node], tree.first[node] + tree.length[node])
        n, total = tree.edge_visits[block], tree.edge_total[block]
        arms = [*zip(n, total, strict=True), (tree.rolls[node], tree.rolled[node])]
        least = 0.5 * max(count for count, _ in arms)
        means = [returned / count for count, returned in arms if count >= max(least, 1)]
        assert node_value(tree, node, settings)[1] == pytest.approx(max(means))
        mean = node_value(tree, node, settings._replace(maximum=0))[1]
        assert mean < max(means) or len({*means}) == 1  # the control
        tree.edge_data[block.start] = 0.999
        assert node_value(tree, node, settings)[1] == pytest.approx(max(0.999, *means))
        assert node_value(tree, node, settings._replace(exact=0))[1] == pytest.approx(max(means))


def test_the_rollout_policy_is_an_arm_below_the_root_alone():
    p = tiger.TigerParameters(steps=90, rollout=tiger.LISTEN_THEN_ACT)

    def count(share):
        options = Options(selection="puct", unit="seen", exploration=1, rollout_share=share)
        search = Search(p, options)
        search.run(Budget(simulations=1_000), 1)
        nodes = search.tree.order[: search.tree.counters[NODES]]
        return search.tree.rolls[nodes]

    rolls = count(0.5)
    assert rolls[0] == 0 and rolls.max() > 100
    assert count(0.0).max() == 1


def test_with_threads_the_tree_keeps_its_invariants():
    check_search(tiger.TigerParameters(steps=10), Options(**H_MCTS, nodes=500), tolerance=1e-6)


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="halving needs a budget of simulations alone"):
        Search(Ladder(), Options(halving=True)).run(Budget(seconds=0.01), 1)
    with pytest.raises(ValueError, match="no keep_tree"):
        Options(halving=True, keep_tree=True)
    with pytest.raises(ValueError, match="maximum and exact need pruning above 0"):
        Options(maximum=True)

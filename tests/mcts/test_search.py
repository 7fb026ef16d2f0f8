"""One search against what can be worked out by hand, on a small domain (`ladder`)."""

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from ladder import LISTED, Ladder, fingerprint, run_search

from mcts.contract.testing import check_invariants
from mcts.domain import Domain, domain_of, register
from mcts.kernel.compile import INTERPRETED
from mcts.options import Budget, Options
from mcts.search import Search
from mcts.selection import final_choice
from mcts.tree import EXPANDED, NODES, ROOT

ROOT_FOLDER = Path(__file__).parents[2]


def test_one_simulation_by_hand():
    search, result = run_search(1)
    # action 3 with edge datum 0, then the roll-out a step later
    assert result.actions.tolist() == [3, 2, 1, 0]
    assert result.edge_data.tolist() == [0.0, 0.25, 0.5, 0.75]
    assert result.visits.tolist() == [1, 0, 0, 0]
    assert result.values[0] == 3 + 0.5 * 8
    assert np.isnan(result.values[1:]).all()
    assert (result.best, result.simulations, result.nodes, result.full) == (3, 1, 2, False)
    assert search.tree.edge_total[0] == 7 / 16
    assert repr(result) == "SearchResult(best 3, 1 simulations, 4 actions)"
    assert repr(search) == "Search(Ladder, uct, 2 of 2,000 nodes)"


def test_edge_data_reach_step_and_returns_are_discounted():
    _, result = run_search(4, p=Ladder(length=2))
    # one visit of each: action + edge datum + the discounted roll-out
    assert result.visits.tolist() == [1, 1, 1, 1]
    assert result.values.tolist() == [3 + 4, 2.25 + 4, 1.5 + 4, 0.75 + 4]


def test_actions_are_listed_from_the_second_visit_on():
    """Those of the root at once."""
    search, result = run_search(200)
    tree = search.tree
    nodes = tree.order[: tree.counters[NODES]]
    inner = nodes[nodes != ROOT]
    assert ((tree.status[inner] == EXPANDED) == (tree.visits[inner] >= 2)).all()
    assert {1, 2} <= set(tree.visits[inner].tolist())
    assert tree.status[ROOT] == EXPANDED and result.simulations == 200
    assert search._workers[0].state[LISTED] == (tree.status[nodes] == EXPANDED).sum()  # each once


def test_a_node_that_lists_nothing_is_a_leaf():
    _, result = run_search(100, p=Ladder(lists=1))
    assert result.values.tolist() == [7.0, 6.25, 5.5, 4.75]
    assert not result.full


def test_nothing_to_decide_is_an_error():
    with pytest.raises(ValueError, match="offers no action"):
        run_search(5, p=Ladder(lists=2))


def test_an_edge_budget_below_the_root_list_is_an_error():
    with pytest.raises(ValueError, match="edge budget of 3 does not hold"):
        run_search(5, edges=3)


@pytest.mark.parametrize("budget", [{"nodes": 5}, {"edges": 10}])
def test_a_full_tree_goes_on_searching(budget):
    _, result = run_search(3_000, **budget)
    assert result.full
    assert result.simulations == result.visits.sum() == 3_000
    assert result.nodes <= budget.get("nodes", 2_000)
    assert not run_search(10)[1].full


def test_errors_in_a_worker_reach_the_caller_and_the_search_can_be_used_again():
    search = Search(Ladder(), Options(nodes=2_000))
    with pytest.raises(ValueError, match="the rung broke"):
        search.run(Budget(simulations=100), 1, Ladder(trap=1))
    before = fingerprint(run_search(100)[0].tree)
    search.run(Budget(simulations=100), 1)
    assert fingerprint(search.tree) == before


def test_a_search_is_reproducible_and_the_key_matters():
    prints = [fingerprint(run_search(500, key)[0].tree) for key in (1, 1, 2, 2**64 - 1)]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3


@pytest.mark.parametrize("key", [-1, 2**64, 10**20, 1.0, True])
def test_a_key_is_a_word_of_64_bits(key):
    with pytest.raises(ValueError, match=rf"key must be .* to {2**64 - 1}, not "):
        run_search(1, key)


def test_both_budgets_end_at_the_first():
    search, _ = run_search(1)
    assert search.run(Budget(simulations=100, seconds=60.0), 1).simulations == 100
    short = search.run(Budget(simulations=10**9, seconds=0.02), 1)
    assert 1 <= short.simulations < 10**9
    check_invariants(search.tree)


TUNABLES = [
    {"exploration": 0.1},
    {"root_exploration": 0.1},
    {"widening_base": 1.0},
    {"widening_base": 1.0, "widening_exponent": 0.2},
    {"nodes": 3},
    {"edges": 12},
    {"common_random_numbers": True},
]


def test_every_tunable_changes_the_search():
    """(In-flight treatments, threads and roll-outs: see the tests of those.)"""
    prints = [fingerprint(run_search(300, **options)[0].tree) for options in [{}, *TUNABLES]]
    assert len(set(prints)) == len(prints)


def test_availability_is_uct_where_every_action_is_always_legal():
    """(Where it is not, see the tests of selection.)"""
    uct, counted = (run_search(500, selection=rule)[0].tree for rule in ("uct", "availability"))
    assert fingerprint(uct) == fingerprint(counted)
    assert counted.edge_available[0] == 500 and not uct.edge_available[0]


@pytest.mark.parametrize(
    ("visits", "means", "final", "index"),
    [
        ([3, 5, 5], [0.9, 0.1, 0.2], "visits", 2),
        ([3, 5, 5], [0.9, 0.2, 0.2], "visits", 1),
        ([3, 5, 5], [0.9, 0.1, 0.2], "mean", 0),
        ([3, 5, 5], [0.2, 0.2, 0.2], "mean", 1),
        ([0, 5, 5], [np.nan, 0.1, 0.2], "mean", 2),
    ],
)
def test_final_choice(visits, means, final, index):
    assert final_choice(np.array(visits), np.array(means), final) == index


def test_unknown_domains_and_bad_registrations_are_refused():
    with pytest.raises(KeyError, match="no domain is registered for int"):
        domain_of(3)
    parts = {part.name: getattr(domain_of(Ladder()), part.name) for part in fields(Domain)}
    del parts["parameters"]
    with pytest.raises(TypeError, match="NamedTuple"):
        register(dict, **parts)
    with pytest.raises(TypeError, match="missing"):
        register(Ladder, start=parts["start"])
    with pytest.raises(TypeError, match=r"terminal must take \(p, s\), not \(p, s, stream\)"):
        register(Ladder, **{**parts, "terminal": parts["start"]})


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_a_domain_that_is_not_compiled_is_refused():
    parts = {part.name: getattr(domain_of(Ladder()), part.name) for part in fields(Domain)}
    with pytest.raises(TypeError, match="terminal must be compiled"):
        register(**{**parts, "terminal": lambda p, s: True})


TIGER_TREE = """
import hashlib, numpy as np
from mcts.options import Budget, Options
from mcts.search import Search
from mcts.problems.tiger import RANDOM, TigerParameters
search = Search(
    TigerParameters(steps=12, rollout=RANDOM),
    Options(exploration=0.2, widening_base=1.3, widening_exponent=0.3, nodes=250),
)
result = search.run(Budget(simulations=400), 11)
tree = search.tree
print([hashlib.sha256(array.tobytes()).hexdigest()[:16] for array in (
    tree.key, tree.visits, tree.status, tree.edge_visits[:300], tree.edge_total[:300],
    tree.counters, tree.returns, result.values)], result.nodes, result.full)
"""


def test_the_interpreter_grows_the_identical_tree(capsys):
    exec(TIGER_TREE, {})
    compiled = capsys.readouterr().out
    done = subprocess.run(
        [sys.executable, "-c", TIGER_TREE],
        cwd=ROOT_FOLDER,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.stdout, done.stderr) == (compiled, "") and "250 True" in compiled

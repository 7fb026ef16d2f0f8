"""BMCTS for finite problems: exact values, beliefs, bounds, kept trees, threads, refusals."""

from dataclasses import replace

import numpy as np
import pytest
from tiger_tables import EVEN, make_tiger

from mcts.bmcts.bounds import find_bounds
from mcts.bmcts.explain import export_beliefs
from mcts.bmcts.options import BeliefOptions
from mcts.bmcts.search import BeliefSearch
from mcts.bmcts.tree import NODES, OPEN, TOP
from mcts.distributed import local_ray
from mcts.options import Budget
from mcts.root import RootSearch
from mcts.tabular.exact import exact_value
from mcts.tabular.tables import TablesFault, after

LISTEN, LEFT = 0, 1
THESIS = {"leaf": "rollout", "backup": "mean", "selection": "uct", "exploration": 0.2}


def best(p, simulations=3_000, **options):
    return BeliefSearch(p, BeliefOptions(**options)).run(Budget(simulations), key=1)


@pytest.mark.parametrize("leaf", ["fib", "qmdp", "mdp", "mean"])
def test_it_meets_the_exact_value(leaf):
    for problem in (make_tiger(), make_tiger(4, discount=0.9), make_tiger(hear=EVEN)):
        value = best(problem.position(), leaf=leaf).values.max()
        assert value == pytest.approx(exact_value(problem, problem.steps), abs=1e-9)
    wrong = replace(make_tiger(), rewards=[[-1, -1], [-50, 10], [10, -100]])
    assert best(wrong.position(), leaf=leaf).values.max() != pytest.approx(2.3098, abs=0.1)


def test_means_of_roll_outs_converge():
    options = {**THESIS, "unit": "declared"}
    found = best(make_tiger().position(), 200_000, **options)
    assert found.values.max() == pytest.approx(2.3098, abs=0.5)
    deaf = best(make_tiger(hear=EVEN).position(), 200_000, **options)
    assert deaf.values.max() < -2


def test_values_of_a_problem_without_end_are_bounds():
    """By pomdp-solve 19.3713683744."""
    p = make_tiger(None).position()
    assert p.endless
    for simulations in (10, 100, 1_000):
        found = best(p, simulations, lower="blind")
        assert found.lower.max() <= 19.3713684  # beliefs are merged at a distance of 1e-9
        assert found.values.max() >= 19.3713683
    assert found.values.max() - found.lower.max() < 1e-8


def test_vectors_of_the_user_are_leaf_values():
    p = make_tiger(None).position()
    given = find_bounds(p, "fib").leaf[0].T
    named, own = best(p, 3), best(p, 3, leaf=given)
    assert own.values.max() == pytest.approx(named.values.max(), rel=0.2)
    assert best(p, 3, leaf=given - 20).values.max() < named.values.max() - 10


def test_close_bounds_end_the_search():
    p = make_tiger(4).position()
    found = best(p, lower="blind", gap=1e-9)
    assert found.simulations < 1_000
    assert found.values.max() - found.lower.max() <= 1e-9
    assert best(p).simulations == 3_000
    assert best(p).lower is None


def test_vectors_of_the_bounds():
    """Each bound is above the values of all beliefs, and blind policies are below."""
    problem = make_tiger(3)
    p = problem.position()
    fib, qmdp = (find_bounds(p, leaf) for leaf in ("fib", "qmdp"))
    blind = find_bounds(p, "fib", "blind").lower
    for share in (0.5, 0.7, 0.97, 1.0):
        belief = np.array([share, 1 - share])
        value = exact_value(problem, 3, belief)
        upper = [(belief @ found.leaf[3]).max() for found in (fib, qmdp)]
        assert value - 1e-9 <= upper[0] <= upper[1] + 1e-9
        assert (belief @ blind[3]).max() <= value + 1e-9
    assert find_bounds(make_tiger(None).position()).leaf.shape[0] == 1


def test_beliefs_are_those_of_the_filter():
    p = make_tiger(5).position()
    search = BeliefSearch(p, BeliefOptions())
    search.run(Budget(500), key=3)
    tree, checked = search.tree, 0
    for node in range(1, int(tree.counters[NODES])):
        history, at = [], node
        while at:
            outcome = tree.node_parent[at]
            edge = tree.edge[outcome]
            history.append((int(tree.action[edge]), int(tree.seen[outcome])))
            at = int(tree.node[edge])
        position = p
        for action, seen in reversed(history):
            position = after(position, action, seen)
        state, share = search.belief(node)
        order = np.argsort(state)
        assert state[order].tolist() == position.state.tolist()
        assert share[order] == pytest.approx(position.share, abs=1e-12)
        assert tree.node_depth[node] == len(history)
        checked += 1
    assert checked > 20
    opened = tree.status[: search.edges(0).stop] == OPEN
    edges = np.flatnonzero(opened)
    sums = [tree.chance[tree.first[e] : tree.first[e] + tree.length[e]].sum() for e in edges]
    assert sums == pytest.approx([1.0] * len(sums))


def test_a_trial_that_ends_is_seen_to_end():
    """State 2 is terminal: to stop pays 1 at once, to wait 10 unless the trial ends first."""
    moves = [[[0, 0.5, 0.5], [0, 0.5, 0.5], [0, 0, 0]], [[0, 0, 1], [0, 0, 1], [0, 0, 0]]]
    blind = [np.ones((3, 1)), np.ones((3, 1))]
    rewards = [[0, 0, 0], [1, 10, 0]]
    problem = replace(
        make_tiger(),
        start=[1, 0, 0],
        transitions=np.array(moves, float),
        observations=blind,
        rewards=rewards,
        discount=0.9,
        steps=4,
        actions=(),
    )
    found = best(problem.position())
    assert found.values.tolist() == pytest.approx([0.9 * 0.5 * 10, 1.0], abs=1e-9)
    assert exact_value(problem, 4) == pytest.approx(4.5)


def test_equal_beliefs_share_a_node():
    """Left and right heard in either order; an opened door leads back to the start."""
    search = BeliefSearch(make_tiger(None).position(), BeliefOptions())
    found = search.run(Budget(5_000), key=1)
    assert found.nodes < 50
    beliefs = [dict(zip(*search.belief(node), strict=True)) for node in range(found.nodes)]
    shares = {round(float(belief.get(0, 0.0)), 11) for belief in beliefs}
    assert len(shares) == found.nodes
    by_steps = BeliefSearch(make_tiger(4).position(), BeliefOptions())
    assert by_steps.run(Budget(5_000), key=1).nodes > 1 + 3 + 3  # by steps to go, too


def test_the_same_key_gives_the_same_tree():
    p = make_tiger(None).position()
    first, again, other = (
        BeliefSearch(p, BeliefOptions()).run(Budget(30), key) for key in (5, 5, 6)
    )
    assert first.values.tolist() == again.values.tolist()
    assert first.values.tolist() != other.values.tolist()


def test_a_kept_tree_must_belong_to_the_position():
    p = make_tiger(5).position()
    search = BeliefSearch(p, BeliefOptions(keep_tree=True))
    before = search.run(Budget(400), key=1)
    assert before.best == LISTEN
    assert search.advance(LISTEN, 0)
    kept = int(search.tree.node_visits[search.tree.counters[TOP]])
    follows = after(p, LISTEN, 0)
    found = search.run(Budget(400), key=2, p=follows)
    assert found.visits.sum() == kept - 1 + 400
    fresh = best(follows).values.max()
    assert found.values.max() == pytest.approx(fresh, abs=1e-9)
    assert search.advance(LISTEN, 0)
    with pytest.raises(ValueError, match="another belief"):
        search.run(Budget(10), key=3, p=after(follows, LISTEN, 1))
    search.forget()
    assert not search.advance(LEFT, 0)
    with pytest.raises(ValueError, match="position that followed"):
        search.run(Budget(10), key=3)


@pytest.mark.parametrize("how", ["none", "virtual_loss", "wu_uct"])
def test_threads_share_a_tree(how):
    options = {"threads": 2, "in_flight": how, "oversubscribe": True}
    for problem in (make_tiger(4), make_tiger(None)):
        search = BeliefSearch(problem.position(), BeliefOptions(**options))
        found = search.run(Budget(20_000), key=1)
        assert found.visits.sum() >= found.simulations == 20_000
        assert not search.tree.in_flight[: search.edges(0).stop].any()
    exact = best(make_tiger(4).position(), 20_000, **options)
    assert exact.values.max() == pytest.approx(exact_value(make_tiger(4), 4), abs=1e-9)


def test_nodes_and_beliefs_are_bounded():
    p = make_tiger(None).position()
    found = best(p, 2_000, nodes=15)
    assert found.nodes == 15 and found.full
    search = BeliefSearch(p, BeliefOptions(numbers=21))
    assert search.run(Budget(2_000), key=1).full
    assert search.tree.counters[NODES] == 10
    assert search.bytes < 10_000


def test_one_node_is_one_step_of_look_ahead():
    problem = make_tiger(3)
    found = best(problem.position(), 30, nodes=1, exploration=1e6, leaf="mdp")
    know = 10 + 0.95 * 10  # what the MDP, which knows the state, returns in two steps
    assert found.values == pytest.approx([-1 + 0.95 * know, -45 + 0.95 * know, -45 + 0.95 * know])


def test_the_tree_is_explained():
    search = BeliefSearch(make_tiger(4).position(), BeliefOptions(lower="blind"))
    result = search.run(Budget(300), key=1)
    graph = export_beliefs(search, 10, words=make_tiger().words)
    assert len(graph) == 10 and graph.nodes[0]["belief"] == {0: 0.5, 1: 0.5}
    heard = graph.nodes[1]
    assert max(heard["belief"].values()) == pytest.approx(0.85)
    assert heard["lower"] <= heard["value"]
    assert graph.edges[0, 1]["value"] == pytest.approx(result.values.max())


@pytest.mark.slow
def test_workers_of_ray_merge_their_roots():
    local_ray.start(2)
    p = make_tiger(None).position()
    with RootSearch(p, BeliefOptions(lower="blind"), workers=2, search=BeliefSearch) as search:
        first, again = (search.run(Budget(600), key=4) for _ in range(2))
        assert first.simulations == 600 and first.best == LISTEN
        assert first.values.tolist() == again.values.tolist()
        assert first.lower.max() <= 19.3721 <= first.values.max()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"leaf": "sarsop"}, "leaf must be fib"),
        ({"leaf": "rollout"}, "needs backup=mean"),
        ({"gap": 0.1}, "gap needs lower"),
        ({"lower": "blind", "leaf": "mean"}, "lower needs"),
        ({"workers": 2}, "mode root"),
        ({"exploration": -1.0}, "exploration"),
        ({"leaf": np.zeros((2, 5))}, r"shape \(K, 2\)"),
        ({"prior": [-1.0, 1.0, 1.0]}, "prior"),
    ],
)
def test_wrong_options_are_refused(wrong, message):
    with pytest.raises((ValueError, TablesFault), match=message):
        BeliefSearch(make_tiger().position(), BeliefOptions(**wrong))


def test_legal_actions_that_depend_on_what_is_hidden_are_refused():
    closed = [[0.0, 0.0], [0.5, 0.5]]
    problem = make_tiger(transitions=[np.eye(2), closed, EVEN])
    with pytest.raises(ValueError, match="legal actions differ"):
        best(problem.position())


def test_a_prior_leads_the_search():
    p = make_tiger(None).position()
    even, led = best(p, 200), best(p, 200, prior=[0.05, 0.9, 0.05], exploration=5.0)
    assert led.visits[LEFT] > 2 * even.visits[LEFT]

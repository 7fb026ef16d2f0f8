"""Finite problems as tables: known values, exact beliefs, the plain problem's values, refusals."""

import math
import pickle
import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from tiger_tables import EVEN, HEAR, REWARDS, make_tiger, search_value

from mcts.contract.testing import check_domain, check_search
from mcts.distributed import local_ray
from mcts.kernel.rng import new_stream
from mcts.options import Budget, Options
from mcts.plain.table_particles import make_particles
from mcts.problems import tiger
from mcts.problems.closed_loop import play
from mcts.root import RootSearch
from mcts.search import Search
from mcts.tabular.alias import draw_entry, make_alias
from mcts.tabular.exact import exact_value
from mcts.tabular.tables import TablesFault, after


@pytest.mark.parametrize(
    ("steps", "discount", "value"),
    [(1, 0.95, -1), (2, 0.95, -1.95), (3, 0.95, 2.3098), (4, 0.95, 1.7955442187), (3, 1, 2.72)],
)
def test_the_recursion_meets_the_values_of_pomdp_solve(steps, discount, value):
    assert exact_value(make_tiger(discount=discount), steps) == pytest.approx(value, abs=1e-9)
    assert exact_value(make_tiger(hear=EVEN), steps) != pytest.approx(2.3098, abs=0.1)


@pytest.mark.parametrize("rollout", ["random", "mdp", "fib", "mean"])
def test_a_search_converges_to_the_exact_value(rollout):
    value = search_value(make_tiger().position(rollout=rollout))
    assert value == pytest.approx(2.3098, abs=0.35)
    deaf = search_value(make_tiger(hear=EVEN).position(rollout=rollout))
    assert deaf == pytest.approx(-1 - 0.95 - 0.95**2, abs=0.35)


def test_the_domain_keeps_its_contract():
    assert check_domain(make_tiger().position()) > 0
    check_search(make_tiger().position(), Options(nodes=200))


def test_it_agrees_with_the_compiled_tiger():
    """In the mean of random roll-outs from the root alone."""
    ours, theirs = make_tiger(20).position(), tiger.TigerParameters(steps=20, rollout=tiger.RANDOM)
    means = []
    for p in (ours, theirs):
        search = Search(p, Options(nodes=1, exploration=100.0))
        means.append(search.run(Budget(simulations=60_000), 3).values)
    wrong = replace(make_tiger(20), rewards=[[-1, -1], [-50, 10], [10, -100]]).position()
    search = Search(wrong, Options(nodes=1, exploration=100.0))
    assert means[0] == pytest.approx(means[1], abs=4)
    assert search.run(Budget(simulations=60_000), 3).values != pytest.approx(means[1], abs=4)


def test_draws_have_their_probabilities():
    rng = np.random.default_rng(1)
    first = np.array([0, 4, 5, 12])
    chance = np.concatenate([rng.dirichlet([0.3] * n) for n in (4, 1, 7)])
    keep, alias = make_alias(first, chance)
    for row in range(3):  # exactly, by the shares of entries and aliases
        share = np.zeros(len(chance))
        for entry in range(first[row], first[row + 1]):
            share[entry] += keep[entry]
            share[alias[entry]] += 1.0 - keep[entry]
        found = share[first[row] : first[row + 1]] / (first[row + 1] - first[row])
        assert found == pytest.approx(chance[first[row] : first[row + 1]], abs=1e-12)
    stream = new_stream(1)
    drawn = Counter(draw_entry(first, keep, alias, 2, stream) for _ in range(20_000))
    for entry in range(5, 12):
        sigma = math.sqrt(chance[entry] * (1 - chance[entry]) / 20_000)
        assert abs(drawn[entry] / 20_000 - chance[entry]) < 5 * sigma + 1e-12
    word = int(stream[0])
    assert draw_entry(first, keep, alias, 1, stream) == 4 and int(stream[0]) == word


def test_the_belief_is_bayes_rule():
    p = make_tiger(9).position()
    theirs = tiger.TigerParameters(steps=9)
    for action, seen in ((0, 0), (0, 0), (0, 1), (0, 0)):
        p, theirs = after(p, action, seen), tiger.after(theirs, action, seen + 1)
        assert p.share[p.state == 0] == pytest.approx(theirs.left)
    assert p.steps == 5
    assert after(p, 1, 0).share == pytest.approx([0.5, 0.5])


def test_particles_follow_the_exact_belief():
    heard = ((0, 0), (0, 0), (0, 1))
    p, deaf = make_tiger(9).position(), make_tiger(9, hear=[[0.6, 0.4], [0.4, 0.6]]).position()
    shares = []
    for tables in (p, deaf):
        chance = random.Random(1)
        belief = make_particles(tables, 4_000, chance)
        for action, seen in heard:
            belief.update(action, seen, chance)
        shares.append(np.mean(np.array(belief.states) == 0))
    for action, seen in heard:
        p = after(p, action, seen)
    assert shares[0] == pytest.approx(p.share[0], abs=0.03)
    assert abs(shares[1] - p.share[0]) > 0.1  # the control: another sensor


def test_an_impossible_observation_is_refused():
    silent = make_tiger(hear=[[1.0, 0.0], [1.0, 0.0]]).position()
    with pytest.raises(TablesFault, match="observation 1 is impossible after action 0"):
        after(silent, 0, 1)


def test_closed_loops_return_what_the_recursion_says():
    """By an exact policy of three steps."""
    problem = make_tiger()

    def choose(p, key):
        belief = np.zeros(2)
        belief[p.state] = p.share
        return max(range(3), key=lambda action: look_ahead(problem, p, action))

    returns = [play(problem.position(), after, choose, key) for key in range(4_000)]
    error = np.std(returns) / math.sqrt(len(returns))
    assert abs(np.mean(returns) - 2.3098) < 4 * error and error < 0.7


def look_ahead(problem, p, action):
    """Return the exact value of ``action`` at the position ``p``."""
    belief = np.zeros(2)
    belief[p.state] = p.share
    transition, emission, reward = problem.matrices(action)
    joint = (belief @ transition)[:, None] * emission
    ahead = sum(exact_value(problem, p.steps - 1, column) for column in joint.T)
    return belief @ reward + problem.discount * ahead


def test_bounds_lie_around_the_optimum():
    problem = make_tiger(60)
    fib = problem.position(rollout="fib").leaf[-1]
    mdp = problem.position(rollout="mdp").leaf[-1]
    assert (mdp >= fib).all() and (fib >= 19.3714).all()
    assert mdp == pytest.approx(10 * (1 - 0.95**60) / 0.05)
    low, high = problem.position().low, problem.position().high
    assert low == pytest.approx(-100 * (1 - 0.95**60) / 0.05) and high == pytest.approx(mdp[0])


def test_sparse_arrays_and_rewards_by_transition_are_the_same():
    transitions = [np.eye(2), np.array(EVEN), np.array(EVEN)]
    whole = [np.repeat(np.array(row, float)[:, None], 2, axis=1) for row in REWARDS]
    other = make_tiger(
        transitions=list(map(sparse.csr_array, transitions)),
        observations=list(map(sparse.coo_array, map(np.array, (HEAR, EVEN, EVEN)))),
        rewards=list(map(sparse.csr_array, whole)),
    )
    for one, two in zip(make_tiger().tables, other.tables, strict=True):
        assert np.array_equal(one, two)


def test_it_can_be_sent_to_another_process():
    position = pickle.loads(pickle.dumps(make_tiger())).position()
    assert search_value(position, 2_000) == search_value(make_tiger().position(), 2_000)


@pytest.mark.parametrize("belief", [[0.5, 0.4], [1.5, -0.5], [1.0], [np.nan, 1.0]])
def test_a_belief_that_is_none_is_refused(belief):
    with pytest.raises(TablesFault, match="a belief has 2 probabilities that sum to 1"):
        make_tiger().position(belief)


def test_values_are_found_once():
    problem = make_tiger(30)
    first, again = (problem.position([x, 1 - x], rollout="fib") for x in (0.5, 0.9))
    assert first.leaf is again.leaf and first.low == again.low


def test_threads_share_its_tree():
    search = Search(make_tiger().position(), Options(nodes=2_000, threads=2))
    assert search.run(Budget(simulations=4_000), 1).visits.sum() == 4_000


@pytest.mark.nightly
def test_processes_search_it_alike_again():
    with RootSearch(make_tiger().position(), Options(nodes=500), 2) as search:
        first, again = (search.run(Budget(simulations=1_000), 1).visits for _ in range(2))
    local_ray.stop()
    assert first.tolist() == again.tolist() and first.sum() == 1_000


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"discount": 1.2}, "discount must be above 0 and at most 1, not 1.2"),
        ({"discount": 1, "steps": None}, "a discount of 1 needs steps"),
        ({"transitions": [np.eye(2), EVEN, [[0.5, 0.6], [1, 0]]]}, "transitions of 2 in 0 sum to"),
        ({"observations": [HEAR, EVEN, [[1, 0.2], [1, 0]]]}, "observations of 2 in 0 sum to 1.2"),
        ({"transitions": [np.eye(2), EVEN, [[1.5, -0.5], [1, 0]]]}, "negative or not a number"),
        ({"start": [0.5, 0.6]}, "start sums to 1.1"),
        ({"rewards": [[-1, -1], [math.nan, 1], [1, 1]]}, "rewards: a number is not finite"),
        ({"rewards": [[-1, -100, 10], [-1, 10, -100]]}, r"rewards need the shape \(3, 2\)"),
        ({"rewards": [[-1, -1]] * 2}, "rewards of 2 actions were given for 3"),
        ({"observations": [HEAR, EVEN]}, "2 matrices were given for 3 actions"),
        ({"transitions": [np.eye(3)] * 3}, r"need transitions \(3, 2, 2\)"),
    ],
)
def test_what_is_no_problem_is_refused_in_one_line(parts, said):
    with pytest.raises(TablesFault, match=said) as fault:
        make_tiger(**parts)
    assert "\n" not in str(fault.value)

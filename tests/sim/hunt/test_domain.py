"""The domain of noisy, adaptive hunts against their definition, each check with a control.

The definition is a recursion of its own, step by step (`hunt_reference`).
"""

import networkx as nx
import numpy as np
import pytest
from hunt_reference import Reference, star

from mcts.contract.testing import check_domain, check_search
from mcts.domain import domain_of
from mcts.kernel.rng import new_stream
from mcts.options import Budget, Options
from mcts.search import Search
from sim.hunt.reward import Weights
from sim.hunt.strategies.domain import STOP, Decisions, actions, adaptive, start, workspace
from sim.hunt.strategies.examples import field, fork
from sim.hunt.strategies.hunt import hunt
from sim.hunt.strategies.planners import (
    after,
    chances,
    expected_value,
    greedy,
    over,
    play,
    reward,
    target_of,
)
from sim.hunt.strategies.recursion import closed_loop


def list_actions(p):
    """Return the actions on offer, `STOP` as the last."""
    longest = int(domain_of(p).declaration("max_actions", p))
    s, out = workspace(p), np.empty(longest, np.int64)
    start(p._replace(known=0), s, new_stream(0))
    return out[: actions(p, s, out, np.empty(longest))].tolist()


def random_hunt(seed, moves=3):
    """Return five cells, arcs whose lengths obey no triangle inequality, noise of all kinds."""
    rng = np.random.default_rng(seed)
    graph = nx.path_graph(5)
    graph.add_edges_from([(0, 2), (0, 4), (1, 3)])
    for arc in graph.edges:
        graph.edges[arc]["length"] = float(rng.choice([0.1, 0.5, 2.0]))
    for cell, targets in enumerate([(), (0,), (1,), (2,), (0,)]):  # one is seen from two cells
        graph.nodes[cell]["targets"] = targets
    likelihood = rng.dirichlet([0.4] * 3, (3, 4))
    likelihood[0, :, 2] = 0.0  # a target with fewer outcomes
    likelihood[0] /= likelihood[0].sum(axis=1, keepdims=True)
    weights = Weights(4.0, 1.0, 0.5)
    return hunt(
        graph, rng.dirichlet([1.0] * 4), likelihood, weights, 0, moves, rng.uniform(0, 1, 3)
    )


def best(p):
    """Return the exact value of ``p``, by the decisions that it offers."""
    if over(p):
        return 0.0
    return max(
        sum(
            chance * (reward(p, action, then) + best(then))
            for outcome, chance in chances(p, action).items()
            for then in [after(p, action, outcome)]
        )
        for action in list_actions(p)
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_decisions_offered_are_worth_what_all_steps_are(seed):
    drawn = random_hunt(seed)
    exact = Reference(drawn)
    values = exact.open(), exact.closed_loop(), exact.full_information()
    assert values[0] <= values[1] + 1e-9 and values[1] <= values[2] + 1e-9
    assert best(adaptive(drawn)) == pytest.approx(values[1], abs=1e-9)


def shortest_alone(p):
    """Return ``p`` with the shortest way to each cell alone, however many steps it takes."""
    ways, keep, first = p.decisions, [], [0]
    for cell in range(len(p.hunt.target)):
        here = range(ways.first[cell], ways.first[cell + 1])
        to = {int(ways.cell[way]): way for way in here}  # those of more steps come later
        keep += sorted(to.values())
        first.append(len(keep))
    kept = Decisions(np.array(first), *(part[keep] for part in ways[1:]))
    return p._replace(decisions=kept)


def test_a_longer_way_of_fewer_steps_is_needed():
    """The control: with the shortest way to each test alone there is no time for the second."""
    graph = nx.Graph()
    for cell, targets in enumerate([(), (), (0,), (1,)]):
        graph.add_node(cell, targets=targets)
    graph.add_weighted_edges_from([(0, 1, 0.1), (1, 2, 0.1), (0, 2, 0.4), (2, 3, 0.1)], "length")
    bits = np.array([[[1, 0], [1, 0], [0, 1], [0, 1]], [[1, 0], [0, 1], [1, 0], [0, 1]]], float)
    p = adaptive(hunt(graph, np.full(4, 0.25), bits, Weights(1.0, 0.0, 1.0), 0, 2))
    assert (
        best(p) == pytest.approx(Reference(p.hunt).closed_loop()) == pytest.approx(np.log(4) - 0.5)
    )
    assert best(shortest_alone(p)) == pytest.approx(np.log(2) - 0.2)


VARIANTS = [
    {"propagated": True},
    {},
    {"from_truth": True},
    {"resampled": True},
    {"known": 0},
]


@pytest.mark.parametrize("numbers", VARIANTS, ids=str)
def test_it_meets_the_contract(numbers):
    assert check_domain(adaptive(random_hunt(0))._replace(**numbers), draws=16) > 50


def test_many_threads_search_it():
    check_search(adaptive(random_hunt(0)), simulations=100)


def test_every_choice_changes_the_search():
    p, found = adaptive(fork()), set()
    search = Search(p, Options(nodes=300))
    for numbers in VARIANTS:
        found.add(tuple(search.run(Budget(simulations=200), 1, p._replace(**numbers)).values))
    assert len(found) == len(VARIANTS)


def walk(p, key, compare):
    """Step through ``p`` by chance, in a workspace and by `after`, and ``compare`` each time."""
    domain, rng, stream = domain_of(p), np.random.default_rng(key), new_stream(key)
    s = domain.workspace(p)
    domain.start(p, s, stream)
    while not over(p):
        action = int(rng.choice(list_actions(p)[:-1] or [STOP]))
        paid = domain.step(p, s, action, 0.0, stream)
        then = after(p, action, int(domain.observation(p, s)) - 1)
        compare(p, action, then, paid, s)
        p = then
    assert domain.terminal(p, s)


@pytest.mark.parametrize("propagated", [False, True], ids=["drawn", "propagated"])
def test_simulations_carry_the_exact_belief_and_are_paid_by_it(propagated):
    steps = []

    def compare(p, action, then, paid, s):
        belief = s[6 : 6 + len(p.hunt.prior)]
        np.testing.assert_allclose(belief, then.hunt.prior, atol=1e-12)
        assert paid == pytest.approx(reward(p, action, then), abs=1e-12)
        steps.append(action)

    p = adaptive(field(side=4, sensors=8, moves=6))._replace(propagated=propagated)
    for key in range(20):
        walk(p, key, compare)
    assert len(steps) > 30


@pytest.mark.parametrize("numbers", VARIANTS[:4], ids=str)
def test_a_test_pays_what_it_tells_on_average(numbers):
    p = adaptive(random_hunt(1))._replace(**numbers)
    domain, stream, s = domain_of(p), new_stream(3), domain_of(p).workspace(p)
    action = next(action for action in list_actions(p) if target_of(p, action) == 1)
    paid = np.empty(4_000)
    for i in range(len(paid)):
        domain.start(p, s, stream)
        paid[i] = domain.step(p, s, action, 0.0, stream)
    mean = sum(
        chance * reward(p, action, after(p, action, outcome))
        for outcome, chance in chances(p, action).items()
    )
    error = paid.std() / np.sqrt(len(paid))
    assert abs(paid.mean() - mean) < 4 * error
    blind = -p.hunt.distance * p.decisions.length[action - 1] - p.hunt.test * p.hunt.cost[1]
    assert abs(paid.mean() - blind) > 4 * error  # the control: costs alone


@pytest.mark.parametrize("numbers", [{}, {"propagated": True}, {"resampled": True}], ids=str)
def test_rollouts_are_worth_what_their_policy_is(numbers):
    p = adaptive(fork())
    rolled = p._replace(**numbers)
    domain, stream, s = domain_of(rolled), new_stream(5), domain_of(rolled).workspace(p)
    total = 0.0
    for _ in range(4_000):
        domain.start(rolled, s, stream)
        total += domain.rollout(rolled, s, stream)
    assert total / 4_000 == pytest.approx(expected_value(p, greedy, 1), abs=0.03)
    assert total / 4_000 < closed_loop(fork()).value - 0.1  # the control: the optimum


def test_episodes_are_worth_what_the_policy_is():
    p = adaptive(fork())
    won = np.array([play(p, greedy, key) for key in range(600)])
    error = won.std() / np.sqrt(len(won))
    assert abs(won.mean() - expected_value(p, greedy, 1)) < 4 * error
    assert abs(won.mean() - closed_loop(fork()).value) > 4 * error
    assert won[1] == play(p, greedy, 1)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda: after(adaptive(star(2)), 1, 7), "not possible"),
        (lambda: after(adaptive(star(2)), 1), "not possible"),
        (lambda: adaptive(star(0)), "at least one step"),
        (lambda: adaptive(star(2)._replace(benefit=-1.0)), "at least 0"),
    ],
)
def test_refusals(fault, message):
    with pytest.raises(ValueError, match=message):
        fault()

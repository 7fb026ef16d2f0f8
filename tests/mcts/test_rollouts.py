"""Value of a leaf: several roll-outs, shared among threads, with common random numbers.

On a ladder whose roll-outs are single draws, so that every return can be worked out by hand.
"""

import numpy as np
import pytest
from ladder import Ladder

from mcts.contract.testing import check_invariants
from mcts.kernel.rng import below, derive_key, new_stream
from mcts.options import Budget, Options
from mcts.search import Search
from mcts.tree import ROOT

FOG = Ladder(length=2, tail=0.0, noise=16)
OWN = np.array([3.0, 2.25, 1.5, 0.75])
"""What each action earns itself; half of what is drawn comes on top."""


def run_search(simulations, key=5, p=None, **options):
    """Return the search and its result; without a tree, by default."""
    search = Search(p or FOG, Options(**{"nodes": 1, "oversubscribe": True, **options}))
    result = search.run(Budget(simulations=simulations), key)
    check_invariants(search.tree, tolerance=0.0)
    return search, result


def leaf(key, rollouts_per_leaf=1, threads=1):
    """Return what a leaf of the stream ``key``, shared by ``threads``, is worth."""
    own = new_stream(key)
    below(own, 2)  # the coin of the step
    keys = [own[0]] if threads == 1 else [derive_key(own[0], worker) for worker in range(threads)]
    streams = map(new_stream, keys)
    drawn = [below(stream, 16) / 16 for stream in streams for _ in range(rollouts_per_leaf)]
    return sum(drawn) / len(drawn)


def total(search):
    """Return the sum of all that was drawn at leaves."""
    return 2 * (16 * search.tree.returns[0] - (search.tree.edge_visits[:4] * OWN).sum())


@pytest.mark.parametrize("rollouts_per_leaf", [1, 2, 4])
def test_the_roll_outs_of_a_leaf_are_averaged(rollouts_per_leaf):
    search, result = run_search(64, rollouts_per_leaf=rollouts_per_leaf)
    assert result.simulations == 64
    assert result.visits.sum() == search.tree.visits[ROOT] == 64 // rollouts_per_leaf
    worth = [leaf(derive_key(5, i), rollouts_per_leaf) for i in range(64 // rollouts_per_leaf)]
    assert total(search) == sum(worth)
    assert total(search) != sum(leaf(derive_key(5, i), 3) for i in range(64 // rollouts_per_leaf))


@pytest.mark.parametrize(("threads", "rollouts_per_leaf"), [(2, 1), (2, 2), (4, 1)])
def test_threads_share_the_roll_outs_of_a_leaf(threads, rollouts_per_leaf):
    playouts = threads * rollouts_per_leaf
    shared = {"mode": "leaf", "threads": threads, "rollouts_per_leaf": rollouts_per_leaf}
    search, result = run_search(24 * playouts, **shared)
    assert result.simulations == 24 * playouts
    assert result.visits.sum() == search.tree.visits[ROOT] == 24
    worth = [leaf(derive_key(5, i), rollouts_per_leaf, threads) for i in range(24)]
    assert total(search) == sum(worth)
    # The control: as if the first thread had been alone.
    assert total(search) != sum(leaf(derive_key(5, i), playouts) for i in range(24))


@pytest.mark.parametrize("mode", [{}, {"mode": "leaf", "threads": 2}, {"rollouts_per_leaf": 4}])
def test_values_are_those_of_the_domain(mode):
    _, result = run_search(6_000, exploration=1.0, **mode)
    right = OWN + 7.5 / 16 / 2
    assert np.abs(result.values - right).max() < 0.1
    assert (np.abs(result.values - right) < 4 * result.errors).all()
    assert result.best == 3


def test_an_error_in_a_roll_out_reaches_the_caller_from_every_thread():
    for threads in (1, 2):
        for first in range(3):
            options = Options(nodes=1, mode="leaf", threads=threads, oversubscribe=True)
            search = Search(FOG._replace(trap_later=first), options)
            with pytest.raises(ValueError, match="lost in the fog"):
                search.run(Budget(simulations=40), 1)
            assert search.run(Budget(simulations=40), 1, FOG).simulations == 40


def test_errors_are_standard_errors():
    """Each action's returns are known where all have the same chance."""
    search, result = run_search(40, common_random_numbers=True, exploration=0.3)
    for i, visits in enumerate(result.visits):
        returns = [OWN[i] + leaf(derive_key(5, n)) / 2 for n in range(visits)]
        assert 16 * search.tree.edge_total[i] == sum(returns)
        assert result.values[i] == pytest.approx(np.mean(returns), abs=1e-12)
        error = np.std(returns, ddof=1) / np.sqrt(visits)
        assert result.errors[i] == pytest.approx(error, abs=1e-12)
    assert len(set(result.visits.tolist())) > 1
    assert np.isnan(run_search(4)[1].errors).all()  # one visit each says nothing


COMMON = [{}, {"rollouts_per_leaf": 2}, {"nodes": 40}, {"threads": 2, "mode": "leaf"}]


@pytest.mark.parametrize("how", COMMON, ids=lambda how: "-".join(map(str, how)) or "plain")
def test_common_random_numbers_are_the_same_for_the_nth_visit_of_every_action(how):
    """The first n visits beyond an action are worth the same for every action."""

    def worth(common_random_numbers):
        """Return whether all agree that were visited equally often, and how many did."""
        agree, compared, seen = True, 0, {}
        for simulations in range(6, 60, 2):
            search, result = run_search(
                simulations, common_random_numbers=common_random_numbers, exploration=1.0, **how
            )
            beyond = 16 * search.tree.edge_total[:4] - result.visits * OWN
            for visits, sum_of_visits in zip(result.visits.tolist(), beyond.tolist(), strict=True):
                if visits:
                    compared += visits in seen
                    agree &= seen.setdefault(visits, sum_of_visits) == sum_of_visits
        return agree, compared

    agree, compared = worth(common_random_numbers=True)
    assert agree and compared > 20
    assert not worth(common_random_numbers=False)[0]


def test_time_is_told_apart():
    _, result = run_search(2_000, p=FOG._replace(length=7), nodes=500)
    assert set(result.phases) == {"selection", "belief", "roll-out"}
    assert all(seconds > 0.0 for seconds in result.phases.values())

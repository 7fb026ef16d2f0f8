"""Options and budgets refuse bad values, one clear sentence each."""

import pytest

from mcts.options import Budget, Options, cores

BAD = [
    ({"exploration": -0.1}, "exploration=.*: must be at least 0"),
    ({"exploration": float("nan")}, "exploration=.*: must be"),
    (
        {"root_exploration": -1},
        "root_exploration=.*: must be at least 0",
    ),
    ({"in_flight": "wu"}, "in_flight=wu: choose one of none, virtual_loss, wu_uct"),
    ({"widening_exponent": 1.5}, "widening_exponent=.*: must be at most 1"),
    ({"threads": 0}, "threads=.*: must be at least 1"),
    ({"threads": True}, "threads=.*: must be"),
    ({"nodes": 10**12}, "nodes=.*: must be at most 100,000,000"),
    ({"exploration": 10**400}, "exploration=.*: must be"),
    ({"selection": "ucb"}, "selection=ucb: choose one of uct, availability, weighted"),
    ({"merge": "sum"}, "merge=sum: choose one of visits, value, vote"),
    ({"workers": 0, "mode": "root"}, "workers=.*: must be at least 1"),
    ({"workers": 2}, "2 workers need mode root, not tree"),
    ({"keep_tree": True, "mode": "root"}, "keep_tree needs one tree: it excludes mode root"),
]


@pytest.mark.parametrize(("options", "sentence"), BAD)
def test_bad_options(options, sentence):
    with pytest.raises(ValueError, match=sentence) as raised:
        Options(**options)
    assert "\n" not in str(raised.value)


def test_more_threads_than_cores_must_be_asked_for():
    with pytest.raises(ValueError, match=f"more than the {cores()} cores; set oversubscribe"):
        Options(threads=cores() + 1)
    assert Options(threads=cores() + 1, oversubscribe=True).threads == cores() + 1


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [
        ({}, "a budget needs simulations, seconds or both"),
        (
            {"simulations": 0},
            "simulations=.*: must be at least 1",
        ),
        ({"simulations": 10.5}, "simulations=.*: must be"),
        ({"seconds": 0.0}, "seconds=.*: must be above 0 and at most 10,000,000"),
        ({"seconds": float("inf")}, "seconds=.*: must be"),
        ({"simulations": 10**20}, "simulations=.*: must be"),
    ],
)
def test_bad_budgets(budget, sentence):
    with pytest.raises(ValueError, match=sentence):
        Budget(**budget)


@pytest.mark.parametrize(
    ("budget", "parts", "share"),
    [
        (Budget(simulations=1000), 20, Budget(simulations=50)),
        (Budget(simulations=1000), 3, Budget(simulations=333)),
        (Budget(simulations=5), 20, Budget(simulations=1)),
        (Budget(seconds=2.0), 4, Budget(seconds=0.5)),
        (Budget(simulations=8, seconds=1.0), 2, Budget(simulations=4, seconds=0.5)),
    ],
)
def test_a_shared_budget(budget, parts, share):
    assert budget.split(parts) == share


@pytest.mark.parametrize(
    ("options", "leaf_threads", "playouts"),
    [
        ({}, 1, 1),
        ({"rollouts_per_leaf": 3}, 1, 3),
        ({"threads": 4}, 1, 1),
        ({"threads": 4, "mode": "leaf"}, 4, 4),
        ({"threads": 4, "mode": "leaf", "rollouts_per_leaf": 3}, 4, 12),
        ({"threads": 4, "mode": "root", "rollouts_per_leaf": 3}, 1, 3),
    ],
)
def test_play_outs_of_a_leaf(options, leaf_threads, playouts):
    chosen = Options(oversubscribe=True, **options)
    assert (chosen.leaf_threads, chosen.playouts) == (leaf_threads, playouts)


def test_edge_budget():
    assert Options(nodes=1).edge_budget(60) == 60
    assert Options(nodes=1000).edge_budget(3) == 3000
    assert Options(nodes=1000).edge_budget(60) == 8000
    assert Options(nodes=1000, edges=7).edge_budget(60) == 7

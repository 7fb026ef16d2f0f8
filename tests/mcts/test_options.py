"""Options and budgets refuse bad values, one clear sentence each."""

import pytest

from mcts.options import Budget, Options, cores

BAD = [
    ({"exploration": -0.1}, "exploration=.*: must be at least 0"),
    ({"in_flight": "wu"}, "in_flight=wu: choose one of none, virtual_loss, wu_uct"),
    ({"threads": 0}, "threads=.*: must be at least 1"),
    ({"nodes": 10**12}, "nodes=.*: must be at most 100,000,000"),
    ({"selection": "ucb"}, "selection=ucb: choose one of uct, availability, weighted, puct"),
    ({"workers": 2}, "2 workers need mode root, not tree"),
    ({"rollout_share": 1.5}, "rollout_share=.*: must be at most 1"),
    ({"unit": "span"}, "unit=span: choose one of declared, seen"),
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
        ({"seconds": 0.0}, "seconds=.*: must be above 0 and at most 10,000,000"),
        ({"seconds": float("inf")}, "seconds=.*: must be"),
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


def test_edge_budget():
    assert Options(nodes=1).edge_budget(60) == 60
    assert Options(nodes=1000).edge_budget(3) == 3000
    assert Options(nodes=1000).edge_budget(60) == 8000
    assert Options(nodes=1000, edges=7).edge_budget(60) == 7

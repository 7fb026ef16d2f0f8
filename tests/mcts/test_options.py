"""Options and budgets refuse bad values, one clear sentence each."""

import pytest

from mcts.options import Budget, Options, cores

BAD = [
    ({"exploration": -0.1}, "exploration must be a number from 0, not -0.1"),
    ({"exploration": float("nan")}, "exploration must be"),
    ({"exploration": "0.7"}, "exploration must be"),
    ({"in_flight": "wu"}, "in_flight must be none or virtual_loss, not 'wu'"),
    ({"virtual_loss": -1.0}, "virtual_loss must be"),
    ({"widening_base": -1.0}, "widening_base must be"),
    ({"widening_exponent": 1.5}, "widening_exponent must be within 0 and 1, not 1.5"),
    ({"final": "value"}, "final must be visits or mean, not 'value'"),
    ({"threads": 0}, "threads must be a whole number from 1, not 0"),
    ({"threads": 1.0}, "threads must be"),
    ({"threads": True}, "threads must be"),
    ({"nodes": 0}, "nodes must be"),
    ({"edges": 0}, "edges must be"),
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
        ({"simulations": 0}, "simulations must be a whole number from 1, not 0"),
        ({"simulations": 10.5}, "simulations must be"),
        ({"seconds": 0.0}, "seconds must be a number above 0"),
        ({"seconds": float("inf")}, "seconds must be"),
    ],
)
def test_bad_budgets(budget, sentence):
    with pytest.raises(ValueError, match=sentence):
        Budget(**budget)


def test_edge_budget():
    assert Options(nodes=1).edge_budget(60) == 60
    assert Options(nodes=1000).edge_budget(3) == 3000
    assert Options(nodes=1000).edge_budget(60) == 8000
    assert Options(nodes=1000, edges=7).edge_budget(60) == 7

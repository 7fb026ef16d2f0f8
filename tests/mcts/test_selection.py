"""UCT against the formula worked out by hand, widening, in-flight treatments."""

import math

import numpy as np
import pytest

from mcts.options import Options
from mcts.selection import on_offer, select
from mcts.tree import LISTED, ROOT, attach, new_tree


def root_with(visits, totals, in_flight=None):
    """Return a tree whose root has edges with these statistics."""
    n = len(visits)
    tree = new_tree(4, 16)
    tree.status[ROOT] = 1
    assert attach(tree, ROOT, np.arange(n), np.zeros(n), n) == LISTED
    tree.edge_visits[:n] = visits
    tree.edge_total[:n] = totals
    tree.edge_in_flight[:n] = np.zeros(n) if in_flight is None else in_flight
    tree.visits[ROOT] = sum(visits) + 1
    return tree


def settings(**options):
    return Options(**options).settings(1.0, 0.0, 1.0)


def by_hand(visits, totals, c):
    """Return the index that maximises mean + c sqrt(2 ln N / n)."""
    log = math.log(sum(visits))
    bounds = [t / n + c * math.sqrt(2 * log / n) for n, t in zip(visits, totals, strict=True)]
    return bounds.index(max(bounds))


def test_uct_is_the_formula():
    generator = np.random.default_rng(1)
    chosen = set()
    for _ in range(200):
        visits = generator.integers(1, 30, 5)
        totals = visits * generator.random(5)
        c = float(generator.choice([0.0, 0.1, 0.7, 3.0]))
        best = by_hand(visits.tolist(), totals.tolist(), c)
        assert select(root_with(visits, totals), ROOT, settings(exploration=c)) == best
        chosen.add(best)
    assert chosen == set(range(5))


def test_exploration_changes_the_choice():
    tree = root_with([50, 2], [30.0, 1.0])
    assert select(tree, ROOT, settings(exploration=0.0)) == 0
    assert select(tree, ROOT, settings(exploration=0.7)) == 1


def test_unvisited_edges_come_first_in_the_listed_order():
    tree = root_with([3, 0, 0], [3.0, 0.0, 0.0])
    assert select(tree, ROOT, settings()) == 1


def test_edges_not_on_offer_are_neither_taken_nor_counted():
    visits, totals = [4, 4, 1000], [2.0, 2.2, 1000.0]
    tree = root_with(visits, totals)
    tree.visits[ROOT] = 9
    # c such that counting the 1000 visits asleep would not change the choice, but taking would
    assert select(tree, ROOT, settings(widening_base=0.5)) == by_hand(visits[:2], totals[:2], 0.7)
    # and a pair for which N decides: 2 ln 8 against 2 ln 1008
    visits, totals = [7, 1, 1000], [6.3, 0.0, 0.0]
    tree = root_with(visits, totals)
    tree.visits[ROOT] = 9
    assert by_hand(visits[:2], totals[:2], 0.4) == 0
    log = math.log(sum(visits))
    assert 0.9 + 0.4 * math.sqrt(2 * log / 7) < 0.4 * math.sqrt(2 * log)
    assert select(tree, ROOT, settings(widening_base=0.5, exploration=0.4)) == 0


@pytest.mark.parametrize(
    ("listed", "visits", "base", "exponent", "offered"),
    [
        (10, 100, 0.0, 0.5, 10),
        (10, 0, 1.0, 0.5, 1),
        (10, 1, 1.0, 0.5, 1),
        (10, 16, 1.0, 0.5, 4),
        (10, 17, 1.0, 0.5, 5),
        (10, 16, 2.0, 0.5, 8),
        (10, 16, 2.0, 0.0, 2),
        (10, 10**9, 5.0, 1.0, 10),
        (10, 16, 0.01, 0.5, 1),
    ],
)
def test_widening(listed, visits, base, exponent, offered):
    widening = settings(widening_base=base, widening_exponent=exponent)
    assert on_offer(listed, visits, widening) == offered


def test_virtual_loss_steers_away_and_none_does_not():
    tree = root_with([5, 5], [4.0, 3.9], [3, 0])
    assert select(tree, ROOT, settings(in_flight="none")) == 0
    assert select(tree, ROOT, settings(in_flight="virtual_loss")) == 1
    assert select(tree, ROOT, settings(in_flight="virtual_loss", virtual_loss=0.0)) == 0


def test_virtual_loss_counts_as_visits_with_return_0():
    plain = by_hand([5 + 2 * 2, 7], [4.0, 3.9], 0.3)
    tree = root_with([5, 7], [4.0, 3.9], [2, 0])
    wanted = settings(in_flight="virtual_loss", virtual_loss=2.0, exploration=0.3)
    assert select(tree, ROOT, wanted) == plain


def test_an_unvisited_edge_in_flight_is_passed_over():
    tree = root_with([0, 0], [0.0, 0.0], [1, 0])
    assert select(tree, ROOT, settings(in_flight="none")) == 0
    assert select(tree, ROOT, settings(in_flight="virtual_loss")) == 1
    assert select(root_with([0], [0.0], [1]), ROOT, settings(virtual_loss=0.5)) == 0

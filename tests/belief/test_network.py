"""Hidden cards by the network: permanents beside brute force and pyAgrum."""

import math
from itertools import permutations

import numpy as np
import pytest

from belief.beliefs.base import Setting
from belief.beliefs.registry import make_belief
from belief.contract.history import mask
from belief.exact.solver import log_weight, workspace
from belief.network.permanents import (
    MAX_COLUMNS,
    MAX_ROWS,
    draw_rows,
    fill_backward,
    hidden_card,
    new_weights,
    row_marginals,
)
from mcts.kernel.rng import new_stream
from tests.belief import agrum_network

CLOSE = 1e-12

# [Cai & Ferrari 2006, s. III-A]: the own player's hand is 2-2-2, the next players' 2-1-3 and 1-2-3.
SHARES = ((2, 2, 2), (2, 1, 3), (1, 2, 3))
HANDS = tuple(mask((*range(s), *range(6, 6 + w), *range(12, 12 + r))) for s, w, r in SHARES)


def setting(seat):
    return Setting(3, seat, (6, 6, 6), HANDS[seat], shares=SHARES)


def entries(columns, rng, zeros=0.2):
    """Return a table as kernels take it, (8, 9), with so many columns in use."""
    table = np.zeros((MAX_ROWS, MAX_COLUMNS))
    part = rng.random((columns - 1, columns)) ** 3 * (rng.random((columns - 1, columns)) > zeros)
    part[:, 0] += 1e-3
    table[: columns - 1, :columns] = part / part.sum(axis=1, keepdims=True)
    return table


def by_hand(table, columns):
    """Return hidden card and row marginals by enumeration."""
    hidden, rows = np.zeros(columns), np.zeros((columns - 1, columns))
    for order in permutations(range(columns)):
        weight = math.prod(table[row, column] for row, column in enumerate(order[:-1]))
        hidden[order[-1]] += weight
        for row, column in enumerate(order[:-1]):
            rows[row, column] += weight
    return hidden / hidden.sum(), rows / hidden.sum()


def product_of_rows(table, columns):
    """Return the control: the chance that no row is the value, rows knowing nothing of others."""
    hidden = np.prod(1.0 - table[: columns - 1, :columns], axis=0)
    return hidden / hidden.sum()


@pytest.mark.parametrize("columns", [2, 3, 5, 6])
def test_permanents_are_the_sum_over_assignments(columns):
    rng, weights = np.random.default_rng(columns), new_weights()
    for _ in range(20):
        table = entries(columns, rng, zeros=0.2 if columns > 2 else 0.0)
        hidden, rows = by_hand(table, columns)
        assert row_marginals(table, columns, weights)
        np.testing.assert_allclose(weights.hidden[:columns], hidden, atol=CLOSE)
        np.testing.assert_allclose(weights.rows[: columns - 1, :columns], rows, atol=CLOSE)


@pytest.mark.parametrize("columns", [4, 5, 6])
def test_permanents_are_the_inference_of_the_network(columns):
    rng, weights = np.random.default_rng(columns), new_weights()
    for _ in range(4):
        table = entries(columns, rng)
        assert hidden_card(table, columns, weights)
        ours, theirs = (
            weights.hidden[:columns],
            agrum_network.hidden_card(table[: columns - 1, :columns]),
        )
        np.testing.assert_allclose(ours, theirs, atol=CLOSE)
        control = product_of_rows(table, columns)
        assert np.abs(control - theirs).max() > 0.01


def test_rows_that_contradict_each_other_have_no_permanent():
    table = np.zeros((MAX_ROWS, MAX_COLUMNS))
    table[:2, 0] = 1.0
    assert not hidden_card(table, 3, new_weights())
    assert not row_marginals(table, 3, new_weights())


def test_draws_follow_the_permanents():
    columns, draws = 5, 20_000
    table, weights, stream = (
        entries(columns, np.random.default_rng(2)),
        new_weights(),
        new_stream(5),
    )
    hidden, rows = by_hand(table, columns)
    assert fill_backward(table, columns, weights)
    seen = np.zeros((columns, columns))
    for _ in range(draws):
        left = draw_rows(table, columns, weights, stream)
        order = [*weights.drawn[: columns - 1].tolist(), left]
        assert sorted(order) == list(range(columns))
        seen[range(columns), order] += 1
    expected = np.vstack([rows, hidden])
    spread = np.sqrt(draws * expected * (1 - expected)) + 1e-9
    assert (np.abs(seen - draws * expected) < 5 * spread).all()
    control = product_of_rows(table, columns)
    assert (np.abs(seen[-1] - draws * control) > 5 * spread[-1]).any()


@pytest.mark.parametrize(("seat", "bits", "deals"), [(0, 6.807, 20_160), (1, 6.907, 21_600)])
def test_at_the_start_all_cards_of_a_category_are_alike(seat, bits, deals):
    """log2 (4 x 4 x 7) for the hand 2-2-2, log2 (4 x 5 x 6) for 2-1-3."""
    exact = make_belief("exact", setting(seat), new_stream(1))
    assert exact.envelope_entropy() == pytest.approx(bits, abs=5e-4)
    assert math.exp(log_weight(exact.evidence, workspace())) == pytest.approx(deals, abs=1e-6)
    for name in ("tables_text", "tables_text2006", "tables_repaired"):
        tables = make_belief(name, setting(seat), new_stream(1))
        assert tables.envelope_entropy() == pytest.approx(bits, abs=5e-4)
        np.testing.assert_allclose(tables.marginals(), exact.marginals(), atol=CLOSE)
        assert not tables.contradictions

"""Merged root tables, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mcts.merge import merge
from mcts.options import MERGES
from mcts.search import SearchResult


def table(best: int, rows: dict[int, tuple[int, float]], **given) -> SearchResult:
    """Return a result with the given visits and values by action.

    A note is a tenth of the action, an error a hundredth of the visits.
    """
    visits, values = (np.array(column) for column in zip(*rows.values(), strict=True))
    return SearchResult(
        actions=np.array(list(rows)),
        edge_data=np.array(list(rows)) / 10,
        visits=visits,
        values=values.astype(float),
        errors=np.where(visits > 1, visits / 100, np.nan),
        best=best,
        **{"simulations": int(visits.sum()), "seconds": 0.5, "nodes": 7, "full": False} | given,
    )


NAN = np.nan

THREE_WAYS = [
    table(5, {5: (60, 0.50), 3: (30, 0.40), 8: (10, 0.90)}),
    table(5, {5: (50, 0.50), 3: (49, 0.40), 8: (1, 0.80)}),
    table(3, {5: (0, NAN), 3: (92, 0.60), 8: (8, 0.10)}),
]
"""Visits added: 110, 171, 19.  Trees' means: 1/2, 7/15, 3/5.  Votes: 2, 1, 0."""


@pytest.mark.parametrize(
    ("rule", "best", "values"),
    [
        ("visits", 3, [0.5, (12.0 + 19.6 + 55.2) / 171, (9.0 + 0.8 + 0.8) / 19]),
        ("value", 8, [0.5, 1.4 / 3, 0.6]),
        ("vote", 5, [0.5, (12.0 + 19.6 + 55.2) / 171, (9.0 + 0.8 + 0.8) / 19]),
    ],
)
def test_three_rules_choose_three_actions(rule, best, values):
    merged = merge(THREE_WAYS, rule)
    assert merged.best == best
    assert merged.actions.tolist() == [5, 3, 8]
    assert merged.visits.tolist() == [110, 171, 19]
    np.testing.assert_allclose(merged.values, values, rtol=1e-15)
    np.testing.assert_array_equal(merged.edge_data, [0.5, 0.3, 0.8])


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        ("visits", np.sqrt((30 * 0.3) ** 2 + (40 * 0.4) ** 2) / 70),
        ("value", 0.25),
        ("vote", np.sqrt((30 * 0.3) ** 2 + (40 * 0.4) ** 2) / 70),
    ],
)
def test_errors_are_those_of_the_merged_values(rule, error):
    one = table(1, {1: (30, 0.0), 2: (0, NAN), 3: (5, 0.0)})
    other = table(1, {1: (40, 0.0), 2: (20, 0.0), 3: (1, 0.0)})
    # Of action 3 the second tree does not know how far it may be out.
    expected = [error, 0.2, NAN]
    np.testing.assert_allclose(merge([one, other], rule).errors, expected, rtol=1e-12)


@pytest.mark.parametrize("rule", MERGES)
def test_actions_are_matched_by_number(rule):
    one = table(4, {4: (10, 1.0), 2: (5, 0.0)})
    other = table(9, {2: (5, 1.0), 9: (20, 0.5), 4: (10, 0.0)})
    merged = merge([one, other], rule)
    assert merged.actions.tolist() == [4, 2, 9]
    assert merged.visits.tolist() == [20, 10, 20]
    np.testing.assert_array_equal(merged.values, [0.5, 0.5, 0.5])
    np.testing.assert_array_equal(merged.edge_data, [0.4, 0.2, 0.9])
    assert merged.best == 4, "a tie in everything goes to the action listed first"
    # Matched by place, action 4 would have had the visits of 2.
    assert one.visits[0] + other.visits[0] != merged.visits[0]


def test_ties_of_votes_go_to_the_visits_added():
    one = table(1, {1: (6, 0.0), 2: (4, 0.0), 3: (5, 0.0)})
    other = table(2, {1: (1, 0.0), 2: (9, 0.0), 3: (8, 0.0)})
    assert merge([one, other], "vote").best == 2
    assert merge([one, table(2, {1: (4, 0.0), 2: (6, 0.0)})], "vote").best == 1
    assert merge([one, table(3, {1: (4, 0.0), 3: (5, 0.0)})], "vote").best == 1


@pytest.mark.parametrize("rule", MERGES)
def test_an_action_never_tried_has_no_value_and_is_not_chosen(rule):
    merged = merge([table(2, {1: (0, NAN), 2: (1, -9.0)})] * 2, rule)
    assert np.isnan(merged.values[0])
    assert merged.values[1] == -9.0
    assert merged.best == 2


def test_nothing_to_merge_and_unknown_rules_are_refused():
    with pytest.raises(ValueError, match="no searches to merge"):
        merge([], "visits")
    with pytest.raises(ValueError, match=r"merge must be visits or value or vote, not 'mean'"):
        merge(THREE_WAYS, "mean")

"""The public view against Bayes by enumeration, and against what a pass leaves."""

from itertools import product

import numpy as np
import pytest
from histories import mask

from belief import public

SIZES = np.array([4, 4, 4, 4, 0, 0])
FACE_UP = mask((3, 20))


@pytest.fixture
def view():
    """Return the view of four players, before anything was asked."""
    made = np.full((21, 7), np.nan)
    public.open_view(made, 4, SIZES, FACE_UP)
    return made


def by_bayes(view, player, cards):
    """Return ``view`` given that ``player`` has one of three cards, by all 7^3 places of them."""
    joint = np.zeros((7, 7, 7))
    for places in product(range(7), repeat=3):
        if player + 1 in places:
            joint[places] = np.prod(
                [view[card, at] for card, at in zip(cards, places, strict=True)]
            )
    joint /= joint.sum()
    given = view.copy()
    for i, card in enumerate(cards):
        given[card] = joint.sum(axis=tuple({0, 1, 2} - {i}))
    return given


def test_it_starts_from_the_deal(view):
    dealt = [card for card in range(21) if not FACE_UP >> card & 1]
    np.testing.assert_allclose(view[dealt].sum(axis=1), 1.0)
    assert not view[[3, 20]].any()
    np.testing.assert_allclose(view[:, 0][[0, 6, 12]], [1 / 5, 1 / 6, 1 / 8])
    np.testing.assert_allclose(view.sum(axis=0), [3, 4, 4, 4, 4, 0, 0])


def test_who_shows_has_one_of_them_as_bayes_says(view):
    rng = np.random.default_rng(3)
    for asked in ((0, 7, 12), (1, 6, 13), (0, 6, 12), (5, 11, 19)):
        expected = by_bayes(view, 2, asked)
        assert np.abs(expected - view).max() > 0.05
        public.note_refutation(view, 2, mask(asked))
        np.testing.assert_allclose(view, expected, atol=1e-12)
        # Uneven rows for the next one.
        view[list(asked)] *= rng.uniform(0.5, 1.0, (3, 7))
        view[list(asked)] /= view[list(asked)].sum(axis=1, keepdims=True)


def test_those_asked_before_the_answerer_passed_and_those_after_it_were_not_asked(view):
    public.witness(view, 4, 3, mask((0, 6, 12)), 1, FACE_UP)
    assert not view[[0, 6, 12], 1].any()
    assert (view[[0, 6, 12], 2] > 0.3).all() and (view[[0, 6, 12], 3] > 0.1).all()


def test_a_contradiction_under_independence_changes_nothing(view):
    view[:, 2] = 0.0
    before = view.copy()
    public.note_refutation(view, 1, mask((0, 6, 12)))
    assert np.array_equal(view, before)

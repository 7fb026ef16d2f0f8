"""The fitted matrix: margins, certainties, and what fitting is worth."""

import numpy as np
import pytest

from belief.beliefs.base import Setting
from belief.beliefs.constrained import fit, mask_matrix
from belief.beliefs.registry import make_belief
from belief.closure import new_known, update_closure
from belief.contract.history import (
    CATEGORIES,
    events_of,
    mask,
    random_history,
    random_sizes,
    setting_of,
)


def histories(n, seed=1):
    """Yield random histories with all kinds of settings."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        players, face_up = 3 + i % 4, i % 3
        sizes = random_sizes(rng, players, 18 - face_up) if i % 2 else None
        yield random_history(
            rng, players, int(rng.integers(0, 25)), sizes=sizes, face_up=face_up, shares=i % 5 == 0
        )


def ready(history):
    """Return the evidence and what is known of it."""
    ev, known = history.record(), new_known()[0]
    assert update_closure(ev, known)
    return ev, known


def matrix_of(history):
    """Return the published matrix of a history."""
    belief = make_belief("factored", setting_of(history), None)
    belief.observe(events_of(history))
    return belief.marginals()


def test_many_rounds_meet_every_margin():
    for history in histories(40):
        ev, known = ready(history)
        out = np.zeros((21, 7))
        fit(matrix_of(history), known, ev, 3000, out)
        np.testing.assert_allclose(
            out.sum(axis=0)[1 : history.players + 1], history.sizes, atol=2e-2
        )
        for i, kind in enumerate(CATEGORIES):
            assert out[list(kind), 0].sum() == pytest.approx(1.0, abs=2e-2)
            if history.shares is not None:
                np.testing.assert_allclose(
                    out[list(kind), 1 : history.players + 1].sum(axis=0),
                    history.shares[:, i],
                    atol=2e-2,
                )


def test_zeros_and_ones_are_those_of_closure():
    for history in histories(40, seed=2):
        ev, known = ready(history)
        closure = make_belief("closure", setting_of(history), None)
        closure.observe(events_of(history))
        sure = closure.marginals()
        out, plain = np.zeros((21, 7)), np.zeros((21, 7))
        fit(matrix_of(history), known, ev, 5, out)
        mask_matrix(matrix_of(history), known, history.players, plain)
        for matrix in (out, plain):
            np.testing.assert_array_equal(matrix[sure == 1], 1.0)
            assert (matrix[sure == 0] == 0).all()
        assert (out[sure > 0] > 0).all()
        np.testing.assert_array_equal(fitted_in_place(history, ev, known), out)


def fitted_in_place(history, ev, known):
    """Return the fit written over its input."""
    matrix = matrix_of(history)
    fit(matrix, known, ev, 5, matrix)
    return matrix


def test_masking_keeps_odds_and_fills_empty_rows():
    belief = make_belief("closure", Setting(3, 0, (6, 6, 6), mask((0, 6, 7, 12, 13, 14))), None)
    belief.note_pass(1, mask((1, 8, 15)))
    matrix = np.zeros((21, 7))
    matrix[:, :4] = (0.2, 0.0, 0.5, 0.3)
    matrix[8] = np.eye(7)[2]  # falsely sure of the player that has passed
    out = np.full((21, 7), np.nan)
    mask_matrix(matrix, belief.known, 3, out)
    np.testing.assert_allclose(out[1], (0.4, 0, 0, 0.6, 0, 0, 0))
    np.testing.assert_allclose(out[8], (0.5, 0, 0, 0.5, 0, 0, 0))
    np.testing.assert_allclose(out[2], matrix[2])
    assert out[0].tolist() == [0, 1, 0, 0, 0, 0, 0]


def test_fitting_is_nearer_to_the_exact_posterior():
    """Nearer than closure on the same matrix, which is nearer than the published one."""
    errors = {"factored": [], "masked": [], "constrained": []}
    for history in histories(40, seed=4):
        setting, events = setting_of(history), events_of(history)
        exact = make_belief("exact", setting, None)
        exact.observe(events)
        truth = exact.marginals()
        for name, found in errors.items():
            options = {"rounds": 0} if name == "masked" else {}
            belief = make_belief(name.replace("masked", "constrained"), setting, None, **options)
            belief.observe(events)
            found.append(np.abs(belief.marginals() - truth).mean())
    factored, closed, constrained = (np.mean(found) for found in errors.values())
    assert constrained < 0.9 * closed < closed < factored

"""Belief by logic alone."""

import numpy as np
import pytest
from histories import brute_force, deals_below, means

from belief.beliefs.base import Setting
from belief.beliefs.closure import ClosureBelief
from belief.contract.history import events_of, mask, random_history, setting_of

HAND = mask((0, 6, 7, 12, 13, 14))


@pytest.fixture
def belief():
    """Return the belief of seat 0 of three."""
    return ClosureBelief(Setting(3, 0, (6, 6, 6), HAND))


def test_rows_are_even_over_the_possible_holders(belief):
    belief.note_pass(1, mask((1, 8, 15)))
    matrix = belief.marginals()
    assert matrix[1].tolist() == [0.5, 0, 0, 0.5, 0, 0, 0]
    assert matrix[2].tolist() == [1 / 3, 0, 1 / 3, 1 / 3, 0, 0, 0]
    assert matrix[0].tolist() == [0, 1, 0, 0, 0, 0, 0]
    belief.note_pass(2, mask((1, 8, 16)))
    # The envelope has one suspect and one weapon, and they are known now.
    assert belief.marginals()[[1, 8], 0].tolist() == [1.0, 1.0]
    assert belief.marginals()[2:6, 0].tolist() == [0.0] * 4
    rooms = np.array([3, 3, 2, 2, 2, 2]) / 14  # halves and thirds
    assert belief.envelope_entropy() == pytest.approx(-(rooms * np.log2(rooms)).sum())


@pytest.mark.parametrize("accusations", [0, 5])
def test_zeros_and_ones_are_those_of_the_deals(accusations):
    """Whatever is ruled out is in no deal; what is in no deal is mostly ruled out."""
    rng = np.random.default_rng(3)
    impossible = missed = compared = 0
    while compared < 25:
        questions = int(rng.integers(5, 30))
        history = random_history(rng, 3 + compared % 2, questions, accusations=accusations)
        if not deals_below(history, 200_000):
            continue
        compared += 1
        truth, _ = means(*brute_force(history))
        belief = ClosureBelief(setting_of(history))
        belief.observe(events_of(history))
        matrix = belief.marginals()
        assert (truth[matrix == 0] == 0).all()
        np.testing.assert_allclose(truth[matrix == 1], 1)
        impossible += np.sum(truth == 0)
        missed += np.sum(matrix[truth == 0] > 0)
    assert missed < 0.02 * impossible

"""The factored belief of the thesis against its formulas."""

import numpy as np
import pytest
from histories import mask

from belief import matrix as factored
from belief.beliefs.base import Setting
from belief.beliefs.factored import FactoredBelief
from belief.events import PASSED, REFUTED_OTHER, REFUTED_US
from sim.policies.heuristic import certain_envelope

HAND, FACE_UP = mask((0, 7, 13, 14)), mask((3, 20))


@pytest.fixture
def b():
    """Return the start belief of seat 0 of four."""
    matrix = np.full((21, 7), np.nan)
    factored.start(matrix, 4, 0, HAND, FACE_UP)
    return matrix


def test_start_is_exactly_thirty_bits(b):
    assert factored.entropy(b) == 30.0
    assert b[1].tolist() == [0.25, 0, 0.25, 0.25, 0.25, 0, 0]
    assert b[7].tolist() == [0, 1, 0, 0, 0, 0, 0]
    assert b[20].sum() == 0


def test_a_pass_zeroes_and_normalises(b):
    factored.note_pass(b, 2, mask((1, 7, 15)))
    assert b[1].tolist() == [1 / 3, 0, 1 / 3, 0, 1 / 3, 0, 0]
    assert b[7].tolist() == [0, 1, 0, 0, 0, 0, 0]
    factored.note_pass(b, 1, mask((1,)))
    factored.note_pass(b, 3, mask((1,)))
    assert b[1, 0] == 1.0  # exactly: the Heuristic accuses on it
    assert factored.row_entropy(b, 1) == 0.0


def test_a_single_candidate_is_exactly_one_after_soft_evidence(b):
    factored.note_refutation(b, 1, mask((1, 6, 15)), 15)
    factored.note_refutation(b, 2, mask((1, 8, 16)), 14)
    for player in (1, 2, 3):
        factored.note_pass(b, player, mask((1, 7, 12)))
    assert b[1, 0] == 1.0


def test_soft_evidence_is_equation_3_1(b):
    factored.note_pass(b, 2, mask((6,)))
    factored.note_refutation(b, 2, mask((1, 6, 15)), 15)  # 6 is excluded: n = 2, factor 7.5
    expected = np.array([0.25, 0, 0.25, 0.25 * 7.5, 0.25, 0, 0])
    np.testing.assert_allclose(b[1], expected / expected.sum(), rtol=1e-15)
    assert b[6].tolist() == [1 / 3, 0, 1 / 3, 0, 1 / 3, 0, 0]
    # The same answer seen again is multiplied in again.
    factored.note_refutation(b, 2, mask((1, 6, 15)), 15)
    expected[3] *= 7.5
    np.testing.assert_allclose(b[1], expected / expected.sum(), rtol=1e-14)


def test_rows_stay_distributions_to_exhaustion(b):
    """Thousands of repeated answers run to false certainty, never to NaN or an empty row."""
    for _ in range(3000):
        factored.note_refutation(b, 2, mask((1, 6, 15)), 15)
    assert b[1, 3] == 1.0
    before = b.copy()
    factored.note_pass(b, 2, mask((1, 6, 15)))
    factored.note_refutation(b, 3, mask((0, 7, 13)), 15)  # all ours
    factored.note_refutation(b, 3, mask((2, 8, 16)), 0)
    np.testing.assert_array_equal(b, before)
    rng = np.random.default_rng(1)
    for _ in range(3000):
        cards = mask((rng.integers(6), rng.integers(6, 12), rng.integers(12, 21)))
        player = int(rng.integers(1, 4))
        if rng.random() < 0.1:
            factored.note_pass(b, player, cards)
        else:
            factored.note_refutation(b, player, cards, 12)
    sums = b.sum(axis=1)
    known = np.array([card not in (3, 20) for card in range(21)])
    np.testing.assert_allclose(sums[known], 1.0, rtol=1e-12)
    assert (sums[~known] == 0).all()


def test_events_update_as_the_formulas_do(b):
    """The cards ticked off are the hand, the face-up ones and those shown."""
    events = np.array(
        [
            (PASSED, 1, mask((1, 6, 15)), -1),
            (REFUTED_OTHER, 2, mask((1, 6, 15)), -1),
            (REFUTED_US, 3, mask((2, 8, 16)), 8),
            (REFUTED_OTHER, 1, mask((2, 9, 17)), -1),
            (PASSED, 0, mask((2, 9, 17)), -1),  # ourselves
        ]
    )
    belief = FactoredBelief(Setting(4, 0, (4, 4, 4, 4), HAND, FACE_UP))
    belief.observe(events)
    factored.note_pass(b, 1, mask((1, 6, 15)))
    factored.note_refutation(b, 2, mask((1, 6, 15)), 15)
    factored.note_card(b, 3, 8)
    factored.note_refutation(b, 1, mask((2, 9, 17)), 14)
    np.testing.assert_array_equal(belief.marginals(), b)
    rooms = b[12:, 0] / b[12:, 0].sum()
    np.testing.assert_allclose(belief.envelope_table().sum(axis=(0, 1)), rooms)


def test_an_update_tells_which_rows_it_changed(b):
    for update, changes in (
        (lambda: factored.note_pass(b, 2, mask((1, 7, 15))), (1, 15)),  # 7 is held for sure
        (lambda: factored.note_pass(b, 2, mask((1, 7, 15))), ()),  # nothing new
        (lambda: factored.note_refutation(b, 1, mask((1, 6, 15)), 15), (1, 6, 15)),
        (lambda: factored.note_refutation(b, 2, mask((1, 6, 15)), 15), (6,)),
        (lambda: factored.note_refutation(b, 2, mask((1, 15)), 15), ()),
    ):
        before = b.copy()
        assert update() == mask(changes)
        assert np.flatnonzero((b != before).any(axis=1)).tolist() == sorted(changes)


def test_what_is_never_certain_never_is():
    """Whatever is seen later; the control is that without it some become certain."""
    stream, certain, hopeless = np.random.default_rng(5), 0, 0
    for _ in range(60):
        b = np.zeros((21, 7))
        factored.start(b, 4, 0, HAND, FACE_UP)
        settled = False
        for _ in range(150):
            cards = [stream.integers(6), 6 + stream.integers(6), 12 + stream.integers(9)]
            for player in 1, 2, 3:
                held = [card for card in cards if stream.random() < b[card, player + 1]]
                if held and stream.random() < 0.5:
                    factored.note_card(b, player, held[0])
                elif held:
                    factored.note_refutation(b, player, mask(cards), 12)
                else:
                    factored.note_pass(b, player, mask(cards))
                    continue
                break
            found = certain_envelope(b) != 0
            assert not (settled and found)
            certain += found
            settled |= factored.never_certain(b)
        hopeless += settled
    assert certain and hopeless > 20

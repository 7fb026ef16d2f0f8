"""The contract itself, run on every belief, and on beliefs that break it."""

import numpy as np
import pytest
from belief_contract import check_belief
from histories import mask

from belief.contract import Setting, product_table
from belief.evidence import LEAST_INFORMATIVE
from belief.logical import ClosureBelief
from belief.published import FactoredBelief
from belief.table import BELIEFS, make

HAND = mask((0, 7, 13, 14))


@pytest.mark.parametrize("name", BELIEFS)
def test_every_belief_keeps_the_contract(name):
    options = {"particles": 300} if name == "particles" else {}
    check_belief(lambda setting, stream: make(name, setting, stream, **options))


class Shared(ClosureBelief):
    """Hands out its own matrix."""

    def marginals(self):
        self.matrix = getattr(self, "matrix", super().marginals())
        return self.matrix


class Overfull(ClosureBelief):
    """Gives the first hand a card too many."""

    def sample(self, stream, n):
        deals = super().sample(stream, n)
        for deal in deals:
            deal[np.flatnonzero(deal > 1)[0]] = 1
        return deals


class Forgetful(ClosureBelief):
    """Leaves out all but the last event of several."""

    def _observe(self, events):
        super()._observe(events[-1:])


class Certain(FactoredBelief):
    """Claims to be logical, and is not."""

    logical = True


@pytest.mark.parametrize("broken", [Shared, Overfull, Forgetful, Certain])
def test_a_belief_that_breaks_the_contract_is_caught(broken):
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check_belief(lambda setting, stream: broken(setting))


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ({"players": 2}, "players must be 3 to 6, not 2"),
        ({"seat": 4}, "seat must be 0 to 3, not 4"),
        ({"hand_sizes": (4, 4, 4)}, "hand_sizes must be 4 numbers"),
        ({"hand": 1 << 21}, "masks of 21 cards"),
        ({"face_up": mask((0, 3))}, "without a common one"),
        ({"hand": mask((0, 7, 13))}, "the hand has 3 cards, its size is 4"),
        ({"face_up": mask((3,))}, "must be 21 cards, not 20"),
        ({"showing": 2}, "showing must be 0 or 1"),
        ({"shares": ((1, 1, 2),) * 3}, "shares must be 4 tuples of 3 numbers"),
        ({"shares": ((1, 1, 2),) * 3 + ((1, 1, 1),)}, "add up to its hand size"),
        ({"shares": ((2, 0, 2),) * 4}, "those of its hand"),
        ({"shares": ((1, 1, 2),) * 4}, "add up to its cards in hands"),
    ],
)
def test_bad_settings(fault, sentence):
    good = {
        "players": 4,
        "seat": 0,
        "hand_sizes": (4, 4, 4, 4),
        "hand": HAND,
        "face_up": mask((3, 20)),
    }
    Setting(**good, showing=LEAST_INFORMATIVE)
    with pytest.raises(ValueError, match=sentence):
        Setting(**(good | fault))


def test_a_category_without_envelope_card_is_refused():
    with pytest.raises(ValueError, match="no card of a category"):
        Setting(3, 0, (6, 6, 6), mask(range(6)))


def test_public_shares_reach_the_evidence():
    shares = ((1, 1, 2), (2, 1, 1), (0, 2, 2), (1, 1, 2))
    ev = Setting(4, 0, (4, 4, 4, 4), HAND, mask((3, 20)), shares, LEAST_INFORMATIVE).records()[0]
    assert ev.shares[:4].tolist() == [list(row) for row in shares]
    assert ev.showing == LEAST_INFORMATIVE


def test_product_table_of_falsely_certain_columns():
    matrix = np.zeros((21, 7))
    matrix[6:12, 0] = [0, 0.5, 0, 0, 0, 0.25]
    possible = mask((2, 3, 12))
    table = product_table(matrix, possible)
    np.testing.assert_allclose(table.sum(axis=(1, 2)), [0, 0, 0.5, 0.5, 0, 0])
    np.testing.assert_allclose(table.sum(axis=(0, 2)), [0, 2 / 3, 0, 0, 0, 1 / 3])
    assert table.sum(axis=(0, 1))[0] == pytest.approx(1.0)
    np.testing.assert_allclose(product_table(np.zeros((21, 7)), 0), 1 / 324)

"""The contract itself, run on every belief, and on beliefs that break it."""

import numpy as np
import pytest

from belief.beliefs.base import Setting, product_table
from belief.beliefs.closure import ClosureBelief
from belief.beliefs.factored import FactoredBelief
from belief.beliefs.registry import BELIEFS, make_belief
from belief.contract.history import mask
from belief.contract.testing import check_belief
from belief.evidence import LEAST_INFORMATIVE, ContradictoryEvidence

HAND = mask((0, 7, 13, 14))


@pytest.mark.parametrize("name", BELIEFS)
def test_every_belief_keeps_the_contract(name):
    options = {"particles": 300} if name == "particles" else {}
    check_belief(
        lambda setting, stream: make_belief(name, setting, stream, **options),
        needs_shares=BELIEFS[name].needs_shares,
    )


def spoil(method, change):
    """Return a method of `ClosureBelief` of which ``change`` spoils what it returns."""
    plain = getattr(ClosureBelief, method)
    return {method: lambda self, *given: change(plain(self, *given))}


def keep(method):
    """Return a method that hands out one array of its own each time."""
    plain = getattr(ClosureBelief, method)
    return {method: lambda self: vars(self).setdefault(f"_{method}", plain(self))}


def begin_renamed(self, setting):
    ClosureBelief.__init__(self, setting)
    self.name = "mine"


def lose(matrix):
    matrix[5] *= 0.5
    return matrix


def seat_a_guest(matrix):
    matrix[5] = np.roll(matrix[5], -1) if matrix[5].any() else 0.0
    return matrix


def overfill(deals):
    for deal in deals:
        deal[np.flatnonzero(deal > 1)[0]] = 1
    return deals


CLOCK = np.random.default_rng(1)


def sample_by_the_clock(self, stream, n):
    stream[0] = CLOCK.integers(1 << 62)
    return ClosureBelief.sample(self, stream, n)


def learn_by_sampling(self, stream, n):
    deals = ClosureBelief.sample(self, stream, n)
    self.observe(np.array([(0, (self.setting.seat + 1) % 3, 1 << 5 | 1 << 11, -1)]))
    return deals


class Restless(ClosureBelief):
    """Grows surer with each event, whatever it says."""

    times = 1

    def _observe(self, events):
        super()._observe(events)
        self.times += 1

    def marginals(self):
        matrix = super().marginals() ** self.times
        return matrix / np.maximum(matrix.sum(axis=1, keepdims=True), 1e-300)


class Gullible(ClosureBelief):
    """Passes over what is no event."""

    def observe(self, events):
        try:
            super().observe(events)
        except ValueError as fault:
            if isinstance(fault, ContradictoryEvidence):
                raise


BROKEN = {
    "name is not that of the class": {"__init__": begin_renamed},
    "marginals must return a new array": keep("marginals"),
    "marginals of a card do not sum to 1": spoil("marginals", lose),
    "a card may be with an absent player": spoil("marginals", seat_a_guest),
    "envelope_table must return a new array": keep("envelope_table"),
    "envelope_table sums to 1.5": spoil("envelope_table", lambda table: 1.5 * table),
    "envelope_entropy is not that": spoil("envelope_entropy", lambda bits: bits * np.log(2)),
    "a card of the own hand is dealt|a deal has not . cards": spoil("sample", overfill),
    "the same stream gives other deals": {"sample": sample_by_the_clock},
    "sample changes the belief": {"sample": learn_by_sampling},
    "a deal does not explain the answers": {
        "sample": lambda self, stream, n: ClosureBelief(self.setting).sample(stream, n)
    },
    "a deal does not .*": {
        "_observe": lambda self, events: ClosureBelief._observe(self, events[-1:])
    },
    "an excluded envelope is still possible": {
        "envelope_table": lambda self: product_table(self._rows(), int(self.known.may[0]))
    },
}
"""What is said of a `ClosureBelief` with other methods."""


def test_a_belief_that_breaks_the_contract_is_caught():
    broken = {
        sentence: type("Broken", (ClosureBelief,), methods) for sentence, methods in BROKEN.items()
    }
    broken |= {
        "events one by one give other marginals": Restless,
        "is no event, and observe does not raise": Gullible,
        "a deal does not explain|no ContradictoryEvidence": type(
            "Certain", (FactoredBelief,), {"logical": True}
        ),
    }
    for sentence, made in broken.items():
        with pytest.raises(AssertionError, match=sentence):
            check_belief(lambda setting, stream, made=made: made(setting))


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        ({"players": 2}, "players must be 3 to 6, not 2"),
        ({"seat": 4}, "seat must be 0 to 3, not 4"),
        ({"hand_sizes": (4, 4, 4)}, "hand_sizes must be 4 numbers"),
        ({"hand_sizes": (4, "?", 4, 4)}, "one is unknown, count that player's cards$"),
        ({"hand": None}, "hand must be a whole number, not None"),
        ({"hand": 1 << 21}, "masks of 21 cards"),
        ({"hand": mask((0, 7, 13))}, "the hand has 3 cards, its size is 4"),
        ({"showing": 2}, "showing must be 0 or 1"),
        ({"shares": ((1, 1, 2),) * 3}, "shares must be 4 tuples of 3 numbers"),
        ({"shares": ((2, 0, 2),) * 4}, "those of its hand"),
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


def test_product_table_of_falsely_certain_columns():
    matrix = np.zeros((21, 7))
    matrix[6:12, 0] = [0, 0.5, 0, 0, 0, 0.25]
    possible = mask((2, 3, 12))
    table = product_table(matrix, possible)
    np.testing.assert_allclose(table.sum(axis=(1, 2)), [0, 0, 0.5, 0.5, 0, 0])
    np.testing.assert_allclose(table.sum(axis=(0, 2)), [0, 2 / 3, 0, 0, 0, 1 / 3])
    assert table.sum(axis=(0, 1))[0] == pytest.approx(1.0)
    np.testing.assert_allclose(product_table(np.zeros((21, 7)), 0), 1 / 324)

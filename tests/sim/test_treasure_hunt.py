"""The draft [Xu 2013] on turns, counts and orders of measurements, and its errors.

The figures are those of the corrected draft; a control shows the effect of its misprints.
"""

from functools import cache
from itertools import product
from math import comb, exp, factorial

import numpy as np
import pytest

from belief.evidence import new_evidence, reset
from belief.exact.solver import ExactPosterior
from sim.rules import FARTHEST, Rules, world


@cache
def reach(rolls, steps):
    """Return P(so many rolls add up to at least ``steps``): the last may be higher than needed."""
    if steps <= 0:
        return 1.0
    return sum(reach(rolls - 1, steps - i) for i in range(1, 7)) / 6 if rolls else 0.0


@cache
def print_formula(rolls, steps):
    """Return the same by the recurrence as the draft prints it: the last roll is exactly ``i``."""
    if steps <= 0 or steps > 6 * rolls:
        return float(steps <= 0)
    before = [print_formula(rolls - 1, steps - i) for i in range(7)]
    return before[0] + sum(before[i] - before[i - 1] for i in range(1, 7)) / 6


def expected_turns(steps, recurrence=reach):
    """Return the sum over t < steps of P(t rolls add up to less)."""
    return sum(1.0 - recurrence(rolls, steps) for rolls in range(steps))


KNOWN = {7: 2.52163, 8: 2.77523, 12: 3.90638, 20: 6.19020, 50: 14.76190}


def test_expected_turns_have_the_known_values():
    for steps in range(1, 7):
        assert expected_turns(steps) == pytest.approx((7 / 6) ** (steps - 1), abs=1e-12)
    for steps, turns in KNOWN.items():
        assert expected_turns(steps) == pytest.approx(turns, abs=5e-6)
    assert expected_turns(50) == pytest.approx(50 / 3.5 + 10 / 21, abs=1e-6)


def test_the_renewal_equation_of_the_world_is_the_recurrence():
    turns = world(Rules())[0].turns
    for steps in range(1, FARTHEST):
        assert turns[steps] == pytest.approx(expected_turns(steps), abs=1e-12)


def test_the_printed_recurrence_is_not():
    wrong = {2: 1.833, 7: 6.307, 12: 9.039}
    for steps, turns in wrong.items():
        assert expected_turns(steps, print_formula) == pytest.approx(turns, abs=5e-4)
        assert abs(expected_turns(steps, print_formula) - world(Rules())[0].turns[steps]) > 0.6


def starting(players, hand):
    """Return how many deals there are from a ``hand`` of suspects, weapons and rooms, as counted by
    the exact posterior."""
    cards = sum(1 << first + i for first, n in zip((0, 6, 12), hand, strict=True) for i in range(n))
    facts = new_evidence()
    reset(facts[0], players, 0, np.full(6, 18 // players), cards, 0)
    return exp(ExactPosterior(facts[0]).log_weight)


def test_the_draft_s_counts_of_deals_are_those_of_the_exact_posterior():
    hands = [hand for hand in product(range(7), repeat=3) if sum(hand) == 6]
    deals = {(s, w, r): (9 - r) * (6 - s) * (6 - w) * comb(12, 6) for s, w, r in hands}
    most = max(deals, key=deals.get)
    assert (most, deals[most]) == ((1, 1, 4), 115_500)
    assert starting(3, most) == pytest.approx(115_500, rel=1e-9)
    assert 6**3 * comb(12, 6) != 115_500  # the factor that is printed
    assert 324 * factorial(18) // factorial(6) ** 3 == 5_557_616_064
    of_six = 216 * factorial(15) // factorial(3) ** 5
    assert of_six == pytest.approx(3.63e10, rel=1e-3)
    assert starting(6, (0, 0, 3)) == pytest.approx(of_six, rel=1e-9)
    assert 1e5 < of_six / 115_500 < 1e6  # not "two to three magnitudes"

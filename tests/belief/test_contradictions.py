"""Evidence is checked when it is noted, and the event that leaves no deal is named."""

import re
from itertools import combinations

import numpy as np
import pytest

from belief.beliefs.base import Setting
from belief.beliefs.registry import BELIEFS, make_belief
from belief.contract.history import mask
from belief.events import PASSED, REFUTED_OTHER, REFUTED_US
from belief.evidence import ALL_CARDS, CATEGORY_MASK, ContradictoryEvidence
from mcts.kernel.rng import new_stream

LOGICAL = [name for name, made in BELIEFS.items() if made.logical and not made.needs_shares]
HAND, OPEN = mask((0, 6)), mask((1, 2, 7, 8, 12, 13, 14, 15, 20))
SETTING = Setting(4, 1, (2, 2, 2, 3), HAND, OPEN)
"""Ten cards are hidden, of which the others hold seven: 7,560 deals."""


def all_deals():
    """Return the hands of the players in all deals, (deals, 4) masks."""
    left = [card for card in range(21) if not (HAND | OPEN) >> card & 1]
    deals = []
    for trio in ((a, b, c) for a in left for b in left for c in left if a < 6 <= b < 12 <= c):
        rest = [card for card in left if card not in trio]
        for first in combinations(rest, 2):
            for second in combinations([card for card in rest if card not in first], 2):
                last = set(rest) - {*first, *second}
                deals.append([mask(first), HAND, mask(second), mask(last)])
    return np.array(deals)


DEALS = all_deals()


def explains(deals, row):
    """Return which deals explain an event."""
    kind, player, cards, card = row
    held = deals[:, player] & cards
    if kind == PASSED:
        return held == 0
    return held != 0 if kind == REFUTED_OTHER else held >> card & 1 == 1


def random_log(generator):
    """Return twelve events about the others; most logs exclude all deals sooner or later."""
    truth, rows = DEALS[generator.integers(len(DEALS))], []
    for _ in range(12):
        asked = [generator.choice(np.flatnonzero([m >> c & 1 for c in range(21)])) for m in _ASKED]
        player = int(generator.choice([0, 2, 3]))
        held = [card for card in asked if truth[player] >> card & 1]
        lies = generator.random() < 0.15
        kind = PASSED if (not held) != lies else generator.choice([REFUTED_OTHER, REFUTED_US])
        card = generator.choice(asked if lies or not held else held) if kind == REFUTED_US else -1
        rows.append((int(kind), player, mask(asked), int(card)))
    return rows


_ASKED = [inside & ALL_CARDS & ~OPEN for inside in CATEGORY_MASK]


def first_without_deal(rows):
    """Return the first event after which enumeration leaves no deal, None if one is left."""
    deals = DEALS
    for i, row in enumerate(rows):
        deals = deals[explains(deals, row)]
        if not len(deals):
            return i
    return None


def find_named(belief, rows, step):
    """Return the event that is named, None if there is no contradiction."""
    try:
        for at in range(0, len(rows), step):
            belief.observe(np.array(rows[at : at + step]))
        belief.marginals()
    except ContradictoryEvidence as fault:
        return int(re.match(r"no deal explains event (\d+), player ", str(fault))[1])
    return None


def test_the_first_event_without_a_deal_is_named():
    """Against enumeration.  Control: the last event is seldom the one."""
    generator = np.random.default_rng(1)
    named = last = 0
    for number in range(60):
        rows = random_log(generator)
        expected = first_without_deal(rows)
        belief = make_belief("exact", SETTING, new_stream(1))
        assert find_named(belief, rows, (1, 5, 12)[number % 3]) == expected
        named += expected is not None
        last += expected == len(rows) - 1
    assert named > 20 and last < named / 2


@pytest.mark.parametrize("name", LOGICAL)
def test_every_logical_belief_names_it(name):
    lie = [(REFUTED_US, 2, mask((3, 9, 16)), 3), (PASSED, 0, mask((4, 10, 17)), -1)]
    lie += [(REFUTED_US, 3, mask((3, 10, 16)), 3), (PASSED, 2, mask((5, 11, 18)), -1)]
    assert find_named(make_belief(name, SETTING, new_stream(1)), lie, 4) == 2
    assert find_named(make_belief(name, SETTING, new_stream(1)), lie[:2], 1) is None

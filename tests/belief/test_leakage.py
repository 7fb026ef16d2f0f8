"""Information given away by a suggestion, against all places of its cards and all answers."""

from itertools import product
from math import log2

import numpy as np
import pytest

from belief.leakage import COLUMNS, LANES, SHOWN, leakage, tabulate, weapon_columns

PLAYERS, SEAT, TRIO = 4, 1, (2, 8, 15)
LEAST = 0.002


def rows(rng, holders, count=21):
    """Return random rows over some holders."""
    made = np.zeros((count, 7))
    made[:, holders] = rng.dirichlet(np.ones(len(holders)), count)
    return made


@pytest.fixture(params=range(6))
def beliefs(request):
    """Return an own belief and a public view, at times with a card of our own and one elsewhere."""
    rng = np.random.default_rng(request.param)
    own, view = rows(rng, [0, 1, 3, 4]), rows(rng, [0, 1, 2, 3, 4])
    if request.param % 2:
        own[TRIO[0]] = np.eye(7)[SEAT + 1]
    if request.param % 3 == 2:
        own[TRIO[1]] = np.eye(7)[4]
    return own, view


def expect(own, view, playing, known):
    """Return the opponents' expected gain in log score, one world after the other."""
    total = 0.0
    for places in product(*(np.flatnonzero(own[card]) for card in TRIO)):
        chance = np.prod([own[card, at] for card, at in zip(TRIO, places, strict=True)])
        steps = [step for step in range(1, PLAYERS) if (SEAT + step) % PLAYERS + 1 in places]
        answer = steps[0] if steps else PLAYERS
        for other in playing:
            for card, at in zip(TRIO, places, strict=True):
                if at == other + 1 or known[other] >> card & 1:
                    continue
                plain, more = (gain(view[card], other, answer, at == 0, by) for by in (1.0, SHOWN))
                total += chance * (plain + weight(view, card, answer) * (more - plain))
    return total


def weight(view, card, answer):
    """Return how much of the gain by the odds `SHOWN` a card shown is worth."""
    shower = (SEAT + answer) % PLAYERS + 1
    return SHOWN / (SHOWN - 1) * np.prod([1 - view[o, shower] for o in TRIO if o != card])


def gain(row, other, answer, hidden, odds):
    """Return what ``other`` gains on one card from that answer."""
    seen = np.delete(row, other + 1)
    holders = np.delete(np.arange(7), other + 1)
    before = seen / seen.sum()
    after = before.copy()
    for step in range(1, PLAYERS + 1):
        at = (SEAT + step) % PLAYERS + 1
        if step == answer:
            after[holders == at] *= odds if answer < PLAYERS else 1.0
            break
        after[holders == at] = 0.0
    after /= after.sum()
    p, q = (after[0], before[0]) if hidden else (1 - after[0], 1 - before[0])
    return log2(max(p, LEAST) / max(q, LEAST))


def compute(own, view, playing, known):
    table = np.full((21, COLUMNS), np.nan)
    mask = sum(1 << other for other in playing)
    tabulate(own, view, SEAT, PLAYERS, mask, known, (1 << 21) - 1, table)
    columns, given = np.empty((COLUMNS, LANES)), np.empty((1, LANES))
    weapon_columns(table, columns)
    leakage(table, columns, PLAYERS, TRIO[0], TRIO[2], given)
    return given[0, TRIO[1] - 6]


@pytest.mark.parametrize("playing", [(0, 2, 3), (2,), ()])
def test_it_is_the_sum_over_all_worlds(beliefs, playing):
    known = np.zeros(6, np.int64)
    assert compute(*beliefs, playing, known) == pytest.approx(expect(*beliefs, playing, known))


def test_who_has_seen_a_card_in_our_hand_is_not_misled(beliefs):
    own, view = beliefs
    own[TRIO[0]] = np.eye(7)[SEAT + 1]
    known = np.zeros(6, np.int64)
    misled = compute(own, view, (0, 2, 3), known)
    known[[0, 3]] = 1 << TRIO[0]
    assert compute(own, view, (0, 2, 3), known) == pytest.approx(
        expect(own, view, (0, 2, 3), known)
    )
    assert compute(own, view, (0, 2, 3), known) != pytest.approx(misled)

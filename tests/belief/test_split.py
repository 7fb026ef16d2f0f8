"""Posteriors in parts: as exact as those in one, where one does not fit."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from histories import brute_force, histories, places
from scipy.stats import chisquare

from belief import evidence
from belief.contract.history import mask, random_trio
from belief.evidence import new_evidence
from belief.exact.solver import ExactPosterior, solve, workspace
from belief.exact.workspace import TOO_WIDE
from mcts.kernel.rng import new_stream

HISTORIES = 60


@pytest.fixture
def shrink_workspaces(monkeypatch):
    """Return a function that solves evidence in a workspace of 48 states, which may not grow."""

    def solve_it(ev):
        with monkeypatch.context() as patch:
            patch.setattr(ExactPosterior, "MAX_STATES", 48)
            return ExactPosterior(ev, workspace(48))

    return solve_it


def assert_same(posterior, other):
    """Assert that two posteriors agree in everything that they can be asked."""
    tolerance = {"rtol": 0, "atol": 1e-10}
    np.testing.assert_allclose(posterior.marginals, other.marginals, **tolerance)
    np.testing.assert_allclose(posterior.envelope_table(), other.envelope_table(), **tolerance)
    assert posterior.log_weight == pytest.approx(other.log_weight, abs=1e-10)
    assert posterior.total == pytest.approx(other.total, rel=1e-10)
    ours, theirs = posterior.likely_envelopes(5, 0.01), other.likely_envelopes(5, 0.01)
    np.testing.assert_allclose([p for _, p in ours], [p for _, p in theirs], **tolerance)
    rng = np.random.default_rng(1)
    for _ in range(3):
        trio = random_trio(rng)
        ours, theirs = posterior.envelope_probability(*trio), other.envelope_probability(*trio)
        assert ours == pytest.approx(theirs, abs=1e-10)
        (ours, silence), (theirs, nobody) = posterior.predict(mask(trio)), other.predict(mask(trio))
        np.testing.assert_allclose(ours, theirs, **tolerance)
        assert silence == pytest.approx(nobody, abs=1e-10)


@pytest.mark.parametrize("accusations", [0, 5])
def test_parts_agree_with_the_whole(shrink_workspaces, accusations):
    divided = 0
    for history in histories(31, HISTORIES, accusations=accusations):
        ev = history.record()
        posterior, whole = shrink_workspaces(ev), ExactPosterior(ev)
        assert whole.parts == 1
        assert_same(posterior, whole)
        divided += posterior.parts > 1
    assert divided > HISTORIES // 6


def test_too_many_places_for_a_digit():
    ev = new_evidence()[0]
    evidence.reset(ev, 3, 0, np.array([5, 5, 8]), mask(range(1, 6)), 0)
    posterior = ExactPosterior(ev)
    assert posterior.parts > 1
    # 1 suspect x 6 weapons x 9 rooms are open; 13 other cards go to hands of 5 and 8.
    assert posterior.total == pytest.approx(54 * 1287, rel=1e-12)
    assert posterior.marginals[8] == pytest.approx([1 / 6, 0, 25 / 78, 40 / 78, 0, 0, 0])


def p_values(posterior, deals, probability, draws, key):
    """Return the p-values of sampled deals, one by one and in the order of drawing."""
    drawn = places(posterior.sample(new_stream(key), draws), deals)
    counts = np.bincount(drawn, minlength=len(deals))
    half = np.bincount(drawn[: draws // 2], minlength=len(deals))
    # Deals of all parts come in any order: the first half is like all of them.
    return [
        chisquare(counts, probability * draws).pvalue,
        chisquare(half, probability * (draws // 2)).pvalue,
    ]


@pytest.mark.parametrize("accusations", [0, 5])
def test_samples_of_parts_follow_the_posterior(shrink_workspaces, accusations):
    draws = 40_000
    values, controls = [], []
    for key, history in enumerate(histories(5, 400, accusations=accusations)):
        deals, probability = brute_force(history)
        if not (2 < len(deals) < 300 and probability.min() * draws > 10):
            continue
        posterior = shrink_workspaces(history.record())
        if posterior.parts == 1:
            continue
        values += p_values(posterior, deals, probability, draws, key)
        posterior._shares[:] = 1 / posterior.parts  # the control: parts by number, not by weight
        controls += p_values(posterior, deals, probability, draws, key)
        if len(values) >= 12:
            break
    assert len(values) >= 8
    assert min(values) > 1e-4
    assert min(controls) < 1e-6


def by_hands(size, clauses, unseen):
    """Return the number of deals and the envelope table, player by player over sets of cards.

    ``size``, ``clauses``: of each other player; ``unseen``: the cards that they and the envelope
    share.  Independent of the solver, which goes card by card.
    """
    deals = {0: 1}
    for cards, asked in zip(size, clauses, strict=True):
        hands = [mask(hand) for hand in combinations(unseen, cards)]
        hands = [hand for hand in hands if all(hand & trio for trio in asked)]
        after = Counter()
        for dealt, ways in deals.items():
            for hand in hands:
                if not dealt & hand:
                    after[dealt | hand] += ways
        deals = after
    table = np.zeros((6, 6, 9))
    for trio in product(range(6), range(6, 12), range(12, 21)):
        if set(trio) <= set(unseen):
            table[trio[0], trio[1] - 6, trio[2] - 12] = deals.get(mask(unseen) & ~mask(trio), 0)
    return table.sum(), table / table.sum()


@pytest.mark.parametrize("seed", [12, 108])
def test_evidence_too_wide_for_kernels_is_as_exact(seed):
    """Random clauses of four players; where a part without a deal is tried last, too."""
    rng = np.random.default_rng(seed)
    size, own = (5, 4, 5), (0, 6, 12, 13)
    unseen = [card for card in range(21) if card not in own]
    order = rng.permutation([card for card in unseen if card not in (1, 7, 14)])
    held = [mask(part) for part in np.split(order, np.cumsum(size)[:-1])]
    ev, work, clauses = new_evidence()[0], workspace(), [[], [], []]
    evidence.reset(ev, 4, 0, np.array([4, *size]), mask(own), 0)
    for _ in range(120):
        player, trio = int(rng.integers(3)), mask(random_trio(rng))
        if held[player] & trio:
            clauses[player].append(trio)
            evidence.note_refutation(ev, player + 1, trio)
    assert not solve(ev, work) and work.plan[0].status == TOO_WIDE
    posterior, (total, table) = ExactPosterior(ev, work), by_hands(size, clauses, unseen)
    np.testing.assert_allclose(posterior.envelope_table(), table, rtol=0, atol=1e-10)
    assert posterior.total == pytest.approx(total, rel=1e-12)
    for deal in posterior.sample(new_stream(1), 20):
        hands = [mask(np.flatnonzero(deal == player + 1)) for player in range(1, 4)]
        assert all(
            hand & trio for hand, asked in zip(hands, clauses, strict=True) for trio in asked
        )

"""The exact posterior against brute force, its samples, its limits and its errors."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from histories import brute_force, histories, mask, means, places, random_history, weighted_deals
from scipy.stats import chisquare

from belief import evidence
from belief.evidence import UNIFORM, ContradictoryEvidence, EvidenceFull, new_evidence
from belief.exact.solver import FULL, ExactPosterior, log_weight, solve, workspace
from belief.exact.workspace import TOO_WIDE
from mcts.kernel.rng import new_stream

HISTORIES = 200


def opening(players=4, hand=(0, 7, 13, 14), face_up=(3, 20), sizes=(4, 4, 4, 4)):
    """Return the evidence of seat 0 before the first question."""
    ev = new_evidence()[0]
    evidence.reset(ev, players, 0, np.array(sizes), mask(hand), mask(face_up))
    return ev


def test_posteriors_agree_with_brute_force_on_random_histories():
    work, forward_only = workspace(), workspace()
    seen = {name: 0 for name in ("repeated", "coupled", "clauses", "many deals")}
    for history in histories(1, HISTORIES):
        deals, weight = weighted_deals(history)
        marginals, table = means(deals, weight / weight.sum())
        ev = history.record()
        posterior = ExactPosterior(ev, work)
        np.testing.assert_allclose(posterior.marginals, marginals, rtol=0, atol=1e-10)
        np.testing.assert_allclose(posterior.envelope_table(), table, rtol=0, atol=1e-10)
        # Against the true likelihoods, no constant left out.
        assert posterior.log_weight == pytest.approx(np.log(weight.sum()), abs=1e-10)
        assert posterior.total == pytest.approx(weight.sum(), rel=1e-10)
        assert log_weight(ev, forward_only) == pytest.approx(posterior.log_weight, abs=1e-10)
        plan = work.plan[0]
        seen["repeated"] += bool(np.any(ev.times[: ev.shown] > 1))
        seen["coupled"] += bool(np.any(plan.pair[: plan.layers] >= 0))
        seen["clauses"] += plan.clauses > 0
        seen["many deals"] += len(deals) > 1000
    # The cases that matter did occur.
    assert min(seen.values()) >= HISTORIES // 8, seen


def without_the_factor(history):
    """Record a card shown to us as no more than held."""
    return history.record(weighted=False)


def as_if_uniform(history):
    """Record as if players chose uniformly what to show."""
    history.showing = UNIFORM
    return history.record()


def without_shares(history):
    """Record as if the hands' numbers of each category were not public."""
    history.shares = None
    return history.record()


@pytest.mark.parametrize("assume", [without_the_factor, as_if_uniform, without_shares])
def test_posteriors_under_other_assumptions_disagree(assume):
    """The controls: each of the assumptions must be seen in the posterior."""
    apart = 0
    for history in histories(1, 64):
        marginals, _ = means(*brute_force(history))
        posterior = ExactPosterior(assume(history))
        apart += np.abs(posterior.marginals - marginals).max() > 1e-3
    assert apart >= 6


def asked_of(history, rng):
    """Return a mask of cards, by player other than the observer, that it may have asked for."""
    chance = float(rng.choice([0.1, 0.3, 0.7]))
    return {
        player: mask(np.flatnonzero(rng.random(21) < chance))
        for player in range(history.players)
        if player != history.seat
    }


def doubting(history, named, own_card_weight):
    """Return the evidence of a history in which players asked for ``named`` (masks) themselves."""
    ev = history.record()
    ev.own_card_weight[:] = own_card_weight
    for player, cards in named.items():
        assert evidence.note_question(ev, player, cards) == cards
        assert evidence.note_question(ev, player, cards) == 0  # no news the second time
    return ev


def doubted_deals(history, named, own_card_weight):
    """Return all deals and what they weigh, by brute force."""
    deals, weight = weighted_deals(history)
    held = np.zeros(len(deals), np.int64)
    for player, cards in named.items():
        held += ((deals == player + 1) & (cards >> np.arange(21) & 1 == 1)).sum(axis=1)
    return deals, weight * own_card_weight**held


def few_deals(seed, wanted, most=3_000, accusations=0):
    """Yield (history, named cards) where brute force lists ``most`` deals and no more."""
    rng = np.random.default_rng(seed)
    for history in histories(seed, 8 * wanted, accusations=accusations):
        if 1 < len(weighted_deals(history)[0]) <= most:
            yield history, asked_of(history, rng)
            wanted -= 1
        if not wanted:
            return


@pytest.mark.parametrize(
    ("own_card_weight", "accusations"), [(0.05, 0), (4.0, 0), (100.0, 0), (0.05, 5), (100.0, 5)]
)
def test_doubted_posteriors_agree_with_brute_force(own_card_weight, accusations):
    work, forward_only = workspace(), workspace()
    wanted, apart = 20, 0
    for history, named in few_deals(12, wanted, accusations=accusations):
        deals, weight = doubted_deals(history, named, own_card_weight)
        marginals, table = means(deals, weight / weight.sum())
        ev = doubting(history, named, own_card_weight)
        posterior = ExactPosterior(ev, work)
        np.testing.assert_allclose(posterior.marginals, marginals, rtol=0, atol=1e-10)
        np.testing.assert_allclose(posterior.envelope_table(), table, rtol=0, atol=1e-10)
        assert posterior.log_weight == pytest.approx(np.log(weight.sum()), abs=1e-10)
        assert log_weight(ev, forward_only) == pytest.approx(posterior.log_weight, abs=1e-10)
        wanted -= 1
        # The control: who doubts nothing believes otherwise.
        unread = ExactPosterior(history.record()).marginals
        apart += np.abs(unread - marginals).max() > 1e-3
    assert wanted == 0
    assert apart >= 16


def test_sampled_deals_follow_the_doubted_posterior():
    draws, values, controls = 10_000, [], []
    for key, (history, named) in enumerate(few_deals(14, 12, most=200)):
        deals, weight = doubted_deals(history, named, 0.3)
        probability = weight / weight.sum()
        if probability.min() * draws < 5:
            continue
        for evidence_of, into in (
            (doubting(history, named, 0.3), values),
            (history.record(), controls),
        ):
            drawn = places(ExactPosterior(evidence_of).sample(new_stream(key), draws), deals)
            counts = np.bincount(drawn, minlength=len(deals))
            into.append(chisquare(counts, probability * draws).pvalue)
    assert len(values) >= 5
    assert min(values) > 1e-4
    assert np.median(controls) < 1e-6  # deals drawn by who reads nothing into the questions


def test_single_envelopes_agree_with_the_table():
    work = workspace()
    for history in histories(3, 16):
        posterior = ExactPosterior(history.record(), work)
        table = posterior.envelope_table()
        assert table.sum() == pytest.approx(1.0, abs=1e-12)
        best = np.sort(table.ravel())[::-1]
        for floor in (0.0, 0.1):
            wanted = best[:4][best[:4] > floor]
            likely = posterior.likely_envelopes(4, floor)
            np.testing.assert_allclose([p for _, p in likely], wanted, rtol=0, atol=1e-12)
            for (suspect, weapon, room), p in likely:
                assert table[suspect, weapon - 6, room - 12] == pytest.approx(p, abs=1e-12)
        for suspect, weapon, room in ((0, 6, 12), (3, 8, 17), (5, 11, 20)):
            assert posterior.envelope_probability(suspect, weapon, room) == pytest.approx(
                table[suspect, weapon - 6, room - 12], abs=1e-12
            )


def test_sampled_deals_follow_the_posterior():
    draws = 30_000
    values, controls = [], []
    for key, history in enumerate(histories(5, 400)):
        deals, probability = brute_force(history)
        if not (2 < len(deals) < 300 and probability.min() * draws > 5):
            continue
        drawn = places(ExactPosterior(history.record()).sample(new_stream(key), draws), deals)
        counts = np.bincount(drawn, minlength=len(deals))
        values.append(chisquare(counts, probability * draws).pvalue)
        _, flat = brute_force(history, weighted=False)
        if np.abs(flat - probability).max() > 0.02:
            controls.append(chisquare(counts, flat * draws).pvalue)
        if len(values) == 10:
            break
    assert len(values) >= 8
    assert min(values) > 1e-4
    assert np.mean(np.array(values) > 0.05) > 0.5
    # The control: a posterior without the factor 1/k does not fit the same samples.
    assert controls
    assert max(controls) < 1e-6


def test_opening_counts_the_deals():
    posterior = ExactPosterior(opening())
    # 4 suspects x 5 weapons x 6 rooms are open; 12 other cards go to three hands of four.
    assert posterior.total == 120 * 34650
    assert posterior.marginals[1, 0] == pytest.approx(1 / 4)
    np.testing.assert_allclose(posterior.marginals.sum(axis=0), [3, 4, 4, 4, 4, 0, 0], atol=1e-12)
    assert posterior.marginals[3].sum() == 0
    assert posterior.marginals[0].tolist() == [0, 1, 0, 0, 0, 0, 0]


def test_shares_count_the_deals():
    """Three players, hands by category 2-1-3, 1-2-3, 2-2-2 [Ferrari & Cai 2009]."""
    ev = opening(players=3, hand=(0, 1, 6, 12, 13, 14), face_up=(), sizes=(6, 6, 6))
    ev.shares[:3] = [[2, 1, 3], [1, 2, 3], [2, 2, 2]]
    posterior = ExactPosterior(ev)
    # 4 open suspects: 1, 1 and 2; 5 weapons: 1, 2 and 2; 6 rooms: 1, 3 and 2.
    assert posterior.total == 12 * 30 * 60
    assert posterior.log_weight == pytest.approx(np.log(12 * 30 * 60), abs=1e-12)
    assert posterior.marginals[2].tolist() == pytest.approx([1 / 4, 0, 1 / 4, 1 / 2, 0, 0, 0])
    ev.shares[1] = [2, 1, 3]
    with pytest.raises(ContradictoryEvidence):
        ExactPosterior(ev)


def test_what_the_kernel_cannot_hold_has_a_status():
    """Eight places in a hand are one too many for a digit."""
    ev = opening(players=3, hand=range(1, 6), face_up=(), sizes=(5, 5, 8))
    work = workspace()
    assert not solve(ev, work)
    assert work.plan[0].status == TOO_WIDE
    assert np.isnan(log_weight(ev, work))


def test_contradictions_are_named():
    ev = opening()
    for player in (1, 2, 3):
        evidence.note_pass(ev, player, mask((1, 6, 12)))
        evidence.note_pass(ev, player, mask((2, 8, 15)))
    with pytest.raises(ContradictoryEvidence):
        ExactPosterior(ev)
    ev = opening()
    evidence.note_pass(ev, 1, mask((1, 6, 12)))
    evidence.note_refutation(ev, 1, mask((1, 6, 12)))
    with pytest.raises(ContradictoryEvidence):
        ExactPosterior(ev)
    # Five different cards for a hand of four, which no single mask shows.
    ev = opening()
    for i in range(1, 3):
        for weapon, room in ((6, 12), (8, 15), (9, 16), (10, 17), (11, 18)):
            evidence.note_refutation(ev, i, mask((weapon, room)))
    with pytest.raises(ContradictoryEvidence):
        ExactPosterior(ev)
    assert log_weight(ev, workspace()) == -np.inf


def test_a_small_workspace_is_full_and_grows():
    work = workspace(16)
    assert not solve(opening(), work)
    assert work.plan[0].status == FULL
    grown = ExactPosterior(opening(), work)
    np.testing.assert_array_equal(grown.marginals, ExactPosterior(opening()).marginals)


def test_lost_evidence_is_refused():
    ev = opening()
    ev.overflow = 1
    assert not solve(ev, workspace())
    with pytest.raises(EvidenceFull):
        ExactPosterior(ev)


def digest(seed=11, wanted=3):
    """Return a digest of posteriors, tables and samples of some histories."""
    state = hashlib.sha256()
    work = workspace()
    rng = np.random.default_rng(seed)
    for i in range(wanted):
        history = random_history(rng, 3 + i % 2, 12 + 3 * i)
        posterior = ExactPosterior(history.record(), work)
        state.update(posterior.marginals.tobytes())
        state.update(posterior.envelope_table().tobytes())
        state.update(repr(posterior.likely_envelopes(3)).encode())
        state.update(repr(posterior.predict(mask((i, 6 + i, 12 + i)))).encode())
        state.update(posterior.sample(new_stream(i), 20).tobytes())
    return state.hexdigest()


@pytest.mark.nightly
def test_the_interpreter_gives_the_same_bits():
    here = Path(__file__).parent
    code = "import test_exact; print(test_exact.digest())"
    paths = os.pathsep.join([str(here), str(here.parents[1])])
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths}
    command = [sys.executable, "-W", "ignore", "-c", code]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == digest()

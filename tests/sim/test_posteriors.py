"""The exact posterior of a seat, in real games under all presets, contains the true deal."""

import numpy as np
import pytest
from positions import stream_of
from scipy.stats import chisquare

from belief.evidence import has_card, new_evidence
from belief.exact import solver
from belief.exact.solver import ExactPosterior
from mcts.kernel.compile import INTERPRETED
from sim.arena import Memory
from sim.contract.testing import decisions, hands_of
from sim.rules import PRESETS

GAMES = 3 if INTERPRETED else 12
MIXED = ("heuristic", "closure", "uniform", "swift", "random")


def evidence_of_games(name, policies, games, most=4, last=30, seed=0):
    """Yield (rules, state, seat) at up to ``most`` of the ``last`` first decisions of a seat."""
    rules = PRESETS[name]
    for game in range(games):
        seat = game % rules.players
        seats = [policies[(i + game) % len(policies)] for i in range(rules.players)]
        marks = np.random.default_rng(game).integers(1, last, most)
        number = 0
        for number, state in enumerate(decisions(rules, seats, seat, seed + game, Memory([]))):
            if number in marks:
                yield rules, state, seat
            elif number > max(marks):
                break


def weight_of_hands(facts, hands):
    """Return the log weight of the evidence ``facts`` and these hands together."""
    copy = new_evidence()
    copy[0] = facts
    for player in range(int(facts.players)):
        for card in range(21):
            if int(hands[player]) >> card & 1:
                has_card(copy[0], player, card)
    return solver.log_weight(copy[0], solver.workspace(1 << 10))


def trio(envelope):
    """Return the suspect, the weapon and the room of a mask, each numbered from 0."""
    suspect, weapon, room = (card for card in range(21) if int(envelope) >> card & 1)
    return suspect, weapon - 6, room - 12


@pytest.mark.parametrize("name", PRESETS)
def test_the_truth_has_positive_probability(name):
    looked_at = 0
    for rules, state, seat in evidence_of_games(name, MIXED, GAMES):
        posterior = ExactPosterior(state.evidence[seat])
        table = posterior.envelope_table()
        assert table[trio(state.envelope)] > 0
        for player in range(rules.players):
            held = [card for card in range(21) if int(state.hand[player]) >> card & 1]
            assert (posterior.marginals[held, player + 1] > 0).all()
        assert np.isfinite(weight_of_hands(state.evidence[seat], state.hand))
        looked_at += 1
    assert looked_at >= GAMES


def least_p_value(deals, marginals):
    """Return the smallest chi-square p-value over the cards; 0 if one is where it cannot be."""
    least = 1.0
    for card in range(21):
        expected = marginals[card] * len(deals)
        counts = np.array([(deals[:, card] == holder).sum() for holder in range(7)])
        if counts[expected < 1e-6].any():
            return 0.0
        likely = expected >= 5
        if likely.sum() > 1:
            share = expected[likely] / expected[likely].sum()
            least = min(least, chisquare(counts[likely], share * counts[likely].sum()).pvalue)
    return least


def true_deal(state):
    """Return where every card really is."""
    deal = np.full(21, -1)
    for card in range(21):
        for holder, mask in enumerate((state.envelope, *state.hand)):
            if int(mask) >> card & 1:
                deal[card] = holder
    return deal


@pytest.mark.parametrize("name", PRESETS)
def test_a_sampler_that_knows_the_hands_is_found(name):
    """One deal in ten is the true one; the honest sampler passes the same test."""
    honest, knowing, drawn = [], [], 300 if INTERPRETED else 3_000
    for key, (rules, state, seat) in enumerate(evidence_of_games(name, ("uniform",), 8, 1, 12)):
        posterior = ExactPosterior(state.evidence[seat])
        if posterior.likely_envelopes(1)[0][1] > 0.3:
            continue
        deals = posterior.sample(stream_of(key), drawn)
        for deal in deals[:5]:
            envelope, hands = hands_of(deal)
            assert [hand.bit_count() for hand in hands[: rules.players]] == list(rules.hand_sizes)
            assert np.isfinite(weight_of_hands(state.evidence[seat], hands))
            assert trio(envelope)
        honest.append(least_p_value(deals, posterior.marginals))
        deals[::10] = true_deal(state)
        knowing.append(least_p_value(deals, posterior.marginals))
    assert len(honest) >= 4
    assert min(honest) > 1e-5
    assert max(knowing) < 1e-7 or INTERPRETED


@pytest.mark.parametrize("name", PRESETS)
def test_the_posterior_is_as_often_right_as_it_says(name):
    """Against players whose suggestions say nothing: P(true envelope) averages sum of P squared.

    The control: a posterior surer of its likely envelopes than it should be.
    """
    honest, boasting = [], []
    for _, state, seat in evidence_of_games(name, ("uniform",), 8 * GAMES, 1, 40, 1_000):
        table = ExactPosterior(state.evidence[seat]).envelope_table()
        for gaps, power in ((honest, 1), (boasting, 8)):
            said = table**power / (table**power).sum()
            gaps.append(said[trio(state.envelope)] - (said**2).sum())
    assert abs(deviations(honest)) < 4.5
    if not INTERPRETED:
        assert deviations(boasting) < -4.5


def deviations(gaps):
    """Return the mean in standard errors."""
    return np.mean(gaps) / np.std(gaps) * len(gaps) ** 0.5

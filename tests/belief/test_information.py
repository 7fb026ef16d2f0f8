"""Closed-form information against enumeration over deals."""

from itertools import product

import numpy as np
import pytest
from histories import brute_force, deals_below, means, random_history
from scipy.stats import spearmanr

from belief import information
from mcts.kernel.compile import INTERPRETED


def binary_bits(p):
    """Return the binary entropy, element by element."""
    p = np.clip(p, 1e-300, 1 - 1e-16)
    return -p * np.log2(p) - (1 - p) * np.log2(1 - p)


def enumerated(history, deals, probability, trio):
    """Return the exact expected drop of the envelope's joint entropy from asking ``trio``.

    The outcome is who answered with which card, or that nobody did.
    """
    trio = np.array(trio)
    order = [(history.seat + step) % history.players for step in range(1, history.players)]
    outcomes = {}
    held = deals[:, trio]
    silent = np.ones(len(deals), bool)
    for player in order:
        mine = held == player + 1
        k = mine.sum(axis=1)
        answers = silent & (k > 0)
        for i in range(3):
            weight = np.where(answers & mine[:, i], probability / np.maximum(k, 1), 0.0)
            outcomes[player, i] = weight
        silent &= k == 0
    outcomes["none"] = np.where(silent, probability, 0.0)

    def bits(weight):
        _, table = means(deals, weight)
        table = table[table > 0]
        return -(table * np.log2(table / table.sum())).sum()

    return bits(probability) - sum(bits(w) for w in outcomes.values() if w.sum() > 0)


def independent(marginals, seat, trio):
    """Return the closed form by plain enumeration of independent cards, outcomes merged."""
    before = sum(binary_bits(marginals[card, 0]) for card in trio)
    outcomes = {outcome: np.zeros(4) for outcome in (0, 1, 2, None)}
    rows = [np.append(marginals[card], max(0.0, 1 - marginals[card].sum())) for card in trio]
    for places in product(range(8), repeat=3):
        chance = np.prod([rows[i][place] for i, place in enumerate(places)])
        state = np.array([1.0, *(place == 0 for place in places)]) * chance
        for step in range(1, 6):
            column = (seat + step) % 6 + 1
            k = places.count(column)
            if k:
                for i in range(3):
                    if places[i] == column:
                        outcomes[i] += state / k
                break
        else:
            outcomes[None] += state
    after = sum(w[0] * binary_bits(w[1:] / w[0]).sum() for w in outcomes.values() if w[0] > 1e-15)
    return before - after


def test_binary_entropy_and_entropy():
    assert information.binary_entropy(0.5) == 1.0
    assert information.binary_entropy(0.0) == information.binary_entropy(1.0) == 0.0
    assert information.entropy(np.full(8, 0.125)) == 3.0
    assert information.entropy(np.array([1.0, 0.0])) == 0.0


def test_closed_form_is_the_sum_over_independent_cards():
    rng = np.random.default_rng(2)
    for _ in range(6 if INTERPRETED else 40):
        marginals = np.zeros((21, 7))
        seat, players = int(rng.integers(3)), int(rng.integers(3, 7))
        for card in range(21):
            row = rng.dirichlet(np.full(players + 1, 0.7))
            row[seat + 1] = 0
            marginals[card, : players + 1] = row / row.sum()
        marginals[2] = 0.0  # face up
        marginals[8] = np.eye(7)[seat + 1]  # our own
        trio = (int(rng.choice([1, 2])), int(rng.choice([7, 8])), 15)
        ours = information.closed_form(marginals, seat, *trio)
        assert ours == pytest.approx(independent(marginals, seat, trio), abs=4e-3)


def test_known_cards_tell_nothing():
    marginals = np.zeros((21, 7))
    marginals[:, 2] = 1.0
    marginals[0] = np.eye(7)[0]
    assert information.closed_form(marginals, 0, 0, 6, 12) == 0.0


def test_closed_form_ranks_as_enumeration_does():
    """Rank correlation with the exact joint information over random trios: high on average."""
    rng = np.random.default_rng(7)
    correlations, shares = [], []
    while len(correlations) < (2 if INTERPRETED else 25):
        history = random_history(rng, 3 + len(correlations) % 2, int(rng.integers(6, 22)))
        if not deals_below(history, 300_000):
            continue
        deals, probability = brute_force(history)
        if not 20 <= len(deals) <= 4000:
            continue
        marginals, _ = means(deals, probability)
        trios = [
            tuple(int(rng.choice(c)) for c in (range(6), range(6, 12), range(12, 21)))
            for _ in range(40)
        ]
        exact = np.array([enumerated(history, deals, probability, trio) for trio in trios])
        ours = np.array([information.closed_form(marginals, history.seat, *t) for t in trios])
        if exact.max() > 0.05:
            correlations.append(spearmanr(exact, ours).statistic)
            shares.append(exact[np.argmax(ours)] / exact.max())
    print(f"rank correlation {np.mean(correlations):.3f}, share of best {np.mean(shares):.3f}")
    assert np.mean(correlations) > 0.8
    assert np.mean(shares) > 0.8

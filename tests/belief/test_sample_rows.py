"""Deals made from matrices of independent rows."""

import numpy as np

from belief.beliefs.registry import make_belief
from belief.contract.history import events_of, explains_answers, random_history, setting_of
from belief.sampling.sample_rows import new_memory, sample_deals
from mcts.kernel.rng import new_stream


def test_deals_have_nearly_the_marginals_they_are_made_from():
    rng = np.random.default_rng(1)
    n = 4000
    apart, control, shaped = [], [], 0
    for i in range(20):
        history = random_history(rng, 3 + i % 4, int(rng.integers(0, 15)))
        belief = make_belief("constrained", setting_of(history), None)
        belief.observe(events_of(history))
        matrix = belief.marginals()
        deals = np.zeros((n, 21), np.int64)
        shaped += sample_deals(
            matrix, belief.evidence, belief.known, new_memory(), new_stream(i), deals
        )
        assert explains_answers(deals, history).all()
        counted = np.stack([(deals == column).mean(axis=0) for column in range(7)], axis=1)
        open_cards = matrix.max(axis=1) < 1
        apart.append(np.abs(counted - matrix)[open_cards].mean())
        control.append(np.abs(counted - np.roll(matrix, 1, axis=0))[open_cards].mean())
    assert np.mean(apart) < 0.03 < 0.1 < np.mean(control)
    assert shaped > 0.99 * 20 * n

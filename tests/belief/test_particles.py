"""The particle filter against the exact posterior, and its deprivation."""

import numpy as np
import pytest

from belief.beliefs.base import Setting
from belief.beliefs.particles import ParticleBelief, ParticleDeprivation
from belief.beliefs.registry import make_belief
from belief.contract.history import events_of, explains_answers, mask, random_history, setting_of
from belief.events import PASSED, REFUTED_US
from mcts.kernel.rng import new_stream


def errors(particles, histories=20, seed=1, accusations=0, **options):
    """Return the mean absolute errors of the marginals of open cards over random histories."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(histories):
        players = 3 + i % 4
        questions = int(rng.integers(3, 25))
        history = random_history(rng, players, questions, face_up=i % 3, accusations=accusations)
        setting, events = setting_of(history), events_of(history)
        exact = make_belief("exact", setting, None)
        exact.observe(events)
        truth = exact.marginals()
        belief = ParticleBelief(setting, new_stream(i), particles, **options)
        belief.observe(events)
        open_cards = (truth.max(axis=1) < 1) & (truth.max(axis=1) > 0)
        if open_cards.any():
            found.append(np.abs(belief.marginals() - truth)[open_cards, : players + 1].mean())
    return np.array(found)


@pytest.mark.parametrize("accusations", [0, 5])
def test_marginals_are_near_the_exact_ones(accusations):
    found = errors(2000, accusations=accusations)
    assert found.mean() < 0.012
    assert found.max() < 0.03


def deprive(effort):
    """Return a belief of two particles that has to see more than two deals can explain."""
    setting = Setting(3, 0, (6, 6, 6), mask((0, 6, 7, 12, 13, 14)))
    belief = ParticleBelief(setting, new_stream(1), particles=2, effort=effort)
    belief.observe(
        np.array(
            [(REFUTED_US, 1, mask((c, 8, 16)), c) for c in (1, 2, 3)] + [(PASSED, 2, 1 << 4, -1)]
        )
    )
    return belief


def test_deprivation_is_named():
    with pytest.raises(
        ParticleDeprivation, match=r"event \d leaves none of 2 particles.* increase"
    ):
        deprive(effort=0)


def test_deprivation_is_repaired_with_some_effort():
    matrix = deprive(effort=2000).marginals()
    np.testing.assert_allclose(matrix[[1, 2, 3], 2], 1.0)
    assert matrix[4, 3] == 0


def test_long_games_do_not_deprive():
    rng = np.random.default_rng(9)
    for i in range(12):
        history = random_history(rng, 3 + i % 4, 80, accusations=5 * (i % 2))
        belief = ParticleBelief(setting_of(history), new_stream(i), 100)
        belief.observe(events_of(history))
        assert explains_answers(belief.sample(new_stream(1), 50), history).all()
